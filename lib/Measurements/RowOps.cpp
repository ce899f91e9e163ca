//===- RowOps.cpp - The op that a measured row is of ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/RowOps.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Dialect/Llm/Plans/Formats.h"
#include "llm/Measurements/RowPrograms.h"
#include "llm/Program/Program.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::llm;

RowOps::RowOps(MLIRContext *context)
    : context(context), module(ModuleOp::create(UnknownLoc::get(context))) {
  DialectRegistry registry;
  registerExternalModels(registry); // views of tensors take no time
  context->appendDialectRegistry(registry);
  context->loadDialect<LlmDialect, func::FuncDialect, tensor::TensorDialect,
                       linalg::LinalgDialect>();
}

Value RowOps::value(Type elementType, ArrayRef<int64_t> shape) {
  // The module is never verified, and only holds the values that the ops use.
  return module->getBody()->addArgument(
      RankedTensorType::get(shape, elementType), UnknownLoc::get(context));
}

//===----------------------------------------------------------------------===//
// Reading sizes
//===----------------------------------------------------------------------===//

namespace {
/// Reads the sizes that a kind of op needs, and remembers whether all were
/// given.
class Sizes {
public:
  Sizes(const MeasuredRow &row, Reasons reasons) : row(row), reasons(reasons) {}

  int64_t get(StringRef name, std::optional<int64_t> size) {
    constexpr int64_t most = int64_t(1) << 40;
    if (size && *size >= 1 && *size <= most)
      return *size;
    if (sound) {
      Refusal refusal = reasons.refuse(row.location)
                        << "'" << row.opKind << "' needs '" << name
                        << "', a whole number of at least 1 and at most "
                        << most;
      if (size)
        refusal << ", got " << *size;
    }
    sound = false;
    return 1;
  }
  bool areSound() const { return sound; }

private:
  const MeasuredRow &row;
  Reasons reasons;
  bool sound = true;
};
} // namespace

static Type elementTypeOf(StringRef dtype, MLIRContext *context) {
  Builder builder(context);
  return llvm::StringSwitch<Type>(dtype)
      .Cases({"", "bf16", "bfloat16"}, builder.getBF16Type())
      .Cases({"fp16", "f16", "float16", "half"}, builder.getF16Type())
      .Cases({"fp32", "f32", "float32", "float"}, builder.getF32Type())
      .Cases({"fp8", "fp8_e4m3"}, Float8E4M3FNType::get(context))
      .Cases({"int8", "i8"}, builder.getIntegerType(8))
      .Default(Type());
}

/// Products whose time holds the kernel that brings 16-bit activations into the
/// format of the product. `format` is that of the kind; empty: `dtype` says it.
struct QuantizingKind {
  StringRef opKind, format;
};
static constexpr QuantizingKind quantizingKinds[] = {
    {"gemm_dynquant", ""},
    {"gemm_fp8_dynquant", "fp8_channel"},
    {"gemm_fp8_block128_dynquant", "fp8_block"},
    {"gemm_nvfp4_dynquant", "nvfp4"},
};

static const QuantizingKind *findQuantizingKind(StringRef opKind) {
  const auto *found =
      llvm::find_if(quantizingKinds, [&](const QuantizingKind &kind) {
        return kind.opKind == opKind;
      });
  return found == std::end(quantizingKinds) ? nullptr : found;
}

/// Returns the name of a block-scaled format (`findFormat`) by the name that
/// measurements give it.
static StringRef formatOf(StringRef dtype) {
  return llvm::StringSwitch<StringRef>(dtype)
      .Cases({"fp8", "fp8_e4m3"}, "fp8_channel")
      .Case("fp8_block128", "fp8_block")
      .Default(dtype);
}

namespace {
/// The element types of the two operands of a product.
struct ProductTypes {
  Type activations, weights;
};
} // namespace

