//===- LlmBytecode.cpp - The version of bytecode --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/LlmBytecode.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
struct LlmBytecodeInterface : VersionedBytecode {
  explicit LlmBytecodeInterface(Dialect *dialect)
      : VersionedBytecode(dialect) {}

  /// Sets what a reader of properties cannot know, because operands come behind
  /// properties.
  LogicalResult
  upgradeFromVersion(Operation *topLevelOp,
                     const DialectVersion &version) const override {
    if (static_cast<const LlmDialectVersion &>(version).number >= 3)
      return success();
    // In older versions, the only optional operands were bias and sinks.
    topLevelOp->walk([](Operation *op) {
      auto operands = static_cast<int32_t>(op->getNumOperands());
      if (auto route = dyn_cast<MoeRouteOp>(op))
        route.getProperties().operandSegmentSizes = {1, operands - 1, 0, 0};
      if (auto attention = dyn_cast<GqaAttnOp>(op))
        attention.getProperties().operandSegmentSizes = {1, 1, 1, operands - 3,
                                                         0};
    });
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Ops that later versions added to
//===----------------------------------------------------------------------===//

/// Returns the version of the dialect that the bytecode states, or the current
/// one if it states none.
static uint64_t getVersion(DialectBytecodeReader &reader) {
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<LlmDialect>();
  return succeeded(version)
             ? static_cast<const LlmDialectVersion *>(*version)->number
             : LlmDialectVersion::current;
}

/// Returns the version to write. The caller may have asked for an older one, in
/// which the newer properties were not there.
static uint64_t getVersion(DialectBytecodeWriter &writer) {
  FailureOr<const DialectVersion *> version =
      writer.getDialectVersion<LlmDialect>();
  return succeeded(version)
             ? static_cast<const LlmDialectVersion *>(*version)->number
             : LlmDialectVersion::current;
}

LogicalResult RopeOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(properties.begin)) ||
      failed(reader.readOptionalAttribute(properties.name)) ||
      failed(reader.readAttribute(properties.theta)))
    return failure();
  if (getVersion(reader) < 2)
    return success();
  if (failed(reader.readOptionalAttribute(properties.scaling)) ||
      failed(reader.readOptionalAttribute(properties.interleaved)))
    return failure();
  if (getVersion(reader) < 4)
    return success();
  return success(succeeded(reader.readOptionalAttribute(properties.stride)) &&
                 succeeded(reader.readOptionalAttribute(properties.inverse)));
}

void RopeOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeAttribute(properties.begin);
  writer.writeOptionalAttribute(properties.name);
  writer.writeAttribute(properties.theta);
  if (getVersion(writer) < 2)
    return;
  writer.writeOptionalAttribute(properties.scaling);
  writer.writeOptionalAttribute(properties.interleaved);
  if (getVersion(writer) < 4)
    return;
  writer.writeOptionalAttribute(properties.stride);
  writer.writeOptionalAttribute(properties.inverse);
}

LogicalResult RmsNormOp::readProperties(DialectBytecodeReader &reader,
                                        OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(properties.epsilon)) ||
      failed(reader.readOptionalAttribute(properties.name)))
    return failure();
  return getVersion(reader) < 2
             ? success()
             : reader.readOptionalAttribute(properties.addUnitOffset);
}

void RmsNormOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeAttribute(properties.epsilon);
  writer.writeOptionalAttribute(properties.name);
  if (getVersion(writer) >= 2)
    writer.writeOptionalAttribute(properties.addUnitOffset);
}

LogicalResult MoeRouteOp::readProperties(DialectBytecodeReader &reader,
                                         OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.groups)) ||
      failed(reader.readOptionalAttribute(properties.name)) ||
      failed(reader.readOptionalAttribute(properties.normalize)) ||
      failed(reader.readOptionalAttribute(properties.scale)) ||
      failed(reader.readAttribute(properties.scoring)) ||
      failed(reader.readOptionalAttribute(properties.topGroups)) ||
      failed(reader.readAttribute(properties.topK)))
    return failure();
  // Version 3 has one less, which leaves the last at 0.
  return getVersion(reader) < 3 ? success()
                                : reader.readSparseArray(MutableArrayRef(
                                      properties.operandSegmentSizes));
}

void MoeRouteOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.groups);
  writer.writeOptionalAttribute(properties.name);
  writer.writeOptionalAttribute(properties.normalize);
  writer.writeOptionalAttribute(properties.scale);
  writer.writeAttribute(properties.scoring);
  writer.writeOptionalAttribute(properties.topGroups);
  writer.writeAttribute(properties.topK);
  ArrayRef<int32_t> segments(properties.operandSegmentSizes);
  if (getVersion(writer) >= 3)
    writer.writeSparseArray(getVersion(writer) == 3 ? segments.drop_back()
                                                    : segments);
}

LogicalResult GqaAttnOp::readProperties(DialectBytecodeReader &reader,
                                        OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(properties.mask)) ||
      failed(reader.readOptionalAttribute(properties.name)) ||
      failed(reader.readAttribute(properties.scale)) ||
      failed(reader.readOptionalAttribute(properties.softCap)))
    return failure();
  if (getVersion(reader) < 3)
    return success();
  if (failed(reader.readOptionalAttribute(properties.block)) ||
      failed(reader.readSparseArray(
          MutableArrayRef(properties.operandSegmentSizes))))
    return failure();
  return getVersion(reader) < 7
             ? success()
             : reader.readOptionalAttribute(properties.returnLse);
}

void GqaAttnOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeAttribute(properties.mask);
  writer.writeOptionalAttribute(properties.name);
  writer.writeAttribute(properties.scale);
  writer.writeOptionalAttribute(properties.softCap);
  if (getVersion(writer) < 3)
    return;
  writer.writeOptionalAttribute(properties.block);
  writer.writeSparseArray(ArrayRef(properties.operandSegmentSizes));
  if (getVersion(writer) >= 7)
    writer.writeOptionalAttribute(properties.returnLse);
}

LogicalResult MlaAttnOp::readProperties(DialectBytecodeReader &reader,
                                        OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(properties.mask)) ||
      failed(reader.readOptionalAttribute(properties.name)) ||
      failed(reader.readAttribute(properties.scale)) ||
      failed(reader.readAttribute(properties.valueDim)))
    return failure();
  if (getVersion(reader) < 3)
    return success();
  if (failed(reader.readOptionalAttribute(properties.block)))
    return failure();
  return getVersion(reader) < 7
             ? success()
             : reader.readOptionalAttribute(properties.returnLse);
}

void MlaAttnOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeAttribute(properties.mask);
  writer.writeOptionalAttribute(properties.name);
  writer.writeAttribute(properties.scale);
  writer.writeAttribute(properties.valueDim);
  if (getVersion(writer) >= 3)
    writer.writeOptionalAttribute(properties.block);
  if (getVersion(writer) >= 7)
    writer.writeOptionalAttribute(properties.returnLse);
}

LogicalResult KvWriteOp::readProperties(DialectBytecodeReader &reader,
                                        OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(properties.begin)) ||
      failed(reader.readOptionalAttribute(properties.name)) ||
      failed(reader.readSparseArray(
          MutableArrayRef(properties.operandSegmentSizes))))
    return failure();
  return getVersion(reader) < 7 ? success()
                                : reader.readOptionalAttribute(properties.own);
}

void KvWriteOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeAttribute(properties.begin);
  writer.writeOptionalAttribute(properties.name);
  writer.writeSparseArray(ArrayRef(properties.operandSegmentSizes));
  if (getVersion(writer) >= 7)
    writer.writeOptionalAttribute(properties.own);
}

LogicalResult SwiGluOp::readProperties(DialectBytecodeReader &reader,
                                       OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.limit)) ||
      failed(reader.readOptionalAttribute(properties.name)))
    return failure();
  if (getVersion(reader) < 3)
    return success();
  return success(succeeded(reader.readOptionalAttribute(properties.clamp)) &&
                 succeeded(reader.readOptionalAttribute(properties.gateCap)) &&
                 succeeded(reader.readOptionalAttribute(properties.upCap)));
}

void SwiGluOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.limit);
  writer.writeOptionalAttribute(properties.name);
  if (getVersion(writer) < 3)
    return;
  for (FloatAttr figure :
       {properties.clamp, properties.gateCap, properties.upCap})
    writer.writeOptionalAttribute(figure);
}

LogicalResult MoeDispatchOp::readProperties(DialectBytecodeReader &reader,
                                            OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.name)))
    return failure();
  if (getVersion(reader) < 6)
    return success();
  return success(succeeded(reader.readOptionalAttribute(properties.own)) &&
                 succeeded(reader.readOptionalAttribute(properties.ownRows)));
}

void MoeDispatchOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.name);
  if (getVersion(writer) < 6)
    return;
  writer.writeOptionalAttribute(properties.own);
  writer.writeOptionalAttribute(properties.ownRows);
}

LogicalResult MoeCombineOp::readProperties(DialectBytecodeReader &reader,
                                           OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.name)))
    return failure();
  return getVersion(reader) < 6 ? success()
                                : reader.readOptionalAttribute(properties.own);
}

void MoeCombineOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.name);
  if (getVersion(writer) >= 6)
    writer.writeOptionalAttribute(properties.own);
}

LogicalResult GroupedMatmulOp::readProperties(DialectBytecodeReader &reader,
                                              OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.name)) ||
      failed(reader.readOptionalAttribute(properties.outType)) ||
      failed(reader.readOptionalAttribute(properties.routing)) ||
      failed(reader.readAttribute(properties.rowsPerExpert)) ||
      failed(reader.readAttribute(properties.topK)) ||
      failed(reader.readOptionalAttribute(properties.transposeRhs)) ||
      failed(reader.readSparseArray(
          MutableArrayRef(properties.operandSegmentSizes))))
    return failure();
  return getVersion(reader) < 6 ? success()
                                : reader.readOptionalAttribute(properties.own);
}

void GroupedMatmulOp::writeProperties(DialectBytecodeWriter &writer) {
  const Properties &properties = getProperties();
  writer.writeOptionalAttribute(properties.name);
  writer.writeOptionalAttribute(properties.outType);
  writer.writeOptionalAttribute(properties.routing);
  writer.writeAttribute(properties.rowsPerExpert);
  writer.writeAttribute(properties.topK);
  writer.writeOptionalAttribute(properties.transposeRhs);
  writer.writeSparseArray(ArrayRef(properties.operandSegmentSizes));
  if (getVersion(writer) >= 6)
    writer.writeOptionalAttribute(properties.own);
}

void mlir::llm::addBytecodeInterface(LlmDialect &dialect) {
  dialect.addInterface(std::make_unique<LlmBytecodeInterface>(&dialect));
}
