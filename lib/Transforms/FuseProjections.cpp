//===- FuseProjections.cpp - One product of the matmuls on one activation -===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/PassOptions.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Support/Units.h"
#include "llm/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMFUSEPROJECTIONSPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A matmul, or a product of experts.
struct Product {
  Operation *op;
  StringRef name;
  Value lhs, rhs, bias, out; ///< the bias may be null
  bool isTransposed;
  /// Which rows are of which expert, if it is one of experts.
  Attribute rows;
  Value experts; ///< of each token; may be null

  static std::optional<Product> get(Operation *op);

  RankedTensorType rhsType() const {
    return cast<RankedTensorType>(rhs.getType());
  }
  RankedTensorType outType() const {
    return cast<RankedTensorType>(out.getType());
  }
  /// The dimension of the right operand that counts columns.
  int64_t columnDim() const {
    return rhsType().getRank() - (isTransposed ? 2 : 1);
  }
  int64_t columns() const { return outType().getDimSize(1); }
};

/// Something that must be equal, and the remark if it is not.
struct Trait {
  Attribute value;
  StringLiteral difference;
};

/// Products that become one, or could. Only the ops are kept, since the values
/// that they read may be replaced by then.
struct Group {
  SmallVector<Operation *> ops;
  SmallVector<Trait> traits;
};
} // namespace

std::optional<Product> Product::get(Operation *op) {
  auto nameOf = [](auto op) { return op.getName().value_or(""); };
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return Product{op,
                   nameOf(matmul),
                   matmul.getLhs(),
                   matmul.getRhs(),
                   matmul.getBias(),
                   matmul.getOut(),
                   matmul.getTransposeRhs(),
                   {},
                   {}};
  auto ofExperts = dyn_cast<GroupedMatmulOp>(op);
  if (!ofExperts)
    return std::nullopt;
  SmallVector<Attribute> rows = {ofExperts.getRowsPerExpertAttr(),
                                 ofExperts.getTopKAttr()};
  if (RoutingAttr routing = ofExperts.getRoutingAttr())
    rows.push_back(routing);
  if (ArrayAttr own = ofExperts.getOwnAttr())
    rows.push_back(own);
  return Product{op,
                 nameOf(ofExperts),
                 ofExperts.getLhs(),
                 ofExperts.getRhs(),
                 ofExperts.getBias(),
                 ofExperts.getOut(),
                 ofExperts.getTransposeRhs(),
                 ArrayAttr::get(op->getContext(), rows),
                 ofExperts.getExperts()};
}

/// Whether chips add up the result, and nothing else reads it. Such products of
/// one activation are chunks of columns: one is computed while another is added
/// up.
static bool isSummedByItself(const Product &product) {
  return product.out.hasOneUse() && isSumOverChips(*product.out.user_begin());
}

/// Returns the op that quantizes the left operand; null if there is none. Ops
/// that do the same to one activation give one value. An op with a scale of its
/// own does not.
static QuantizeOp quantizeOf(const Product &product) {
  auto quantize = product.lhs.getDefiningOp<QuantizeOp>();
  return quantize && !quantize.getScale() ? quantize : QuantizeOp();
}

static Value activationOf(const Product &product) {
  QuantizeOp quantize = quantizeOf(product);
  return quantize ? quantize.getX() : product.lhs;
}

static Attribute elementTypeOf(Value tensor) {
  return TypeAttr::get(
      cast<RankedTensorType>(tensor.getType()).getElementType());
}

static SmallVector<Trait> traitsOf(const Product &product) {
  Builder b(product.op->getContext());
  QuantizeOp quantize = quantizeOf(product);
  auto orNone = [&](Attribute value) {
    return value ? value : b.getUnitAttr();
  };
  bool isOpen =
      llvm::any_of(ArrayRef({product.lhs, product.rhs}), [](Value operand) {
        return !cast<RankedTensorType>(operand.getType()).hasStaticShape();
      });
  return {
      {b.getBoolAttr(bool(product.rows)), "only one of them is of experts"},
      {orNone(product.rows), "their rows are not of the same experts"},
      {elementTypeOf(product.lhs), "their left operands have other types"},
      {b.getBoolAttr(quantize && quantize.getIsStatic()),
       "only one of them has a left operand with scales that are known before"},
      {elementTypeOf(product.rhs), "their weights have other types"},
      {b.getBoolAttr(product.isTransposed),
       "only one of their weights is transposed"},
      {b.getBoolAttr(bool(product.bias)), "only one of them has a bias"},
      {product.bias ? elementTypeOf(product.bias) : b.getUnitAttr(),
       "their biases have other types"},
      {elementTypeOf(product.out), "their results have other types"},
      {b.getBoolAttr(isOpen), "only one of them has open sizes"},
  };
}

//===----------------------------------------------------------------------===//
// What keeps them apart
//===----------------------------------------------------------------------===//