static FailureOr<ProductTypes>
productTypesOf(const MeasuredRow &row, MLIRContext *context, Reasons reasons) {
  const QuantizingKind *kind = findQuantizingKind(row.opKind);
  if (!kind)
    if (Type plain = elementTypeOf(row.dtype, context))
      return ProductTypes{plain, plain};
  StringRef format =
      kind && row.dtype.empty() ? kind->format : formatOf(row.dtype);
  if (kind && !kind->format.empty() && format != kind->format)
    return reasons.refuse(row.location)
           << "'" << row.opKind << "' is of the format " << kind->format
           << ", but 'dtype' is '" << row.dtype
           << "'; leave it out, or name the kind gemm_dynquant";
  ProductTypes types{findFormat(format, Stored::Activation, context),
                     findFormat(format, Stored::Weight, context)};
  if (isa_and_present<BlockScaledType>(types.activations))
    return types;
  return reasons.refuse(row.location)
         << "'dtype' of a product must be "
         << (kind ? "" : "bf16, fp16, fp32, fp8, int8, ")
         << "fp8_channel, fp8_block, mxfp8, mxfp4 or nvfp4, got '" << row.dtype
         << "'";
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// What is passed to the builder of one kind of op.
struct RowContext {
  const MeasuredRow &row;
  Reasons reasons;
  Sizes sizes;
  OpBuilder builder;
  Type type; ///< null of a product
  function_ref<Value(Type, ArrayRef<int64_t>)> valueOf;

  Value value(ArrayRef<int64_t> shape) const { return valueOf(type, shape); }
};
using BuildOp = Operation *(*)(RowContext &);
} // namespace

/// Makes an op whose result types follow from its operands. Returns null, with
/// an error at the row, if they do not fit. (`Op::create` ends the program
/// then.)
template <typename Op, typename... Args>
static Operation *create(RowContext &c, Args &&...args) {
  MLIRContext *context = c.builder.getContext();
  Location location = c.row.location;
  OperationState state(location, Op::getOperationName());
  Op::build(c.builder, state, Type(NoneType::get(context)),
            std::forward<Args>(args)...);
  state.types.clear();
  if (failed(Op::inferReturnTypes(context, location, state.operands,
                                  state.attributes.getDictionary(context),
                                  state.getRawProperties(), state.regions,
                                  state.types)))
    return nullptr;
  Operation *op = c.builder.create(state);
  if (succeeded(verify(op)))
    return op;
  op->erase();
  return nullptr;
}

static Operation *buildGemm(RowContext &c) {
  int64_t m = c.sizes.get("m", c.row.m), n = c.sizes.get("n", c.row.n),
          k = c.sizes.get("k", c.row.k);
  if (!c.sizes.areSound())
    return nullptr;
  FailureOr<ProductTypes> types =
      productTypesOf(c.row, c.builder.getContext(), c.reasons);
  if (failed(types))
    return nullptr;
  // Narrower operands give a 16-bit result, as in the libraries.
  bool isNarrow = isa<BlockScaledType>(types->activations) ||
                  types->activations.getIntOrFloatBitWidth() < 16;
  TypeAttr to = isNarrow ? TypeAttr::get(c.builder.getBF16Type()) : TypeAttr();
  return create<MatmulOp>(
      c, StringAttr(), c.valueOf(types->activations, {m, k}),
      c.valueOf(types->weights, {n, k}), Value(), c.builder.getUnitAttr(), to);
}

/// Builds what brings the left operand of a product into its type.
static Operation *buildQuantize(RowContext &c, MatmulOp product) {
  auto lhs = cast<RankedTensorType>(product.getLhs().getType());
  return create<QuantizeOp>(
      c, StringAttr(), c.valueOf(c.builder.getBF16Type(), lhs.getShape()),
      /*scale=*/Value(), UnitAttr(), TypeAttr::get(lhs.getElementType()));
}

