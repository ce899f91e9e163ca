//===- Npy.cpp - Arrays in NumPy's files ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/Npy.h"
#include "llm/Files/InputFile.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::llm;

static constexpr llvm::StringLiteral magic = "\x93NUMPY";

static Type typeOf(StringRef descr, MLIRContext *context) {
  Builder b(context);
  return llvm::StringSwitch<Type>(descr)
      .Case("<f2", b.getF16Type())
      .Case("<f4", b.getF32Type())
      .Case("<f8", b.getF64Type())
      .Case("|b1", b.getI1Type())
      .Case("|i1", b.getI8Type())
      .Case("<i2", b.getI16Type())
      .Case("<i4", b.getI32Type())
      .Case("<i8", b.getI64Type())
      .Default(nullptr);
}

/// Returns what stands behind 'key': in the header, which is a Python
/// dictionary.
static StringRef valueOf(StringRef header, StringRef key) {
  return header.split(("'" + key + "':").str()).second.ltrim();
}

static FailureOr<SmallVector<int64_t>> parseShape(StringRef header) {
  StringRef value = valueOf(header, "shape");
  if (!value.consume_front("("))
    return failure();
  SmallVector<int64_t> shape;
  SmallVector<StringRef> sizes;
  value.split(')').first.split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef text : sizes) {
    int64_t size;
    if (text.trim().empty())
      continue;
    if (text.trim().getAsInteger(10, size) || size < 0)
      return failure();
    shape.push_back(size);
  }
  return shape;
}

/// Splits a file into the header's text and the data behind it. Returns nothing
/// if the file ends before.
static std::optional<std::pair<StringRef, StringRef>> split(StringRef bytes) {
  if (!bytes.consume_front(magic) || bytes.size() < 2)
    return std::nullopt;
  unsigned sizeBytes = bytes[0] == 1 ? 2 : 4;
  bytes = bytes.drop_front(2);
  if (bytes.size() < sizeBytes)
    return std::nullopt;
  size_t size = 0;
  for (unsigned i = 0; i < sizeBytes; ++i)
    size |= size_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  bytes = bytes.drop_front(sizeBytes);
  if (bytes.size() < size)
    return std::nullopt;
  return std::pair(bytes.take_front(size), bytes.drop_front(size));
}

FailureOr<HostTensor> llm::readNpy(StringRef path, Location loc) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return emitError(loc) << llvm::toString(file.takeError());
  auto parts = split((*file)->getBuffer());
  if (!parts)
    return emitError(loc) << "'" << path << "' is no whole .npy file";
  auto [header, data] = *parts;
  StringRef descr =
      valueOf(header, "descr").split('\'').second.split('\'').first;
  Type element = typeOf(descr, loc.getContext());
  if (!element)
    return emitError(loc) << "'" << path << "' holds '" << descr
                          << "'; expected floats of 16 to 64 bits, signed "
                             "whole numbers or bools, little endian";
  if (!valueOf(header, "fortran_order").starts_with("False"))
    return emitError(loc) << "'" << path
                          << "' is in Fortran order; expected C order "
                             "(numpy.ascontiguousarray)";
  FailureOr<SmallVector<int64_t>> shape = parseShape(header);
  if (failed(shape))
    return emitError(loc) << "'" << path << "' has no shape in its header";
  std::optional<int64_t> bytes = getElementBytes(element);
  for (int64_t size : *shape)
    bytes = bytes ? checkedMul(*bytes, size) : bytes;
  if (!bytes || static_cast<int64_t>(data.size()) < *bytes)
    return emitError(loc) << "'" << path << "' holds " << data.size()
                          << " bytes of data, and its shape more";
  HostTensor tensor(element, *shape);
  std::memcpy(tensor.getData(), data.data(), tensor.getSizeBytes());
  return tensor;
}

static StringRef descrOf(Type type) {
  if (type.isF16())
    return "<f2";
  if (type.isF32())
    return "<f4";
  if (type.isF64())
    return "<f8";
  if (type.isInteger(1))
    return "|b1";
  if (type.isInteger(8))
    return "|i1";
  if (type.isInteger(16))
    return "<i2";
  if (type.isInteger(32))
    return "<i4";
  return type.isInteger(64) || type.isIndex() ? "<i8" : "";
}

void llm::writeNpy(const HostTensor &tensor, raw_ostream &os) {
  Type type = tensor.getElementType();
  StringRef descr = descrOf(type);
  if (descr.empty())
    return writeNpy(tensor.convertTo(Float32Type::get(type.getContext())), os);
  std::string header =
      "{'descr': '" + descr.str() + "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.getShape())
    header += std::to_string(size) + ",";
  header += "), }";
  // The data begin at a multiple of 64 bytes, behind the end of a line.
  constexpr size_t before = 10;
  header.resize(llvm::alignTo(header.size() + before + 1, 64) - before - 1,
                ' ');
  header += '\n';
  os << magic << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
     << static_cast<char>(header.size() >> 8) << header;
  os.write(tensor.getData(), tensor.getSizeBytes());
}
