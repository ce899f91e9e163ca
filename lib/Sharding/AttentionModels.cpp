//===- AttentionModels.cpp - Attention whose keys chips share -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Keys.h"

using namespace mlir;
using namespace mlir::llm;

/// Whether each query sees all keys, of which there are `keys`. Only then does
/// it not matter which of them a chip has.
static bool seesAll(MaskAttr mask, int64_t queries, int64_t keys) {
  if (mask.getKind() == MaskKind::Full)
    return true;
  return queries == 1 && mask.getStride() == 1 && mask.getChunk() == 0 &&
         (mask.getWindow() == 0 || mask.getWindow() >= keys);
}

static Value sinksOf(GqaAttnOp op) { return op.getSinks(); }
static Value sinksOf(MlaAttnOp) { return {}; }
static Value keysOf(GqaAttnOp op) { return op.getKeys(); }
static Value keysOf(MlaAttnOp op) { return op.getLatents(); }

static GqaAttnOp makePartial(OpBuilder &builder, GqaAttnOp op, MaskAttr mask) {
  return GqaAttnOp::create(builder, op.getLoc(), op.getNameAttr(),
                           op.getQuery(), op.getKeys(), op.getValues(),
                           /*sinks=*/Value(), /*selected=*/Value(), mask,
                           op.getScaleAttr(), op.getSoftCapAttr(),
                           op.getBlockAttr(), builder.getUnitAttr());
}

static MlaAttnOp makePartial(OpBuilder &builder, MlaAttnOp op, MaskAttr mask) {
  return MlaAttnOp::create(builder, op.getLoc(), op.getNameAttr(),
                           op.getQuery(), op.getLatents(), op.getValueDimAttr(),
                           /*selected=*/Value(), mask, op.getScaleAttr(),
                           op.getBlockAttr(), builder.getUnitAttr());
}

/// The mask of one of so many parts, of which each has as many keys.
static MaskAttr maskOfPart(MaskAttr mask, int64_t parts) {
  SmallVector<int64_t> lengths(mask.getLengths());
  for (int64_t &length : lengths)
    length /= parts;
  return MaskAttr::get(mask.getContext(), mask.getKind(), /*window=*/0,
                       /*chunk=*/0, {}, lengths);
}

namespace {
template <typename Op>
struct AttentionModel
    : JoinableOpInterface::ExternalModel<AttentionModel<Op>, Op> {
  StringRef getJoinedLoop(Operation *) const { return "t"; }
  unsigned getJoinedDim(Operation *) const { return 2; }

  std::string explainUnjoined(Operation *op, int64_t parts) const {
    auto attention = cast<Op>(op);
    if (attention.getReturnLse())
      return "leaves partial results already";
    if (attention.getSelected())
      return "attends to keys that are selected when it runs";
    int64_t queries = attention.getQuery().getType().getDimSize(1),
            keys = cast<RankedTensorType>(keysOf(attention).getType())
                       .getDimSize(1);
    if (!seesAll(attention.getMask(), queries, keys))
      return "has queries that see some of the keys only";
    for (int64_t length : attention.getMask().getLengths())
      if (length % parts != 0)
        return "has a sequence of " + std::to_string(length) + " keys, which " +
               std::to_string(parts) + " chips do not divide";
    return {};
  }

  Value joinParts(Operation *op, OpBuilder &builder, int64_t parts,
                  function_ref<Value(Value)> exchange,
                  function_ref<Value(Value)> takeOwn) const {
    auto whole = cast<Op>(op);
    Op partial =
        makePartial(builder, whole, maskOfPart(whole.getMask(), parts));
    StringAttr name = whole.getNameAttr();
    if (name)
      name = builder.getStringAttr(name.getValue() + ".join");
    Value out = exchange(partial.getOut()), lse = exchange(partial.getLse());
    Value sinks = sinksOf(whole);
    if (sinks)
      sinks = takeOwn(sinks);
    return JoinAttnOp::create(builder, op->getLoc(), name, out, lse, sinks,
                              builder.getI64IntegerAttr(parts));
  }
};
} // namespace

void mlir::llm::registerJoinables(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LlmDialect *) {
    GqaAttnOp::attachInterface<AttentionModel<GqaAttnOp>>(*context);
    MlaAttnOp::attachInterface<AttentionModel<MlaAttnOp>>(*context);
  });
}
