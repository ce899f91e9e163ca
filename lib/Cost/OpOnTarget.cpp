//===- OpOnTarget.cpp - An op and the engine that runs it -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/OpOnTarget.h"
#include "llm/Workload/Composition.h"

using namespace mlir;
using namespace mlir::llm;

static std::string describe(EngineKindSet kinds) {
  std::string text;
  for (EngineKind kind : allEngineKinds)
    if (kinds.contains(kind))
      text += (text.empty() ? "" : " and ") + std::string(stringify(kind));
  return text;
}

FailureOr<OpOnTarget> OpOnTarget::get(WorkloadOpInterface op,
                                      const Target &target, Reasons reasons) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return reasons.refuse(op); });
  if (failed(workload))
    return failure();
  EngineKindSet kinds = workload->engineKinds();
  const Engine *engine = target.findEngine(kinds);
  if (engine)
    return OpOnTarget{op, std::move(*workload), &target, engine, reasons};
  Refusal diagnostic = reasons.refuse(op)
                       << "needs an engine that is " << describe(kinds)
                       << "; target '" << target.name << "' has none";
  if (workload->composition)
    diagnostic << ". --llm-fuse joins what the module's target can run as one: "
                  "it comes behind --llm-target";
  else if (kinds.contains(EngineKind::Matrix) &&
           kinds.contains(EngineKind::Vector))
    diagnostic << ". --llm-decompose-attention splits fused attention into ops "
                  "of fewer "
                  "kinds";
  return diagnostic;
}

OpOnTarget OpOnTarget::inside(const ComposedPart &part) const {
  return {part.op, workloadInside(workload, part), target, engine, reasons};
}

const Memory *OpOnTarget::tileMemory() const {
  return engine->costModel == CostModelKind::Roofline
             ? nullptr
             : target->privateMemoryOf(*engine);
}

int64_t OpOnTarget::tileCapacityBytes() const {
  const Memory *memory = tileMemory();
  return memory ? memory->capacityBytes : 0;
}

Refusal OpOnTarget::refuseOverflow() const {
  return refuse() << "its work, bytes or cycles are above 2^61 - 1";
}
