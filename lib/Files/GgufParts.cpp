//===- GgufParts.cpp - A model in several GGUF files ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llama.cpp's gguf-split writes split.count files, named by their number. The
// first one has the metadata of the model; each has split.no, which counts from
// 0, and some of the tensors.
//
//===----------------------------------------------------------------------===//

#include "GgufReader.h"
#include "llm/Files/GgufHeader.h"
#include "llm/Files/InputFile.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::llm {

static constexpr StringRef numberKey = "split.no", countKey = "split.count",
                           tensorsKey = "split.tensors.count";

/// Returns the suffix "-00001-of-00003.gguf".
static std::string suffixOf(int64_t part, int64_t count) {
  return llvm::formatv("-{0,0+5}-of-{1,0+5}.gguf", part + 1, count).str();
}

/// The number of a file among its parts. A file that does not tell it is the
/// only one.
struct GgufHeader::Place {
  int64_t number = 0, count = 1;
};

FailureOr<GgufHeader::Place> GgufHeader::findPlace() const {
  auto number = findWholeNumber(numberKey), count = findWholeNumber(countKey);
  if (failed(number) || failed(count))
    return failure();
  Place place{number->value_or(0), std::max<int64_t>(count->value_or(1), 1)};
  if (place.number < 0 || place.number >= place.count)
    return mlir::emitError(loc(numberKey))
           << "'" << numberKey << "' must be in [0, " << place.count
           << "), as there are " << place.count << " parts; got "
           << place.number;
  return place;
}

LogicalResult GgufHeader::addPart(StringRef path, Place expected) {
  MLIRContext *context = fileName.getContext();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return mlir::emitError(loc())
           << "is the first of " << expected.count
           << " parts: " << llvm::toString(file.takeError());
  FailureOr<GgufHeader> part = parseFile((*file)->getBuffer(), path, context);
  if (failed(part))
    return failure();
  FailureOr<Place> place = part->findPlace();
  if (failed(place))
    return failure();
  if (place->number != expected.number || place->count != expected.count)
    return mlir::emitError(part->loc(numberKey))
           << "is part " << place->number + 1 << " of " << place->count
           << ", expected part " << expected.number + 1 << " of "
           << expected.count;
  parts.push_back({std::move(*file), part->fileName});
  for (const GgufTensor &tensor : part->allTensors) {
    if (!tensorOfName.try_emplace(tensor.name, allTensors.size()).second)
      return mlir::emitError(part->loc(tensor))
             << "tensor '" << tensor.name << "' is in another part, too";
    allTensors.push_back(tensor);
    allTensors.back().part = parts.size();
  }
  return success();
}

LogicalResult GgufHeader::addParts() {
  FailureOr<Place> place = findPlace();
  if (failed(place))
    return failure();
  if (place->count == 1)
    return success();
  if (place->number)
    return mlir::emitError(loc(numberKey))
           << "is part " << place->number + 1 << " of " << place->count
           << "; name the first one, which has the metadata: '.."
           << suffixOf(0, place->count) << "'";
  StringRef prefix = fileName;
  if (!prefix.consume_back(suffixOf(0, place->count)))
    return mlir::emitError(loc(countKey))
           << "is the first of " << place->count
           << " parts, and its name does not say where the others are: "
              "expected '.."
           << suffixOf(0, place->count) << "'";
  for (int64_t part = 1; part < place->count; ++part)
    if (failed(addPart((prefix + suffixOf(part, place->count)).str(),
                       {part, place->count})))
      return failure();
  auto expected = findWholeNumber(tensorsKey);
  if (failed(expected))
    return failure();
  auto found = static_cast<int64_t>(allTensors.size());
  if (expected->value_or(found) != found)
    return mlir::emitError(loc(tensorsKey))
           << "all parts have " << found << " tensors, expected " << **expected;
  return success();
}

FailureOr<GgufHeader> GgufHeader::parse(StringRef bytes, StringRef fileName,
                                        MLIRContext *context) {
  FailureOr<GgufHeader> header = parseFile(bytes, fileName, context);
  if (succeeded(header) && failed(header->addParts()))
    return failure();
  return header;
}

StringRef GgufHeader::getData(const GgufTensor &tensor) const {
  StringRef all =
      tensor.part ? parts[tensor.part - 1].file->getBuffer() : bytes;
  return all.substr(tensor.offsetBytes, tensor.sizeBytes);
}

std::shared_ptr<llvm::MemoryBuffer>
GgufHeader::getFile(const GgufTensor &tensor) const {
  return tensor.part ? parts[tensor.part - 1].file : nullptr;
}

} // namespace mlir::llm
