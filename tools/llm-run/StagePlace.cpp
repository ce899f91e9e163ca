//===- StagePlace.cpp - The stage of a pipeline that a process runs -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagePlace.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::llm;

FailureOr<StagePlace> StagePlace::find(ModuleOp module, const Chips &chips) {
  StagePlace place;
  func::FuncOp last;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto stage = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
    if (!stage || stage.getCount() == 1)
      continue;
    place.functions.resize(stage.getCount());
    if (stage.getIsBackward() || !place.functions[stage.getNumber()].empty())
      return function.emitError()
             << "is stage " << stage.getNumber()
             << " once more; llm-run runs one function of each stage";
    place.functions[stage.getNumber()] = function.getName().str();
    place.rounds = stage.getRounds();
    if (stage.getNumber() + 1 == stage.getCount())
      last = function;
  }
  if (place.functions.empty()) {
    place.functions.emplace_back();
    place.stride = chips.count();
    return place;
  }
  for (auto [number, name] : llvm::enumerate(place.functions))
    if (name.empty())
      return module.emitError()
             << "the program has no function of stage " << number << " of "
             << place.functions.size() << " (llm.stage)";
  int64_t places = place.countPlaces();
  if (places * place.rounds != static_cast<int64_t>(place.functions.size()) ||
      chips.count() % places != 0)
    return module.emitError()
           << place.functions.size() << " stages in " << place.rounds
           << (place.rounds > 1 ? " rounds" : " round") << " cannot share "
           << chips.count() << " chips equally";
  place.stride = chips.count() / places;
  place.place = chips.getNumber() / place.stride;
  for (Type type : last.getResultTypes())
    place.elements.push_back(getElementTypeOrSelf(type));
  return place;
}

void StagePlace::receive(ArrayRef<ProgramArgument> arguments,
                         const Chips &chips,
                         std::vector<ArgumentValue> &values) const {
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    if (argument.kind == ProgramArgument::Kind::Received)
      value = chips.receive(getElementTypeOrSelf(argument.type),
                            findPeer(chips, -1));
}

int64_t StagePlace::findPeer(const Chips &chips, int64_t places) const {
  return (chips.getNumber() + places * stride + chips.count()) % chips.count();
}

std::vector<HostTensor> StagePlace::handOn(std::vector<HostTensor> results,
                                           int64_t round, const Chips &chips,
                                           bool toAll) const {
  int64_t firstOfLast = (countPlaces() - 1) * stride, own = chips.getNumber();
  auto takesResults = [&](int64_t chip) {
    return chip != firstOfLast && (chip == 0 || toAll);
  };
  if (stageIn(round) + 1 < static_cast<int64_t>(functions.size())) {
    for (const HostTensor &result : results)
      chips.send(result, findPeer(chips, 1));
    results.clear();
  } else if (own == firstOfLast) {
    for (int64_t chip = 0; chip < chips.count(); ++chip)
      for (const HostTensor &result : results)
        if (takesResults(chip))
          chips.send(result, chip);
  }
  if (round + 1 == rounds && takesResults(own)) {
    results.clear();
    for (Type element : elements)
      results.push_back(chips.receive(element, firstOfLast));
  }
  return results;
}