static std::string describe(const Product &product) {
  return ("'" +
          (product.name.empty() ? product.op->getName().getStringRef()
                                : product.name) +
          "'")
      .str();
}

/// Looks for a block that would be cut. Blocks of several columns must end
/// where each weight but the last one ends, so that the joined weight has the
/// same blocks. A block that is the whole dimension becomes one of all columns.
static std::string findCutBlock(ArrayRef<Product> products) {
  const Product &first = products.front();
  auto type = dyn_cast<BlockScaledType>(first.rhsType().getElementType());
  if (!type)
    return "";
  size_t fromLast = first.rhsType().getRank() - first.columnDim();
  for (ScalesAttr scales : type.getScales()) {
    ArrayRef<int64_t> block = scales.getBlock();
    int64_t size = block.size() < fromLast ? 1 : block[block.size() - fromLast];
    if (size == ScalesAttr::wholeDimension)
      continue;
    for (const Product &product : products.drop_back())
      if (product.columns() % size != 0)
        return describe(product) + " has " + std::to_string(product.columns()) +
               " columns, which blocks of " + std::to_string(size) +
               " with one scale do not fill: the next weight would get other "
               "scales";
  }
  return "";
}

/// Returns why products with equal traits cannot be one; empty if they can.
static std::string findObstacle(ArrayRef<Product> products) {
  const Product &first = products.front();
  if (!first.rhsType().hasStaticShape() ||
      !cast<RankedTensorType>(first.lhs.getType()).hasStaticShape())
    return "sizes are open; --llm-bind-shapes gives them numbers";
  std::optional<int64_t> columns = 0;
  for (const Product &product : products)
    columns = columns ? checkedAdd(*columns, product.columns()) : std::nullopt;
  if (columns) {
    SmallVector<int64_t> shape(first.rhsType().getShape());
    shape[first.columnDim()] = *columns;
    if (failed(storageBytes(first.rhsType().getElementType(), shape)))
      columns = std::nullopt;
  }
  if (!columns)
    return "together they would have more columns than can be counted";
  return findCutBlock(products);
}

/// Returns why products of one activation stay apart: the first trait in which
/// two groups differ.
static StringRef findDifference(const Group &a, const Group &b) {
  for (auto [one, other] : llvm::zip_equal(a.traits, b.traits))
    if (one.value != other.value)
      return one.difference;
  return "they are in other blocks";
}

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

/// Joins names: "mlp.gate_proj" and "mlp.up_proj" become
/// "mlp.gate_proj+up_proj".
static StringAttr joinNames(ArrayRef<Product> products) {
  StringRef first = products.front().name;
  std::string joined = first.str();
  StringRef prefix = first.substr(0, first.rfind('.') + 1);
  for (const Product &product : products.drop_front()) {
    StringRef name = product.name;
    if (name.empty() || first.empty())
      return {};
    name.consume_front(prefix);
    joined += ("+" + name).str();
  }
  return first.empty()
             ? StringAttr()
             : StringAttr::get(products.front().op->getContext(), joined);
}

/// Returns the columns [begin, begin + size) of a matrix, where `like` has the
/// size.
static Value sliceColumns(RewriterBase &rewriter, Location loc, Value matrix,
                          int64_t begin, RankedTensorType like) {
  SmallVector<OpFoldResult> offsets = {rewriter.getIndexAttr(0),
                                       rewriter.getIndexAttr(begin)};
  SmallVector<OpFoldResult> sizes = {rewriter.getIndexAttr(like.getDimSize(0)),
                                     rewriter.getIndexAttr(like.getDimSize(1))};
  SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, like, matrix, offsets,
                                        sizes, strides);
}

/// Makes an op like `first` with all columns.
static Operation *createJoined(RewriterBase &rewriter, Location loc,
                               StringAttr name, ArrayRef<Product> products,
                               Value weights, Value bias) {
  const Product &first = products.front();
  if (auto matmul = dyn_cast<MatmulOp>(first.op))
    return MatmulOp::create(rewriter, loc, name, first.lhs, weights, bias,
                            first.isTransposed, matmul.getOutTypeAttr());
  auto ofExperts = cast<GroupedMatmulOp>(first.op);
  // If products differ in `experts`, the counts of rows tell which experts are
  // read.
  bool isSame = llvm::all_of(products, [&](const Product &product) {
    return product.experts == first.experts;
  });
  return GroupedMatmulOp::create(
      rewriter, loc, name, first.lhs, weights, bias,
      isSame ? first.experts : Value(), first.isTransposed,
      ofExperts.getRowsPerExpert(), ofExperts.getRoutingAttr(),
      ofExperts.getTopK(), ofExperts.getOutTypeAttr(), ofExperts.getOwnAttr());
}

