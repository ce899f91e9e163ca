//===- TorchOps.cpp - What an op of PyTorch is as a measured row ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;
using nlohmann::json;

using Sizes = SmallVector<int64_t, 4>;

namespace {
/// The operands of an op, as the profiler writes them down.
class Operands {
public:
  explicit Operands(const json &args);

  bool areThere() const { return hasSizes; }
  /// Empty for what is no tensor.
  ArrayRef<int64_t> sizes(size_t number) const {
    return number < all.size() ? ArrayRef(all[number]) : ArrayRef<int64_t>();
  }
  /// The one type of the first tensors, where rows know it; else empty.
  std::string type(size_t tensors) const;
  /// As the profiler prints a number or a flag; empty where it does not.
  std::string constant(size_t number) const;

private:
  bool hasSizes = false;
  std::vector<Sizes> all;
  std::vector<std::string> types, constants;
};
} // namespace

static const json *find(const json &object, ArrayRef<const char *> keys) {
  for (const char *key : keys)
    if (auto found = object.find(key);
        found != object.end() && found->is_array())
      return &*found;
  return nullptr;
}

static std::vector<std::string> readTexts(const json *list) {
  std::vector<std::string> texts;
  if (list)
    for (const json &each : *list)
      texts.push_back(each.is_string() ? each.get<std::string>() : "");
  return texts;
}

static Sizes readSizes(const json &value) {
  Sizes sizes;
  if (!value.is_array())
    return sizes;
  for (const json &size : value) {
    bool isSize = size.is_number_integer() && size > 0 && size < (1LL << 31);
    if (!isSize)
      return {};
    sizes.push_back(size.get<int64_t>());
  }
  return sizes;
}

Operands::Operands(const json &args) {
  if (!args.is_object())
    return;
  if (const json *dims = find(args, {"Input Dims", "Input dims"})) {
    hasSizes = true;
    for (const json &each : *dims)
      all.push_back(readSizes(each));
  }
  types = readTexts(find(args, {"Input type", "Input Types"}));
  constants = readTexts(find(args, {"Concrete Inputs"}));
}

std::string Operands::type(size_t tensors) const {
  StringRef common;
  for (size_t number = 0; number < std::min(tensors, all.size()); ++number) {
    if (all[number].empty())
      continue;
    StringRef type = number < types.size() ? StringRef(types[number]) : "";
    if (!common.empty() && common != type)
      return "";
    common = type;
  }
  return ::llvm::StringSwitch<std::string>(common)
      .Case("c10::BFloat16", "bf16")
      .Case("c10::Half", "fp16")
      .Case("float", "fp32")
      .Default("");
}

std::string Operands::constant(size_t number) const {
  return number < constants.size() ? constants[number] : "";
}

//===----------------------------------------------------------------------===//
// Kinds of ops
//===----------------------------------------------------------------------===//

/// The product of sizes, at most 2^40.
static std::optional<int64_t> countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(count, size, &count) || count > (1LL << 40))
      return std::nullopt;
  return count;
}

/// Fill a row, or say why there is none.
using Describe = StringRef (*)(const Operands &operands, MeasuredRow &row);

static StringRef setProduct(ArrayRef<int64_t> lhs, int64_t k, int64_t n,
                            MeasuredRow &row) {
  row.opKind = "gemm";
  row.m = countElements(lhs.drop_back());
  row.n = n;
  row.k = k;
  if (lhs.back() != k || !row.m)
    return "sizes that do not fit together";
  return "";
}

template <size_t lhsNumber>
static StringRef describeProduct(const Operands &operands, MeasuredRow &row) {
  ArrayRef<int64_t> lhs = operands.sizes(lhsNumber),
                    rhs = operands.sizes(lhsNumber + 1);
  if (lhs.empty() || rhs.size() != 2)
    return "a product that is not with one matrix";
  return setProduct(lhs, rhs[0], rhs[1], row);
}

/// The weight is [n, k].
static StringRef describeLinear(const Operands &operands, MeasuredRow &row) {
  ArrayRef<int64_t> lhs = operands.sizes(0), weight = operands.sizes(1);
  if (lhs.empty() || weight.size() != 2)
    return "a product that is not with one matrix";
  return setProduct(lhs, weight[1], weight[0], row);
}

static StringRef describeBatched(const Operands &operands, MeasuredRow &row) {
  ArrayRef<int64_t> lhs = operands.sizes(0), rhs = operands.sizes(1);
  if (lhs.size() != 3 || rhs.size() != 3 || lhs[0] != 1 || rhs[0] != 1)
    return "products in a batch, each with a matrix of its own";
  return setProduct(lhs.drop_front(), rhs[1], rhs[2], row);
}

/// [batch, heads, tokens, head_dim] each.
static StringRef describeAttention(const Operands &operands, MeasuredRow &row) {
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
  std::string causal = operands.constant(5);
  row.causal = causal == "True";
  if (query[2] == 1 && causal == "True" && keys[2] > 1)
    return "causal attention of one token, which sees one key";
  if (query[2] > 1 && causal != "True" && causal != "False")
    return "attention of which the trace does not say whether it is causal";
  // PyTorch's first token sees the first key; that of rows sees all but those
  // of the tokens behind it.
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

static StringRef describeNorm(const Operands &operands, MeasuredRow &row) {
  if (operands.sizes(2).empty())
    return "a norm without weights, or of which the trace does not show them";
  return setPlane("rmsnorm", operands.sizes(0), row);
}

static StringRef describeAdd(const Operands &operands, MeasuredRow &row) {
  if (operands.sizes(0) != operands.sizes(1))
    return "a sum of tensors of different sizes";
  return setPlane("residual_add", operands.sizes(0), row);
}

static StringRef describeGelu(const Operands &operands, MeasuredRow &row) {
  return setPlane("gelu", operands.sizes(0), row);
}

namespace {
struct OpKind {
  Describe describe = nullptr;
  size_t tensors = 0; ///< operands that must be of one type
};
} // namespace

static OpKind kindOf(StringRef name) {
  return ::llvm::StringSwitch<OpKind>(name)
      .Cases({"aten::mm", "aten::matmul"}, {describeProduct<0>, 2})
      .Case("aten::addmm", {describeProduct<1>, 3})
      .Case("aten::linear", {describeLinear, 3})
      .Case("aten::bmm", {describeBatched, 2})
      .Case("aten::scaled_dot_product_attention", {describeAttention, 3})
      .Cases({"aten::rms_norm", "aten::_fused_rms_norm"}, {describeNorm, 1})
      .Case("aten::add", {describeAdd, 2})
      .Case("aten::gelu", {describeGelu, 1})
      .Default({});
}

TorchOp TorchOp::read(StringRef name, StringRef args, Location location) {
  TorchOp op{Kind::Other, MeasuredRow(location), ""};
  OpKind kind = kindOf(name);
  if (!kind.describe)
    return op;
  op.kind = Kind::NoRow;
  Operands operands(json::parse(args.begin(), args.end(), nullptr,
                                /*allow_exceptions=*/false));
  op.row.dtype = operands.type(kind.tensors);
  if (!operands.areThere())
    op.reason = "the trace has no sizes (the profiler's record_shapes=True)";
  else if (StringRef reason = kind.describe(operands, op.row); !reason.empty())
    op.reason = reason;
  else if (op.row.dtype.empty())
    op.reason = "not of one type that rows know: bf16, fp16, fp32";
  else
    op.kind = Kind::Row;
  return op;
}
