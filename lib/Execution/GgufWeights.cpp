//===- GgufWeights.cpp - Weights of a GGUF file ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufWeights.h"
#include "GgmlBlocks.h"
#include "llm/Conversion/LinalgLowering.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Import/Checkpoints.h"
#include "llm/Import/GgmlNames.h"
#include "llm/Import/WeightNames.h"

using namespace mlir;
using namespace mlir::llm;

static constexpr llvm::StringLiteral importAsFloats =
    "; import the program with --weights=f32 (or f16, bf16) and --dtype, and "
    "its weights are converted";

FailureOr<std::unique_ptr<WeightFiles>>
GgufWeights::open(std::shared_ptr<llvm::MemoryBuffer> file, StringRef path,
                  Location loc) {
  FailureOr<GgufHeader> header =
      GgufHeader::parse(file->getBuffer(), path, loc.getContext());
  if (failed(header))
    return failure();
  auto architecture = header->findString("general.architecture");
  if (failed(architecture))
    return failure();
  std::unique_ptr<GgufWeights> weights(
      new GgufWeights(std::move(file), std::move(*header)));
  StringRef named = architecture->value_or("");
  if (llvm::is_contained(knownGgufArchitectures(), named))
    weights->architecture = named;
  return std::unique_ptr<WeightFiles>(std::move(weights));
}

std::optional<bool> GgufWeights::hasInterleavedRows(StringRef) const {
  if (architecture.empty())
    return std::nullopt;
  return storesInterleavedRows(architecture);
}

std::shared_ptr<llvm::MemoryBuffer>
GgufWeights::ownerOf(const GgufTensor &tensor) const {
  std::shared_ptr<llvm::MemoryBuffer> part = header.getFile(tensor);
  return part ? part : file;
}

const GgufTensor *GgufWeights::find(StringRef name) const {
  const GgufTensor *tensor = header.findTensor(name);
  if (tensor || architecture.empty())
    return tensor;
  return header.findTensor(ggmlTensorName(name));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
/// Reads a tensor in blocks of `format`.
class BlockReader {
public:
  BlockReader(const StoredTensor &stored, const GgmlType &type,
              const GgmlFormat &format)
      : stored(stored), type(type), format(format) {}

  HostTensor dequantize(Type element);
  /// Returns the values, and the scales of the layers of `scaled`.
  WeightParts split(ArrayRef<RankedTensorType> parts, BlockScaledType scaled);

private:
  /// Calls `visit` with the number of each block and what it holds.
  void walk(int64_t elements,
            function_ref<void(int64_t, const GgmlBlock &)> visit);

  const StoredTensor &stored;
  const GgmlType &type;
  const GgmlFormat &format;
};
} // namespace

void BlockReader::walk(int64_t elements,
                       function_ref<void(int64_t, const GgmlBlock &)> visit) {
  GgmlBlock block;
  const auto *bytes = reinterpret_cast<const unsigned char *>(stored.data);
  for (int64_t i = 0; i < elements / type.blockElements; ++i) {
    format.read(bytes + i * type.blockBytes, block);
    visit(i, block);
  }
}

HostTensor BlockReader::dequantize(Type element) {
  HostTensor result(element, stored.shape);
  walk(result.getNumElements(), [&](int64_t at, const GgmlBlock &block) {
    for (int64_t i = 0; i < type.blockElements; ++i)
      result.set(at * type.blockElements + i, format.getNumber(block, i));
  });
  return result;
}

WeightParts BlockReader::split(ArrayRef<RankedTensorType> parts,
                               BlockScaledType scaled) {
  WeightParts result;
  for (RankedTensorType part : parts)
    result.emplace_back(part.getElementType(), part.getShape());
  int64_t elements = result.front().getNumElements();
  walk(elements, [&](int64_t at, const GgmlBlock &block) {
    for (int64_t i = 0; i < type.blockElements; ++i)
      result.front().set(at * type.blockElements + i, block.values[i]);
    for (auto [n, scales] : llvm::enumerate(scaled.getScales())) {
      int64_t shared = scales.getBlock().back();
      int64_t count = type.blockElements / shared;
      for (int64_t i = 0; i < count; ++i)
        result[n + 1].set(at * count + i, shared == format.subBlock
                                              ? block.subScales[i]
                                              : block.scale);
    }
  });
  return result;
}