static void replace(RewriterBase &rewriter, const Product &product,
                    Value joined, int64_t column) {
  QuantizeOp quantize = quantizeOf(product);
  Value out = sliceColumns(rewriter, product.op->getLoc(), joined, column,
                           product.outType());
  rewriter.replaceOp(product.op, out);
  // The joined op reads the value that was quantized for the first product.
  if (quantize && quantize->use_empty())
    rewriter.eraseOp(quantize);
}

/// Joins products. Fails if not all operands can stand in front of the first
/// one.
static FailureOr<Operation *> join(ArrayRef<Product> products,
                                   DominanceInfo &dominance) {
  const Product &first = products.front();
  IRRewriter rewriter(first.op);
  SmallVector<Value> rhs, biases;
  SmallVector<Location> locs;
  for (const Product &product : products) {
    rhs.push_back(product.rhs);
    if (product.bias)
      biases.push_back(product.bias);
    locs.push_back(product.op->getLoc());
  }
  // All operands move at once, so that a failure leaves nothing behind.
  SmallVector<Value> moved = llvm::to_vector(llvm::concat<Value>(rhs, biases));
  if (failed(moveValueDefinitions(rewriter, ValueRange(moved), first.op,
                                  dominance)))
    return failure();
  rewriter.setInsertionPoint(first.op);
  auto concat = [&](int64_t dim, ArrayRef<Value> values) -> Value {
    return tensor::ConcatOp::create(rewriter, first.op->getLoc(), dim, values);
  };
  Value weights = concat(first.columnDim(), rhs), bias;
  if (first.bias)
    bias = concat(cast<RankedTensorType>(first.bias.getType()).getRank() - 1,
                  biases);
  Operation *joined =
      createJoined(rewriter, rewriter.getFusedLoc(locs), joinNames(products),
                   products, weights, bias);
  int64_t column = 0;
  for (const Product &product : products) {
    int64_t columns = product.columns();
    replace(rewriter, product, joined->getResult(0), column);
    column += columns;
  }
  return joined;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static remark::RemarkOpts remarkOptions() {
  return remark::RemarkOpts::name("fuse").category("llm-fuse-projections");
}

static void joinOrSay(ArrayRef<Operation *> ops, DominanceInfo &dominance) {
  SmallVector<Product> products =
      llvm::map_to_vector(ops, [](Operation *op) { return *Product::get(op); });
  Location loc = products.front().op->getLoc();
  std::string first = describe(products.front());
  auto miss = [&](StringRef reason) {
    RemarkLock oneAtATime;
    remark::missed(loc, remarkOptions())
        << remark::reason("{0} and {1} more on its activation stay apart: {2}",
                          first, products.size() - 1, reason);
  };
  if (std::string obstacle = findObstacle(products); !obstacle.empty())
    return miss(obstacle);
  FailureOr<Operation *> joined = join(products, dominance);
  if (failed(joined))
    return miss("a right operand or a bias is computed after the first");
  RemarkLock oneAtATime;
  remark::passed((*joined)->getLoc(), remarkOptions())
      << remark::reason("{0} matmuls on one activation are now {1}",
                        products.size(), describe(*Product::get(*joined)));
}

namespace {
struct LlmFuseProjectionsPass
    : PassWithOptions<
          llm::impl::LlmFuseProjectionsPassBase<LlmFuseProjectionsPass>> {
  using Key = std::tuple<Value, Block *, Attribute>;

  void runOnOperation() override {
    llvm::MapVector<Key, Group> groups;
    getOperation().walk([&](Operation *op) {
      std::optional<Product> product = Product::get(op);
      if (product && !isSummedByItself(*product))
        add(*product, groups);
    });
    sayWhatDiffers(groups.getArrayRef());
    auto &dominance = getAnalysis<DominanceInfo>();
    for (auto &[key, group] : groups)
      if (group.ops.size() > 1)
        joinOrSay(group.ops, dominance);
  }

  void add(const Product &product, llvm::MapVector<Key, Group> &groups) {
    SmallVector<Trait> traits = traitsOf(product);
    SmallVector<Attribute> values = llvm::map_to_vector(
        traits, [](const Trait &trait) { return trait.value; });
    Group &group = groups[{activationOf(product), product.op->getBlock(),
                           ArrayAttr::get(&getContext(), values)}];
    group.ops.push_back(product.op);
    group.traits = std::move(traits);
  }

  /// Remarks at each group why it is not joined with the first group on the
  /// same activation.
  void sayWhatDiffers(ArrayRef<std::pair<Key, Group>> groups) {
    DenseMap<Value, const Group *> firstOn;
    for (const auto &[key, group] : groups) {
      auto [first, isNew] = firstOn.try_emplace(std::get<Value>(key), &group);
      if (isNew)
        continue;
      Operation *op = group.ops.front();
      RemarkLock oneAtATime;
      remark::missed(op->getLoc(), remarkOptions()) << remark::reason(
          "{0} stays apart from {1}: {2}", describe(*Product::get(op)),
          describe(*Product::get(first->second->ops.front())),
          findDifference(*first->second, group));
    }
  }
};
} // namespace