/// Returns the type of the cache; null, with an error at the row, if there is
/// none of that name.
static Type cacheTypeOf(RowContext &c) {
  StringRef dtype = c.row.kvDtype.empty() ? c.row.dtype : c.row.kvDtype;
  Type type = elementTypeOf(dtype, c.builder.getContext());
  if (!type)
    c.reasons.refuse(c.row.location)
        << "'kv_dtype' must be bf16, fp16, fp32, fp8 or int8, got '" << dtype
        << "'";
  return type;
}

/// Says why the row is not of one attention with its cache.
static LogicalResult checkAttention(RowContext &c, bool isCausal) {
  const MeasuredRow &row = c.row;
  auto refuse = [&] { return c.reasons.refuse(row.location); };
  if (*row.heads % *row.kvHeads != 0)
    return refuse() << "'heads' must be a multiple of 'kv_heads'";
  if (*row.qLen > *row.kvLen && (isCausal || row.writesCache()))
    return refuse() << "'kv_len' must be at least 'q_len': it counts the new "
                       "tokens, too";
  if (row.window.value_or(0) > 0 && !isCausal)
    return refuse() << "a 'window' is of a causal mask";
  if ((row.valueDim.value_or(*row.headDim) + *row.headDim) % 2 != 0 &&
      row.writesCache())
    return refuse() << "'v_head_dim' and 'head_dim' must be even together";
  return success();
}

static MaskAttr maskOf(RowContext &c, bool isCausal) {
  return MaskAttr::get(c.builder.getContext(),
                       isCausal ? MaskKind::Causal : MaskKind::Full,
                       std::max<int64_t>(c.row.window.value_or(0), 0),
                       /*chunk=*/0, /*firstKeys=*/{}, /*lengths=*/{},
                       /*stride=*/1);
}

static Operation *buildAttention(RowContext &c) {
  const MeasuredRow &row = c.row;
  int64_t batch = c.sizes.get("batch", row.batch),
          heads = c.sizes.get("heads", row.heads),
          kvHeads = c.sizes.get("kv_heads", row.kvHeads),
          headDim = c.sizes.get("head_dim", row.headDim),
          queries = c.sizes.get("q_len", row.qLen),
          keys = c.sizes.get("kv_len", row.kvLen);
  if (!c.sizes.areSound())
    return nullptr;
  bool isCausal = row.causal.value_or(1) != 0;
  Type cached = cacheTypeOf(c);
  if (!cached || failed(checkAttention(c, isCausal)))
    return nullptr;
  int64_t valueDim = row.valueDim.value_or(headDim);
  return create<GqaAttnOp>(
      c, StringAttr(), c.value({batch, queries, heads, headDim}),
      c.valueOf(cached, {batch, keys, kvHeads, headDim}),
      c.valueOf(cached, {batch, keys, kvHeads, valueDim}), /*sinks=*/Value(),
      /*selected=*/Value(), maskOf(c, isCausal),
      c.builder.getF64FloatAttr(1.0), /*softCap=*/FloatAttr(),
      /*block=*/IntegerAttr());
}

/// Builds the write behind an attention, which has checked the sizes.
static Operation *buildCacheWrite(RowContext &c) {
  const MeasuredRow &row = c.row;
  constexpr int64_t noPages = 0;
  // Where values are shorter than keys, both are as long as their mean: as many
  // elements are written.
  int64_t headDim = (*row.headDim + row.valueDim.value_or(*row.headDim)) / 2;
  auto type = KvCacheType::get(c.builder.getContext(), *row.batch, *row.kvHeads,
                               headDim, *row.kvLen, cacheTypeOf(c), noPages,
                               /*isLatent=*/false);
  Value cache = KvCacheOp::create(c.builder, row.location, type,
                                  c.builder.getStringAttr("cache"),
                                  ValueRange(), ValueRange());
  SmallVector<int64_t> shape = {*row.batch, *row.qLen, *row.kvHeads, headDim};
  Value keys = c.value(shape), values = c.value(shape);
  return create<KvWriteOp>(
      c, StringAttr(), cache, keys, values, ValueRange(),
      c.builder.getDenseI64ArrayAttr({*row.kvLen - *row.qLen}),
      /*own=*/ArrayAttr());
}

