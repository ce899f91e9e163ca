//===- OpRows.cpp - Ops that ran, as rows of measurements -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/OpRows.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Files/CsvWriter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Ops to rows
//===----------------------------------------------------------------------===//

/// Returns a type as rows spell it; nothing for a type that rows do not know.
static std::optional<StringRef> nameOfType(Type type) {
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "fp16";
  if (type.isF32())
    return "fp32";
  return std::nullopt;
}

/// Returns the element type of all tensors, if there is only one.
static std::optional<StringRef> findType(Operation *op) {
  std::optional<StringRef> found;
  auto isAlike = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return true;
    std::optional<StringRef> name = nameOfType(tensor.getElementType());
    bool isFirst = !found;
    if (isFirst)
      found = name;
    return tensor.hasStaticShape() && name && name == found;
  };
  return llvm::all_of(op->getOperandTypes(), isAlike) &&
                 llvm::all_of(op->getResultTypes(), isAlike)
             ? found
             : std::nullopt;
}

static void setPlane(Type type, MeasuredRow &row) {
  auto tensor = cast<RankedTensorType>(type);
  row.cols = tensor.getRank() ? tensor.getShape().back() : 1;
  row.rows = tensor.getNumElements() / std::max<int64_t>(*row.cols, 1);
}

static bool describeProduct(MatmulOp op, MeasuredRow &row) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  row.k = lhs.getShape().back();
  row.m = lhs.getNumElements() / std::max<int64_t>(*row.k, 1);
  row.n = cast<RankedTensorType>(op.getOut().getType()).getShape().back();
  row.opKind = "gemm";
  return !op.getBias();
}

static bool describeAttention(GqaAttnOp op, MeasuredRow &row) {
  ArrayRef<int64_t> query = op.getQuery().getType().getShape();
  ArrayRef<int64_t> keys =
      cast<RankedTensorType>(op.getKeys().getType()).getShape();
  std::tie(row.batch, row.qLen, row.heads, row.headDim) =
      std::tuple(query[0], query[1], query[2], query[3]);
  row.kvLen = keys[1];
  row.kvHeads = keys[2];
  row.opKind = query[1] == 1 ? "attention_decode" : "attention_prefill";
  MLIRContext *context = op.getContext();
  bool isCausal = op.getMask() == MaskAttr::get(context, MaskKind::Causal);
  row.causal = isCausal;
  auto values = cast<RankedTensorType>(op.getValues().getType());
  return !op.getSinks() && !op.getSelected() && !op.getSoftCap() &&
         values.getShape() == keys &&
         (isCausal || op.getMask() == MaskAttr::get(context, MaskKind::Full));
}

std::optional<MeasuredRow> llm::describeAsRow(Operation *op) {
  MeasuredRow row(op->getLoc());
  std::optional<StringRef> type = findType(op);
  if (!type)
    return std::nullopt;
  row.dtype = type->str();
  auto onPlane = [&](StringRef kind) {
    row.opKind = kind.str();
    setPlane(op->getResult(0).getType(), row);
    return true;
  };
  bool isKnown =
      TypeSwitch<Operation *, bool>(op)
          .Case([&](MatmulOp op) { return describeProduct(op, row); })
          .Case([&](GqaAttnOp op) { return describeAttention(op, row); })
          .Case([&](RmsNormOp op) {
            return op.getWeight() && onPlane("rmsnorm");
          })
          .Case([&](SwiGluOp op) {
            return !op.getLimit() && onPlane("silu_mul");
          })
          .Case([&](AddOp) { return onPlane("residual_add"); })
          .Case([&](ActivationOp op) {
            return op.getKind() == ActivationKind::Gelu && onPlane("gelu");
          })
          .Default(false);
  return isKnown ? std::optional(std::move(row)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rows to a file
//===----------------------------------------------------------------------===//

namespace {
/// A column of a size, which may be missing in a row.
struct SizeColumn {
  StringRef name;
  std::optional<int64_t> MeasuredRow::*size;
};
} // namespace

static constexpr SizeColumn sizeColumns[] = {
    {"m", &MeasuredRow::m},
    {"n", &MeasuredRow::n},
    {"k", &MeasuredRow::k},
    {"batch", &MeasuredRow::batch},
    {"heads", &MeasuredRow::heads},
    {"kv_heads", &MeasuredRow::kvHeads},
    {"head_dim", &MeasuredRow::headDim},
    {"q_len", &MeasuredRow::qLen},
    {"kv_len", &MeasuredRow::kvLen},
    {"causal", &MeasuredRow::causal},
    {"rows", &MeasuredRow::rows},
    {"cols", &MeasuredRow::cols},
};

namespace {
/// A column of a text, which may be empty in a row.
struct TextColumn {
  StringRef name;
  std::string MeasuredRow::*text;
};
} // namespace

static constexpr TextColumn textColumns[] = {
    {"row_id", &MeasuredRow::id},       {"source", &MeasuredRow::source},
    {"device", &MeasuredRow::device},   {"op_kind", &MeasuredRow::opKind},
    {"dtype", &MeasuredRow::dtype},     {"backend", &MeasuredRow::backend},
    {"timing", &MeasuredRow::timing},
};

/// Keeps the columns that a row has something in.
template <typename Column, typename Has>
static SmallVector<Column> keepUsed(ArrayRef<Column> columns,
                                    ArrayRef<MeasuredRow> rows, Has has) {
  SmallVector<Column> used;
  llvm::copy_if(columns, std::back_inserter(used), [&](const Column &column) {
    return llvm::any_of(
        rows, [&](const MeasuredRow &row) { return has(row, column); });
  });
  return used;
}

void llm::writeMeasuredTable(ArrayRef<MeasuredRow> rows, raw_ostream &os,
                             Times times) {
  SmallVector<TextColumn> texts = keepUsed(
      ArrayRef(textColumns), rows,
      [](const MeasuredRow &row, const TextColumn &column) {
        return !(row.*column.text).empty();
      });
  SmallVector<SizeColumn> sizes = keepUsed(
      ArrayRef(sizeColumns), rows,
      [](const MeasuredRow &row, const SizeColumn &column) {
        return (row.*column.size).has_value();
      });
  {
    CsvLine head(os);
    for (const TextColumn &column : texts)
      head << column.name;
    for (const SizeColumn &column : sizes)
      head << column.name;
    if (times == Times::Required)
      head << "measured_us";
  }
  for (const MeasuredRow &row : rows) {
    CsvLine line(os);
    for (const TextColumn &column : texts)
      line << row.*column.text;
    for (const SizeColumn &column : sizes)
      if (std::optional<int64_t> size = row.*column.size)
        line << *size;
      else
        line << "";
    if (times == Times::Required)
      line.addReal(row.microseconds, 3);
  }
}
