//===- CaptureFile.h - The file of a captured program -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_GGMLTRACE_CAPTUREFILE_H
#define LLM_TOOLS_GGMLTRACE_CAPTUREFILE_H

#include "llm/TraceImport/GgmlCaptureFormat.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace llmGgml {
namespace format = mlir::llm::ggmlCapture;

/// The body of a record.
class Body {
public:
  template <typename Number>
  void add(Number number) {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  void addText(const char *text) {
    size_t size = text ? strnlen(text, UINT16_MAX) : 0;
    add(uint16_t(size));
    bytes.append(text ? text : "", size);
  }
  /// Sets a number that is only known later, where `bytes` was that long.
  void set(size_t at, uint32_t number) {
    memcpy(&bytes[at], &number, sizeof(number));
  }

  std::string bytes;
};

/// FNV-1a over words of eight bytes. Hashes the first bytes of a body.
inline uint64_t hashBytes(const Body &body, size_t size,
                          uint64_t hash = 14695981039346656037u) {
  for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, &body.bytes[at], std::min(sizeof(word), size - at));
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 32; // brings high bits to the low ones
  }
  return hash;
}

/// The file of this process. It is made with the first record, so that
/// processes that only inherit this library leave none. Only one thread may use
/// it at a time.
class CaptureFile {
public:
  /// Appends a record by one call of the system. If that fails, it says so
  /// once, removes what was written of it, and closes the file.
  void append(format::Record kind, const Body &body);
  /// Makes the child of a fork begin a file of its own.
  void leaveToParent();

private:
  bool open();
  /// Opens `path`, unless another process writes to it.
  bool openPath(const std::string &path);
  bool writeHead();
  bool write(const void *bytes, size_t size);
  void fail(const std::string &path, const char *what);

  enum class State { Unopened, Open, Closed };
  State state = State::Unopened;
  int descriptor = -1;
  std::string path;
};

/// Whether ops are timed one by one (LLM_GGML_TRACE_OPS).
bool timesOps();

int64_t nowNanoseconds();

} // namespace llmGgml

#endif // LLM_TOOLS_GGMLTRACE_CAPTUREFILE_H
