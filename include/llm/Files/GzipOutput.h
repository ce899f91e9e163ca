//===- GzipOutput.h - A stream that compresses ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_GZIPOUTPUT_H
#define LLM_FILES_GZIPOUTPUT_H

#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace mlir::llm {

/// Compresses what is written to it, in gzip's format, and writes it to another
/// stream. The header has neither a time nor a name, so that equal text gives
/// equal bytes. The output is complete when the object is destroyed. (LLVM's
/// own compression makes zlib's format, and only of whole buffers.)
class GzipOutput : public ::llvm::raw_ostream {
public:
  explicit GzipOutput(::llvm::raw_ostream &os);
  ~GzipOutput() override;

private:
  struct Deflater;
  void write_impl(const char *data, size_t size) override;
  uint64_t current_pos() const override { return written; }
  void deflateAll(int flush);

  ::llvm::raw_ostream &os;
  std::unique_ptr<Deflater> deflater;
  uint64_t written = 0;
};

} // namespace mlir::llm

#endif // LLM_FILES_GZIPOUTPUT_H
