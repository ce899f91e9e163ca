//===- StageTimes.cpp - What a stage has to do with its pipeline ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Planning/PipelineSchedule.h"
#include "llm/Program/Program.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::llm;

std::optional<StageTimes>
mlir::llm::stageTimesOf(FunctionOpInterface function) {
  auto stage = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
  auto module = function->getParentOfType<ModuleOp>();
  auto pipeline =
      module ? module->getAttrOfType<PipelineAttr>(LlmDialect::pipelineAttrName)
             : PipelineAttr();
  if (!stage || !pipeline)
    return std::nullopt;
  StageTimes times{pipeline, stage};
  llvm::StringMap<int64_t> placeOf;
  for (FunctionOpInterface other : functionsWithBody(module))
    if (auto own = other->getAttrOfType<StageAttr>(LlmDialect::stageAttrName))
      placeOf[symbolOf(other)] = own.getPlace();
  SmallVector<int64_t> cycles(stage.countPlaces());
  for (StageSlotAttr slot : pipeline.getSlots()) {
    if (slot.getMicrobatch() != 0)
      continue;
    int64_t length = slot.getEndCycle() - slot.getStartCycle();
    auto place = placeOf.find(slot.getFunction().getValue());
    if (slot.getTo()) {
      if (slot.getFunction().getValue() == symbolOf(function))
        times.transferCycles = length;
    } else if (place != placeOf.end() && place->second < stage.countPlaces()) {
      cycles[place->second] += length;
    }
  }
  times.placeCycles = cycles[stage.getPlace()];
  times.longestCycles = *llvm::max_element(cycles);
  return times;
}
