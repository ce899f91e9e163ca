//===- WeightFiles.cpp - Weights by name ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/WeightFiles.h"
#include "llm/Files/InputFile.h"
#include "llm/Import/WeightNames.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Null for what no program has.
static Type typeOf(StringRef dtype, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(dtype)
      .Case("F64", b.getF64Type())
      .Case("F32", b.getF32Type())
      .Case("F16", b.getF16Type())
      .Case("BF16", b.getBF16Type())
      .Case("F8_E4M3", Float8E4M3FNType::get(context))
      .Case("F8_E5M2", Float8E5M2Type::get(context))
      .Case("F8_E8M0", Float8E8M0FNUType::get(context))
      .Cases({"I8", "U8"}, b.getI8Type())
      .Cases({"I16", "U16"}, b.getI16Type())
      .Cases({"I32", "U32"}, b.getI32Type())
      .Cases({"I64", "U64"}, b.getI64Type())
      .Default(nullptr);
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
  return llvm::StringSwitch<StringRef>(
             std::to_string(8 * getElementBytes(type)))
      .Case("8", "I8")
      .Case("16", "I16")
      .Case("32", "I32")
      .Default("I64");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

LogicalResult WeightFiles::addFile(StringRef path, Location loc) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return emitError(loc) << llvm::toString(file.takeError());
  std::shared_ptr<llvm::MemoryBuffer> bytes = std::move(*file);
  FailureOr<SafetensorsHeader> header =
      SafetensorsHeader::parse(bytes->getBuffer(), path, loc.getContext());
  if (failed(header))
    return failure();
  headers.push_back(std::make_unique<SafetensorsHeader>(std::move(*header)));
  for (const SafetensorsTensor &tensor : headers.back()->tensors())
    if (!entries.try_emplace(tensor.name, Entry{&tensor, bytes}).second)
      return emitError(tensor.loc)
             << "tensor '" << tensor.name << "' is in another file, too";
  return success();
}

/// What a folder has: an index, or one file.
static std::string findIn(StringRef folder) {
  for (StringRef name : {"model.safetensors.index.json", "model.safetensors"}) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

FailureOr<WeightFiles> WeightFiles::open(StringRef given, Location loc) {
  std::string path = given.str();
  if (llvm::sys::fs::is_directory(path) && (path = findIn(path)).empty())
    return emitError(loc) << "there is no 'model.safetensors' and no "
                             "'model.safetensors.index.json' in '"
                          << given << "'";
  WeightFiles files;
  if (!StringRef(path).ends_with(".json")) {
    if (failed(files.addFile(path, loc)))
      return failure();
    return files;
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> text =
      readInputFile(path);
  if (!text)
    return emitError(loc) << llvm::toString(text.takeError());
  FailureOr<SafetensorsIndex> index =
      SafetensorsIndex::parse((*text)->getBuffer(), path, loc.getContext());
  if (failed(index))
    return failure();
  for (const std::string &shard : index->shards()) {
    SmallString<128> shardPath(llvm::sys::path::parent_path(path));
    llvm::sys::path::append(shardPath, shard);
    if (failed(files.addFile(shardPath, loc)))
      return failure();
  }
  return files;
}

const WeightFiles::Entry *WeightFiles::find(StringRef name) const {
  for (const std::string &full : namesInLargerModels(name)) {
    auto it = entries.find(full);
    if (it != entries.end())
      return &it->second;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<HostTensor> WeightFiles::readPlain(const Entry &entry,
                                             ArrayRef<int64_t> shape,
                                             Type element) const {
  const SafetensorsTensor &tensor = *entry.tensor;
  if (ArrayRef(tensor.shape) != shape)
    return emitError(tensor.loc)
           << "tensor '" << tensor.name << "' is "
           << describeShape(tensor.shape) << ", and the program expects "
           << describeShape(shape);
  Type stored = typeOf(tensor.dtype, element.getContext());
  if (!stored || (stored != element &&
                  !(isa<FloatType>(stored) && isa<FloatType>(element))))
    return emitError(tensor.loc)
           << "tensor '" << tensor.name << "' holds " << tensor.dtype
           << ", and the program expects " << element;
  // Nobody writes there: see Executable.
  char *data =
      const_cast<char *>(entry.file->getBufferStart()) + tensor.beginBytes;
  HostTensor inFile(stored, shape, data, entry.file);
  return inFile.convertTo(element);
}

/// Stacks the tensors of experts.
FailureOr<HostTensor> WeightFiles::readExperts(StringRef name,
                                               RankedTensorType type,
                                               Location loc) const {
  auto [path, part] = name.split(".experts.");
  StringRef module = part;
  module.consume_back(".weight");
  HostTensor all(type.getElementType(), type.getShape());
  int64_t experts = type.getDimSize(0);
  int64_t bytes = all.getSizeBytes() / std::max<int64_t>(experts, 1);
  for (int64_t expert = 0; expert < experts; ++expert) {
    std::string prefix = (path + ".experts." + Twine(expert) + ".").str();
    const Entry *entry = find(prefix + part.str());
    if (!entry)
      entry = find(prefix + mixtralName(module).str() + ".weight");
    if (!entry)
      return emitError(loc) << "weight '" << prefix << part << "', "
                            << describeShape(type.getShape().drop_front())
                            << ", is missing in the checkpoint";
    FailureOr<HostTensor> one =
        readPlain(*entry, type.getShape().drop_front(), type.getElementType());
    if (failed(one))
      return failure();
    std::memcpy(all.getData() + expert * bytes, one->getData(), bytes);
  }
  return all;
}

FailureOr<HostTensor> WeightFiles::read(StringRef name, RankedTensorType type,
                                        Location loc) const {
  if (const Entry *entry = find(name))
    return readPlain(*entry, type.getShape(), type.getElementType());
  if (name.contains(".experts.") && type.getRank() > 1)
    return readExperts(name, type, loc);
  return emitError(loc) << "weight '" << name << "', "
                        << describeShape(type.getShape())
                        << ", is missing in the checkpoint";
}

//===----------------------------------------------------------------------===//
// Made weights
//===----------------------------------------------------------------------===//

/// In [0, 1), of 24 bits (SplitMix64: Steele, Lea and Flood, 2014).
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

void llm::writeSafetensors(const std::map<std::string, HostTensor> &tensors,
                           raw_ostream &os) {
  std::string header;
  llvm::raw_string_ostream text(header);
  llvm::json::OStream json(text);
  int64_t offset = 0;
  json.object([&] {
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
  // Data begin at a multiple of 8 bytes, as the reference writes them.
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
