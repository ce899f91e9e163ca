//===- WeightFiles.cpp - Weights by name ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/WeightFiles.h"
#include "GgufWeights.h"
#include "SafetensorsWeights.h"
#include "llm/Files/InputFile.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

WeightFiles::~WeightFiles() = default;

/// Returns the file of a folder: an index, or the only file.
static std::string findIn(StringRef folder) {
  for (StringRef name : {"model.safetensors.index.json", "model.safetensors"}) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

FailureOr<std::unique_ptr<WeightFiles>> WeightFiles::open(StringRef given,
                                                          Location loc) {
  std::string path = given.str();
  if (llvm::sys::fs::is_directory(path) && (path = findIn(path)).empty())
    return emitError(loc) << "there is no 'model.safetensors' and no "
                             "'model.safetensors.index.json' in '"
                          << given << "'; a GGUF file is named itself";
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read =
      readInputFile(path);
  if (!read)
    return emitError(loc) << llvm::toString(read.takeError());
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(*read);
  if (StringRef(path).ends_with(".json"))
    return SafetensorsWeights::openIndex(file->getBuffer(), path, loc);
  if (file->getBuffer().starts_with("GGUF") ||
      StringRef(path).ends_with(".gguf"))
    return GgufWeights::open(file, path, loc);
  if (!StringRef(path).ends_with(".safetensors"))
    return emitError(loc) << "'" << path
                          << "' is no file of weights; expected *.safetensors, "
                             "*.safetensors.index.json, a GGUF file, or a "
                             "folder that has safetensors";
  return SafetensorsWeights::openFile(file, path, loc);
}

//===----------------------------------------------------------------------===//
// Made weights
//===----------------------------------------------------------------------===//

/// Draws a number in [0, 1) with 24 bits (SplitMix64: Steele, Lea and Flood,
/// 2014).
static float nextUniform(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<float>((z ^ (z >> 31)) >> 40) * 0x1p-24F;
}

HostTensor llm::makeRandomTensor(StringRef name, RankedTensorType type,
                                 uint64_t seed, RandomRange range) {
  HostTensor tensor(type.getElementType(), type.getShape());
  uint64_t state = llvm::xxh3_64bits(name) ^ seed;
  tensor.fill(
      [&] { return range.middle + range.width * (nextUniform(state) - 0.5F); });
  return tensor;
}

static StringRef dtypeOf(Type type) {
  if (type.isF64())
    return "F64";
  if (type.isF32())
    return "F32";
  if (type.isF16())
    return "F16";
  if (type.isBF16())
    return "BF16";
  if (isa<Float8E4M3FNType>(type))
    return "F8_E4M3";
  if (isa<Float8E5M2Type>(type))
    return "F8_E5M2";
  if (isa<Float8E8M0FNUType>(type))
    return "F8_E8M0";
  if (type.isInteger(1))
    return "BOOL";
  return llvm::StringSwitch<StringRef>(
             std::to_string(8 * getElementBytes(type)))
      .Case("8", "I8")
      .Case("16", "I16")
      .Case("32", "I32")
      .Default("I64");
}

void llm::writeSafetensors(const std::map<std::string, HostTensor> &tensors,
                           raw_ostream &os,
                           std::optional<bool> hasInterleavedRows) {
  std::string header;
  llvm::raw_string_ostream text(header);
  llvm::json::OStream json(text);
  int64_t offset = 0;
  json.object([&] {
    if (hasInterleavedRows)
      json.attributeObject("__metadata__", [&] {
        json.attribute(interleavedRowsKey,
                       *hasInterleavedRows ? "true" : "false");
      });
    for (const auto &[name, tensor] : tensors)
      json.attributeObject(name, [&, &tensor = tensor] {
        json.attribute("dtype", dtypeOf(tensor.getElementType()));
        json.attributeArray("shape", [&] {
          for (int64_t size : tensor.getShape())
            json.value(size);
        });
        json.attributeArray("data_offsets", [&] {
          json.value(offset);
          json.value(offset += tensor.getSizeBytes());
        });
      });
  });
  // The data begin at a multiple of 8 bytes, as the reference implementation
  // writes them.
  header.resize(llvm::alignTo(header.size(), 8), ' ');
  uint64_t size = header.size();
  char bytes[sizeof size];
  for (unsigned i = 0; i < sizeof size; ++i)
    bytes[i] = static_cast<char>(size >> (8 * i));
  os.write(bytes, sizeof bytes);
  os << header;
  for (const auto &[name, tensor] : tensors)
    os.write(tensor.getData(), tensor.getSizeBytes());
}
