//===- Ssm.cpp - State-space models ---------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ssm.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::llm;
using namespace ssm;

#include "SsmDialect.cpp.inc"
#define GET_OP_CLASSES
#include "SsmOps.cpp.inc"

void SsmDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "SsmOps.cpp.inc"
      >();
}

void ssm::registerDialects(DialectRegistry &registry) {
  registry.insert<SsmDialect, math::MathDialect>();
  registerMathModels(registry);
}

LogicalResult ScanOp::verify() {
  ArrayRef<int64_t> x = getX().getType().getShape(),
                    a = getA().getType().getShape(),
                    b = getB().getType().getShape();
  if (x[0] != b[0] || x[1] != a[0] || a[1] != b[1] ||
      getState().getType().getShape() != a)
    return emitOpError("needs x [t, d], a and state [d, n], and b [t, n]");
  return success();
}

StringRef ScanOp::getWorkloadName() { return getName().value_or(""); }

FailureOr<Workload> ScanOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  int64_t steps = getX().getType().getDimSize(0),
          channels = getX().getType().getDimSize(1),
          states = getA().getType().getDimSize(1);
  using utils::IteratorType;
  Workload workload;
  // The state is carried along t: tiles of steps follow each other.
  workload.loops = {{"t", IteratorType::parallel, steps, Loop::Tiles::InOrder},
                    {"d", IteratorType::parallel, channels},
                    {"n", IteratorType::reduction, states}};

  using Role = Buffer::Role;
  workload.addBuffer(Role::Read, "x", getX(), {"t", "d"});
  workload.addBuffer(Role::Read, "dt", getDt(), {"t", "d"});
  workload.addBuffer(Role::Read, "a", getA(), {"d", "n"});
  workload.addBuffer(Role::Read, "b", getB(), {"t", "n"});
  workload.addBuffer(Role::Read, "c", getC(), {"t", "n"});
  // Read before the first step and written behind the last one.
  workload.addBuffer(Role::State, "state", getState(), {"d", "n"});
  workload.addBuffer(Role::Write, "y", getY(), {"t", "d"});

  // dt x; then dt a, the decay of s, the rise of s and their sum, s c and its
  // sum.
  workload.addStage("input", EngineKind::Vector, {"t", "d"},
                    {{WorkKind::Alu, 1}});
  workload.addStage("scan", EngineKind::Vector, {"t", "d", "n"},
                    {{WorkKind::Alu, 6}, {WorkKind::Special, 1}});
  return workload;
}
