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

/// Says what the target lacks: a kind, or engines that have all of them.
static Refusal refuseEngines(WorkloadOpInterface op, EngineKindSet kinds,
                             bool isKernel, const Target &target,
                             Reasons reasons) {
  EngineKindSet missing;
  for (EngineKind kind : allEngineKinds)
    if (kinds.contains(kind) && !target.findEngine(kind))
      missing.insert(kind);
  Refusal refusal = reasons.refuse(op)
                    << "needs an engine that is "
                    << describe(missing.empty() ? kinds : missing)
                    << "; target '" << target.name << "' has none";
  if (!missing.empty()) {
    refusal << "; say in the `kinds` of an engine what it can do";
    return refusal;
  }
  if (isKernel)
    refusal << ". --llm-fuse joins what the module's target can run as one: it "
               "comes behind --llm-target";
  else if (kinds.contains(EngineKind::Matrix) &&
           kinds.contains(EngineKind::Vector))
    refusal << ". --llm-decompose-attention splits fused attention into ops of "
               "fewer kinds";
  return refusal;
}

/// A collective runs on the link that joins its group. The target has no other
/// engines for it.
static FailureOr<OpOnTarget> onLink(WorkloadOpInterface op, Workload workload,
                                    const Target &target, Reasons reasons) {
  const Link *link = target.findLink(workload.collective->span);
  for (const Engine &engine : target.engines)
    if (link && engine.isLink && engine.name == link->name)
      return OpOnTarget{op, std::move(workload), &target, &engine, reasons};
  return reasons.refuse(op)
         << "exchanges among " << workload.collective->span
         << " neighbouring chips; target '" << target.name
         << "' has no link that joins so many (links)";
}

FailureOr<OpOnTarget> OpOnTarget::get(WorkloadOpInterface op,
                                      const Target &target, Reasons reasons) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return reasons.refuse(op); });
  if (failed(workload))
    return failure();
  if (workload->collective)
    return onLink(op, std::move(*workload), target, reasons);
  EngineKindSet kinds = workload->engineKinds();
  SmallVector<const Engine *, 1> engines = target.findEngines(kinds);
  // A kernel of several ops runs on one engine.
  if (engines.size() == 1 || (!engines.empty() && !workload->composition)) {
    OpOnTarget found{op, {}, &target, engines.front(), reasons};
    found.with.assign(engines.begin() + 1, engines.end());
    return found.partWith(std::move(*workload));
  }
  return refuseEngines(op, kinds, bool(workload->composition), target, reasons);
}

/// Marks the values that one of several engines makes for another. The other
/// uses one while the next is made.
OpOnTarget OpOnTarget::partWith(Workload workload) const {
  OpOnTarget part{op, std::move(workload), target, engine, reasons, with};
  for (Buffer &buffer : part.workload.buffers) {
    buffer.isHandedOver =
        !with.empty() && buffer.role == Buffer::Role::Temporary;
    // Each way to cut the op asks for this, which follows from its loops.
    buffer.isContracted = part.workload.isContracted(buffer);
  }
  return part;
}

OpOnTarget OpOnTarget::inside(const ComposedPart &part) const {
  return {part.op, workloadInside(workload, part), target, engine, reasons};
}

EngineKindSet OpOnTarget::kinds() const {
  EngineKindSet kinds = engine->kinds;
  for (const Engine *other : with)
    kinds.insert(other->kinds);
  return kinds;
}

const Engine &OpOnTarget::engineFor(EngineKind kind) const {
  for (const Engine *other : with)
    if (!engine->kinds.contains(kind) && other->kinds.contains(kind))
      return *other;
  return *engine;
}

int64_t OpOnTarget::countTeams() const {
  int64_t count = engine->count;
  for (const Engine *other : with)
    count = std::min(count, other->count);
  return count;
}

bool OpOnTarget::hasOneWay() const {
  return engine->hasUnitTiles() && engine->count == 1 &&
         target->countMemoryEngines() == 0;
}

int64_t OpOnTarget::overheadCycles() const {
  int64_t cycles = engine->overheadCycles;
  for (const Engine *other : with)
    cycles = std::max(cycles, other->overheadCycles);
  return cycles;
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
  return refuse() << "has work, bytes or cycles above 2^61 - 1";
}
