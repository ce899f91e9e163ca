//===- GzipOutput.cpp - A stream that compresses --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/GzipOutput.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <climits>

#include <zlib.h>

namespace mlir::llm {

struct GzipOutput::Deflater {
  z_stream stream = {};
  char room[1 << 16];
};

GzipOutput::GzipOutput(::llvm::raw_ostream &os)
    : os(os), deflater(std::make_unique<Deflater>()) {
  constexpr int windowBits = 15, asGzip = 16, memoryLevel = 8;
  // This fails only if there is no memory.
  if (deflateInit2(&deflater->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                   windowBits + asGzip, memoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    ::llvm::report_bad_alloc_error("no memory to compress a file");
  SetBufferSize(1 << 16);
}

GzipOutput::~GzipOutput() {
  flush();
  deflateAll(Z_FINISH);
  deflateEnd(&deflater->stream);
}

/// Compresses all input, and passes on what comes out.
void GzipOutput::deflateAll(int flush) {
  z_stream &stream = deflater->stream;
  do {
    stream.next_out = reinterpret_cast<Bytef *>(deflater->room);
    stream.avail_out = sizeof(deflater->room);
    deflate(&stream, flush);
    os.write(deflater->room, sizeof(deflater->room) - stream.avail_out);
  } while (stream.avail_out == 0);
}

void GzipOutput::write_impl(const char *data, size_t size) {
  written += size;
  while (size > 0) {
    size_t piece = std::min<size_t>(size, INT_MAX);
    deflater->stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(data));
    deflater->stream.avail_in = piece;
    deflateAll(Z_NO_FLUSH);
    data += piece;
    size -= piece;
  }
}

} // namespace mlir::llm