/// Returns the parts of a tensor whose numbers are values times scales.
static FailureOr<WeightParts> splitBlocks(const StoredTensor &stored,
                                          const GgmlType &type,
                                          const GgmlFormat &format,
                                          ArrayRef<RankedTensorType> parts) {
  auto scaled = dyn_cast_or_null<BlockScaledType>(
      getGgmlElementType(type, stored.loc.getContext()));
  SmallVector<Type> own;
  if (scaled)
    own = getPartTypes(RankedTensorType::get(stored.shape, scaled));
  if (ArrayRef<Type>(own) != ArrayRef<Type>(llvm::to_vector_of<Type>(parts)))
    return stored.refuse(parts.front().getElementType())
           << " with other scales" << importAsFloats;
  if (!format.isProduct)
    return stored.refuse(parts.front().getElementType())
           << " with scales; numbers of " << stored.type
           << " are no products of values and scales, but have minimums or a "
              "codebook"
           << importAsFloats;
  return BlockReader(stored, type, format).split(parts, scaled);
}

static FailureOr<WeightParts> readBlocks(const StoredTensor &stored,
                                         const GgmlType &type,
                                         ArrayRef<RankedTensorType> parts) {
  const GgmlFormat *format = findGgmlFormat(type.name);
  if (!format)
    return emitError(stored.loc)
           << "tensor '" << stored.name << "' holds " << stored.type
           << ", which is not converted: its codebook is not known here; "
              "expected a file without this type";
  if (parts.size() > 1)
    return splitBlocks(stored, type, *format, parts);
  Type element = parts.front().getElementType();
  if (!isa<FloatType>(element))
    return stored.refuse(element) << importAsFloats;
  return WeightParts{BlockReader(stored, type, *format).dequantize(element)};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<WeightParts> GgufWeights::read(StringRef name,
                                         ArrayRef<RankedTensorType> parts,
                                         Location loc) const {
  ArrayRef<int64_t> shape = parts.front().getShape();
  const GgufTensor *tensor = find(name);
  if (!tensor) {
    auto stored = header.findString("general.architecture");
    if (succeeded(stored) && isImportedOnly(stored->value_or("")))
      return emitError(header.loc("general.architecture"))
             << "weight '" << name << "' is not read: converters change numbers "
             << "of architecture " << stored->value_or("")
             << ", or their order; take the safetensors of the model";
    std::string own = architecture.empty() ? "" : ggmlTensorName(name);
    return emitError(header.loc())
           << "weight '" << name << "', " << describeShape(shape)
           << ", is missing in the file"
           << (own.empty() ? "" : ", where it were '" + own + "'");
  }
  StringRef base = tensor->name;
  if (base.consume_back(".weight"))
    if (const GgufTensor *scale = header.findTensor((base + ".scale").str()))
      return emitError(header.loc(*scale))
             << "tensor '" << scale->name << "' scales all of '" << tensor->name
             << "', which is not supported";
  const GgmlType &type = *tensor->type;
  StoredTensor stored{tensor->name,
                      tensor->shape,
                      StringRef(type.name.data(), type.name.size()),
                      header.loc(*tensor),
                      header.getData(*tensor).data(),
                      ownerOf(*tensor)};
  if (failed(stored.checkShape(shape)))
    return failure();
  if (type.blockElements > 1)
    return readBlocks(stored, type, parts);
  if (parts.size() > 1)
    return stored.refuse(parts.front().getElementType())
           << " with scales" << importAsFloats;
  FailureOr<HostTensor> plain =
      stored.readPlain(getGgmlElementType(type, loc.getContext()),
                       parts.front().getElementType());
  if (failed(plain))
    return failure();
  return WeightParts{*plain};
}
