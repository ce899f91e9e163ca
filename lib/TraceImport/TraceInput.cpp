//===- TraceInput.cpp - The bytes of a foreign trace ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceInput.h"

using namespace mlir;
using namespace mlir::llm;

::llvm::Expected<TraceInput> TraceInput::open(StringRef path) {
  auto source = openByteSource(path);
  if (!source)
    return source.takeError();
  return open(std::move(*source), path, std::nullopt);
}

::llvm::Expected<TraceInput> TraceInput::open(::llvm::MemoryBufferRef bytes) {
  return open(makeByteSource(bytes), bytes.getBufferIdentifier(),
              bytes.getBuffer());
}

::llvm::Expected<TraceInput>
TraceInput::open(std::unique_ptr<ByteSource> source, StringRef name,
                 std::optional<StringRef> memory) {
  TraceInput input(std::move(source), name, memory);
  ::llvm::Expected<StringRef> beginning = input.peek();
  if (!beginning)
    return beginning.takeError();
  if (isGzip(*beginning)) {
    input.source = makeInflater(std::move(input.source), name);
    input.compressed = true;
  }
  return input;
}

::llvm::Error TraceInput::fail(uint64_t offsetBytes, const Twine &what) const {
  return ::llvm::createStringError(
      std::make_error_code(std::errc::illegal_byte_sequence),
      inputName + ": byte " + Twine(offsetBytes) +
          (compressed ? " of what is compressed: " : ": ") + what);
}
