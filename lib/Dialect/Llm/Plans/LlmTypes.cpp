//===- LlmTypes.cpp - Types of the llm dialect ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

/// Parses a keyword, which is only there if the flag is set.
static OptionalParseResult parseLatents(AsmParser &parser, bool &isLatent) {
  if (failed(parser.parseOptionalKeyword("latents")))
    return std::nullopt;
  isLatent = true;
  return success();
}

static void printLatents(AsmPrinter &printer, bool) { printer << "latents"; }

/// Parses 32x128xf32.
static ParseResult parseStateShape(AsmParser &parser,
                                   SmallVectorImpl<int64_t> &shape,
                                   Type &elementType) {
  return failure(failed(parser.parseDimensionList(shape)) ||
                 failed(parser.parseType(elementType)));
}

static void printStateShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                            Type elementType) {
  printer.printDimensionList(shape);
  printer << 'x' << elementType;
}

/// Parses [32], i6, [256], f16: blocks, each with the type of its scale.
static ParseResult parseScales(AsmParser &parser,
                               SmallVectorImpl<ScalesAttr> &scales) {
  do {
    SmallVector<int64_t> block;
    Type type;
    SMLoc loc = parser.getCurrentLocation();
    if (parseBlock(parser, block) || parser.parseComma() ||
        parser.parseType(type))
      return failure();
    scales.push_back(ScalesAttr::getChecked(
        [&] { return parser.emitError(loc); }, parser.getContext(),
        ArrayRef<int64_t>(block), type));
    if (!scales.back())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

static void printScales(AsmPrinter &printer, ArrayRef<ScalesAttr> scales) {
  llvm::interleaveComma(scales, printer.getStream(), [&](ScalesAttr each) {
    printBlock(printer, each.getBlock());
    printer << ", " << each.getType();
  });
}

#define GET_TYPEDEF_CLASSES
#include "llm/Dialect/Llm/IR/LlmTypes.cpp.inc"

void LlmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "llm/Dialect/Llm/IR/LlmTypes.cpp.inc"
      >();
}

void PlansDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "llm/Dialect/Llm/IR/LlmTypes.cpp.inc"
      >();
}

Type PlansDialect::parseType(DialectAsmParser &parser) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Type type;
  if (generatedTypeParser(parser, &mnemonic, type).has_value())
    return type;
  parser.emitError(loc) << "unknown type '" << mnemonic << "' in dialect '"
                        << getNamespace() << "'";
  return {};
}

void PlansDialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer);
}

LogicalResult KvCacheType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t batch, int64_t kvHeads,
                                  int64_t headDim, int64_t capacity,
                                  Type elementType, int64_t pageSize, bool) {
  for (auto [name, value] : {std::pair<StringRef, int64_t>{"batch", batch},
                             {"kv_heads", kvHeads},
                             {"head_dim", headDim},
                             {"capacity", capacity}}) {
    bool mayBeOpen = name == "batch" || name == "capacity";
    if (mayBeOpen && ShapedType::isDynamic(value))
      continue;
    if (value < 1 || value > maxCount) // kv_cache-C1
      return emitError() << "'" << name << "' must be in [1, 2^61), got "
                         << value;
  }
  bool hasCapacity = !ShapedType::isDynamic(capacity);
  if (pageSize < 0 || (hasCapacity && pageSize > capacity)) // kv_cache-C2
    return emitError() << "'page_size' must be in [0, capacity " << capacity
                       << "], got " << pageSize;
  // kv_cache-C3
  bool isScalar = elementType.isSignlessIntOrFloat() ||
                  (isa<StorageBytesTypeInterface>(elementType) &&
                   !isa<KvCacheType, StateType>(elementType));
  if (!isScalar)
    return emitError()
           << "element type must be a float or signless integer type, got "
           << elementType;
  return success();
}

/// Returns the bytes of keys and values, or latents, of the whole capacity.
Count KvCacheType::getStorageBytes(ArrayRef<int64_t> shape) const {
  if (!hasStaticShape())
    return failure();
  SmallVector<int64_t> dims(shape);
  llvm::append_values(dims, getVectors(), getBatch(), getCapacity(),
                      getKvHeads(), getHeadDim());
  return storageBytes(getElementType(), dims);
}

