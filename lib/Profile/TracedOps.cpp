//===- TracedOps.cpp - What an op of a trace is as a measured row
//----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TracedOps.h"
#include "llm/TraceImport/TracedOperands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::llm;

/// Returns the type of the first tensors if it is only one that rows know, or
/// else nothing.
static std::string typeOf(const TracedOperands &operands, size_t tensors) {
  StringRef common;
  for (const TracedTensor &tensor :
       ArrayRef(operands.tensors).take_front(tensors)) {
    if (tensor.sizes.empty())
      continue;
    if (!common.empty() && common != tensor.type)
      return "";
    common = tensor.type;
  }
  return ::llvm::StringSwitch<std::string>(common)
      .Cases({"c10::BFloat16", "bf16"}, "bf16")
      .Cases({"c10::Half", "f16"}, "fp16")
      .Cases({"float", "f32"}, "fp32")
      .Default("");
}

//===----------------------------------------------------------------------===//
// Kinds of ops
//===----------------------------------------------------------------------===//

/// Fills a row, or returns why there is none.
using Describe = StringRef (*)(StringRef name, const TracedOperands &operands,
                               MeasuredRow &row);

static StringRef describeProduct(StringRef name, const TracedOperands &operands,
                                 MeasuredRow &row) {
  ProductReading product = readProduct(name, operands);
  if (!product.sizes)
    return product.whyNot;
  row.opKind = "gemm";
  row.m = product.sizes->m;
  row.n = product.sizes->n;
  row.k = product.sizes->k;
  return "";
}

/// The operands are [batch, heads, tokens, head_dim] each.
static StringRef describeAttention(StringRef, const TracedOperands &operands,
                                   MeasuredRow &row) {
  ArrayRef<int64_t> query = operands.sizes(0), keys = operands.sizes(1);
  if (query.size() != 4 || keys.size() != 4 || keys != operands.sizes(2) ||
      query[0] != keys[0] || query[3] != keys[3] || query[1] % keys[1] != 0)
    return "attention of other sizes than rows have";
  if (!operands.sizes(3).empty())
    return "attention with a mask that the trace does not show";
  std::tie(row.batch, row.heads, row.qLen, row.headDim) =
      std::tuple(query[0], query[1], query[2], query[3]);
  row.kvHeads = keys[1];
  row.kvLen = keys[2];
  row.opKind = query[2] == 1 ? "attention_decode" : "attention_prefill";
  StringRef causal = operands.constant(5);
  row.causal = causal == "True";
  if (query[2] == 1 && causal == "True" && keys[2] > 1)
    return "causal attention of one token, which sees one key";
  if (query[2] > 1 && causal != "True" && causal != "False")
    return "attention of which the trace does not say whether it is causal";
  // With PyTorch, the first token sees the first key. In rows, it sees all keys
  // but those of the tokens behind it.
  if (query[2] > 1 && causal == "True" && query[2] != keys[2])
    return "causal attention with keys of earlier tokens";
  return "";
}

static StringRef setPlane(StringRef kind, ArrayRef<int64_t> sizes,
                          MeasuredRow &row) {
  row.opKind = kind.str();
  if (sizes.empty())
    return "no sizes";
  row.cols = sizes.back();
  row.rows = countElements(sizes.drop_back());
  return row.rows ? "" : "sizes that are too large";
}

static StringRef describeNorm(StringRef, const TracedOperands &operands,
                              MeasuredRow &row) {
  if (operands.sizes(2).empty())
    return "a norm without weights, or of which the trace does not show them";
  return setPlane("rmsnorm", operands.sizes(0), row);
}

static StringRef describeAdd(StringRef, const TracedOperands &operands,
                             MeasuredRow &row) {
  if (operands.sizes(0) != operands.sizes(1))
    return "a sum of tensors of different sizes";
  return setPlane("residual_add", operands.sizes(0), row);
}

/// ggml multiplies a norm by the weights in another op.
static StringRef describeBareNorm(StringRef, const TracedOperands &,
                                  MeasuredRow &) {
  return "a norm that another op multiplies by its weights";
}

/// The two sources are the gate and what it gates.
static StringRef describeSwiglu(StringRef, const TracedOperands &operands,
                                MeasuredRow &row) {
  if (operands.sizes(0) != operands.sizes(1))
    return "a gate in one tensor with what it is for";
  return setPlane("silu_mul", operands.sizes(0), row);
}

static StringRef describeGelu(StringRef, const TracedOperands &operands,
                              MeasuredRow &row) {
  return setPlane("gelu", operands.sizes(0), row);
}

namespace {
struct OpKind {
  Describe describe = nullptr;
  size_t tensors = 0; ///< operands that must be of one type
};
} // namespace

/// A node of ggml has its name behind its op: "MUL_MAT Qcur-0".
static OpKind kindOf(StringRef name) {
  return ::llvm::StringSwitch<OpKind>(name.split(' ').first)
      .Case("MUL_MAT", {describeProduct, 2})
      .Case("RMS_NORM", {describeBareNorm, 1})
      .Case("ADD", {describeAdd, 2})
      .Case("GELU", {describeGelu, 1})
      .Case("SWIGLU", {describeSwiglu, 2})
      .Cases({"aten::mm", "aten::matmul", "aten::bmm"}, {describeProduct, 2})
      .Cases({"aten::addmm", "aten::linear"}, {describeProduct, 3})
      .Case("aten::scaled_dot_product_attention", {describeAttention, 3})
      .Cases({"aten::rms_norm", "aten::_fused_rms_norm"}, {describeNorm, 1})
      .Case("aten::add", {describeAdd, 2})
      .Case("aten::gelu", {describeGelu, 1})
      .Default({});
}

TracedOp TracedOp::read(StringRef name, StringRef args, Location location) {
  TracedOp op{Kind::Other, MeasuredRow(location), ""};
  OpKind kind = kindOf(name);
  if (!kind.describe)
    return op;
  op.kind = Kind::NoRow;
  std::optional<TracedOperands> operands = TracedOperands::read(args);
  if (!operands) {
    op.reason = "the trace has no sizes (the profiler's record_shapes=True)";
    return op;
  }
  op.row.dtype = typeOf(*operands, kind.tensors);
  if (StringRef reason = kind.describe(name, *operands, op.row);
      !reason.empty())
    op.reason = reason;
  else if (op.row.dtype.empty())
    op.reason = "not of one type that rows know: bf16, fp16, fp32";
  else
    op.kind = Kind::Row;
  return op;
}