namespace {
/// Rows and columns of a norm or elementwise op.
struct Plane {
  int64_t rows, cols;
};
} // namespace

/// Builds an op of rows and columns once both are known to be there.
template <Operation *(*build)(RowContext &, Plane)>
static Operation *buildOnPlane(RowContext &c) {
  Plane plane{c.sizes.get("rows", c.row.rows), c.sizes.get("cols", c.row.cols)};
  return c.sizes.areSound() ? build(c, plane) : nullptr;
}

static Operation *buildRmsNorm(RowContext &c, Plane plane) {
  return create<RmsNormOp>(c, StringAttr(), c.value({plane.rows, plane.cols}),
                           c.value({plane.cols}),
                           c.builder.getF64FloatAttr(1e-5), UnitAttr());
}

static Operation *buildRope(RowContext &c) {
  int64_t rows = c.sizes.get("rows", c.row.rows),
          heads = c.sizes.get("heads", c.row.heads),
          kvHeads = c.sizes.get("kv_heads", c.row.kvHeads),
          headDim = c.sizes.get("head_dim", c.row.headDim);
  if (!c.sizes.areSound())
    return nullptr;
  if (headDim % 2 != 0) {
    c.reasons.refuse(c.row.location)
        << "'head_dim' must be even, as pairs are rotated, got " << headDim;
    return nullptr;
  }
  return create<RopeOp>(
      c, StringAttr(), c.value({1, rows, heads + kvHeads, headDim}),
      ValueRange(), c.builder.getDenseI64ArrayAttr({0}),
      c.builder.getF64FloatAttr(1e4), RopeScalingAttr(), UnitAttr(),
      /*stride=*/IntegerAttr(), /*inverse=*/UnitAttr());
}

static Operation *buildSwiGlu(RowContext &c, Plane plane) {
  return create<SwiGluOp>(c, StringAttr(), c.value({plane.rows, plane.cols}),
                          c.value({plane.rows, plane.cols}),
                          /*limit=*/FloatAttr(), /*clamp=*/FloatAttr(),
                          /*gateCap=*/FloatAttr(), /*upCap=*/FloatAttr());
}

static Operation *buildAdd(RowContext &c, Plane plane) {
  return create<AddOp>(c, StringAttr(), c.value({plane.rows, plane.cols}),
                       c.value({plane.rows, plane.cols}));
}

static Operation *buildGelu(RowContext &c, Plane plane) {
  return create<ActivationOp>(c, StringAttr(), ActivationKind::Gelu,
                              c.value({plane.rows, plane.cols}),
                              /*bias=*/Value());
}

static Operation *buildSoftmax(RowContext &c, Plane plane) {
  return create<SoftmaxOp>(
      c, StringAttr(), c.value({1, 1, plane.rows, plane.cols}), Value(),
      MaskAttr::get(c.builder.getContext(), MaskKind::Full), FloatAttr());
}

static constexpr std::pair<llvm::StringLiteral, BuildOp> builders[] = {
    {"gemm", buildGemm},
    {"gemm_dynquant", buildGemm},
    {"gemm_fp8_dynquant", buildGemm},
    {"gemm_fp8_block128_dynquant", buildGemm},
    {"gemm_nvfp4_dynquant", buildGemm},
    {"attention_prefill", buildAttention},
    {"attention_decode", buildAttention},
    {"rmsnorm", buildOnPlane<buildRmsNorm>},
    {"rope", buildRope},
    {"silu_mul", buildOnPlane<buildSwiGlu>},
    {"residual_add", buildOnPlane<buildAdd>},
    {"gelu", buildOnPlane<buildGelu>},
    {"softmax", buildOnPlane<buildSoftmax>},
};

bool RowOps::isOneOp(StringRef kind) {
  return llvm::any_of(
      builders, [&](const auto &builder) { return builder.first == kind; });
}