//===----------------------------------------------------------------------===//
// state
//===----------------------------------------------------------------------===//

LogicalResult StateType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t batch, ArrayRef<int64_t> shape,
                                Type elementType) {
  if (!ShapedType::isDynamic(batch) &&
      (batch < 1 || batch > maxCount)) // state-C1
    return emitError() << "'batch' must be in [1, 2^61), got " << batch;
  if (shape.empty()) // state-C2
    return emitError() << "needs the shape of a state, as in 32x128xf32";
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size) &&
        (size < 1 || size > maxCount)) // state-C2
      return emitError() << "sizes must be in [1, 2^61), got " << size;
  if (!isa<FloatType>(elementType)) // state-C3
    return emitError() << "element type must be a float type, got "
                       << elementType;
  return success();
}

RankedTensorType StateType::asTensor() const {
  SmallVector<int64_t> shape = {getBatch()};
  llvm::append_range(shape, getShape());
  return RankedTensorType::get(shape, getElementType());
}

StateType StateType::ofTensor(RankedTensorType tensor) {
  return get(tensor.getContext(), tensor.getDimSize(0),
             tensor.getShape().drop_front(), tensor.getElementType());
}

Count StateType::getStorageBytes(ArrayRef<int64_t> shape) const {
  if (!hasStaticShape())
    return failure();
  SmallVector<int64_t> dims(shape);
  llvm::append_range(dims, asTensor().getShape());
  return storageBytes(getElementType(), dims);
}

//===----------------------------------------------------------------------===//
// block_scaled
//===----------------------------------------------------------------------===//

LogicalResult
BlockScaledType::verify(function_ref<InFlightDiagnostic()> emitError,
                        Type valueType, ArrayRef<ScalesAttr> scales) {
  if (!valueType.isSignlessIntOrFloat() ||
      valueType.getIntOrFloatBitWidth() == 0) // block_scaled-C3
    return emitError() << "values are of a float or signless integer type, got "
                       << valueType;
  if (scales.empty()) // block_scaled-C4
    return emitError() << "needs at least one block and the type of its scale";
  return success();
}

/// Counts the blocks of a tensor of `shape`, whose last dimensions are cut into
/// them.
static Count countBlocks(ArrayRef<int64_t> block, ArrayRef<int64_t> shape) {
  Count blocks = int64_t(1);
  size_t cut = std::min(block.size(), shape.size());
  for (int64_t size : shape.drop_back(cut))
    blocks = times(blocks, size);
  for (auto [dim, size] :
       llvm::zip_equal(shape.take_back(cut), block.take_back(cut)))
    if (size != ScalesAttr::wholeDimension)
      blocks = times(blocks, llvm::divideCeil(dim, size));
  return blocks;
}

static Count addBits(Count bits, Count count, Type type) {
  return plus(bits, times(count, type.getIntOrFloatBitWidth()));
}

Count BlockScaledType::getStorageBytes(ArrayRef<int64_t> shape) const {
  Count values = int64_t(1);
  for (int64_t size : shape)
    values = times(values, size);
  Count bits = addBits(int64_t(0), values, getValueType());
  for (ScalesAttr each : getScales())
    bits = addBits(bits, countBlocks(each.getBlock(), shape), each.getType());
  return succeeded(bits) ? Count(llvm::divideCeil(*bits, 8)) : bits;
}

int64_t BlockScaledType::getGranule(int64_t dimFromLast) const {
  int64_t granule = 1;
  bool isWhole = false;
  for (ScalesAttr each : getScales()) {
    ArrayRef<int64_t> block = each.getBlock();
    if (dimFromLast >= int64_t(block.size()))
      continue;
    int64_t size = block[block.size() - 1 - dimFromLast];
    if (size == ScalesAttr::wholeDimension)
      isWhole = true;
    else
      granule = std::lcm(granule, size);
  }
  return granule == 1 && isWhole ? 0 : granule;
}