std::vector<StringRef> RowOps::kinds() {
  std::vector<StringRef> kinds;
  for (const auto &[kind, build] : builders)
    kinds.push_back(kind);
  for (const RowProgram &program : builtInRowPrograms())
    if (!program.isBeside && !llvm::is_contained(kinds, program.kind))
      kinds.push_back(program.kind);
  return kinds;
}

FailureOr<SmallVector<WorkloadOpInterface, 2>>
RowOps::buildProgram(const MeasuredRow &row, Reasons reasons) {
  FailureOr<const RowProgram *> found = findRowProgram(row, reasons);
  if (failed(found))
    return failure();
  if (!*found)
    return SmallVector<WorkloadOpInterface, 2>();
  return parseProgram(**found, row, reasons);
}

FailureOr<SmallVector<WorkloadOpInterface, 2>>
RowOps::parseProgram(const RowProgram &program, const MeasuredRow &row,
                     Reasons reasons) {
  SmallVector<WorkloadOpInterface, 2> ops;
  FailureOr<std::string> text =
      expandRowProgram(program, row, context, reasons);
  if (failed(text))
    return failure();
  // Lines of messages are those of the file of programs.
  std::string placed = std::string(program.line - 1, '\n') + *text;
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
      placed, ParserConfig(context), program.file);
  auto functions = parsed ? llvm::to_vector(parsed->getOps<func::FuncOp>())
                          : SmallVector<func::FuncOp>();
  if (functions.size() != 1)
    return reasons.refuse(row.location)
           << "the program of '" << row.opKind << "' in " << program.file
           << " is not valid with these sizes; it must be one function";
  FailureOr<Program> analyzed = Program::analyze(functions.front());
  if (failed(analyzed))
    return reasons.refuse(row.location)
           << "the program of '" << row.opKind << "' in " << program.file
           << " has ops that nothing is known of";
  for (const ProgramOp &entry : analyzed->ops())
    ops.push_back(entry.op);
  programs.push_back(std::move(parsed));
  return ops;
}

FailureOr<SmallVector<WorkloadOpInterface, 2>>
RowOps::addProgramsBeside(const MeasuredRow &row,
                          SmallVector<WorkloadOpInterface, 2> ops,
                          Reasons reasons) {
  for (const RowProgram *beside : findProgramsBeside(row)) {
    FailureOr<SmallVector<WorkloadOpInterface, 2>> more =
        parseProgram(*beside, row, reasons);
    if (failed(more))
      return failure();
    llvm::append_range(ops, *more);
  }
  return ops;
}

FailureOr<SmallVector<WorkloadOpInterface, 2>>
RowOps::build(const MeasuredRow &row, Reasons reasons) {
  SmallVector<WorkloadOpInterface, 2> ops;
  for (const auto &[kind, build] : builders) {
    if (row.opKind != kind)
      continue;
    Type type = elementTypeOf(row.dtype, context);
    if (!type && build != buildGemm)
      return reasons.refuse(row.location)
             << "'dtype' must be bf16, fp16, fp32, fp8 or int8, got '"
             << row.dtype << "'";
    auto makeValue = [&](Type type, ArrayRef<int64_t> shape) {
      return value(type, shape);
    };
    RowContext rowContext{row,
                          reasons,
                          Sizes(row, reasons),
                          OpBuilder::atBlockEnd(module->getBody()),
                          type,
                          makeValue};
    Operation *op = build(rowContext);
    if (!op)
      return failure();
    ops.push_back(cast<WorkloadOpInterface>(op));
    // The product or attention comes first: it decides what the row is of.
    Operation *beside = op;
    if (isa<GqaAttnOp>(op) && row.writesCache())
      beside = buildCacheWrite(rowContext);
    else if (findQuantizingKind(row.opKind))
      beside = buildQuantize(rowContext, cast<MatmulOp>(op));
    if (!beside)
      return failure();
    if (beside != op)
      ops.push_back(cast<WorkloadOpInterface>(beside));
    return addProgramsBeside(row, std::move(ops), reasons);
  }
  return buildProgram(row, reasons);
}
