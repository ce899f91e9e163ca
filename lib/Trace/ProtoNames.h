//===- ProtoNames.h - Texts that a trace has once ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACE_PROTONAMES_H
#define LLM_LIB_TRACE_PROTONAMES_H

#include "ProtoWriter.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace mlir::llm {

/// Gives texts numbers, by which they stand in packets; the packet with a
/// number's first use says what it means. (Perfetto calls that interning.) Of
/// each kind, only so many as fit in a few megabytes.
class ProtoNames {
public:
  /// The field of the message where new ones stand (InternedData).
  enum Kind { Category = 1, Event = 2, Annotation = 3, Text = 29 };

  /// Above 0; 0: the text must stand there itself.
  uint64_t numberOf(Kind kind, StringRef text);
  /// Writes a message with those that are new since this was called last.
  void writeNew(ProtoWriter &writer, unsigned field);

private:
  using Table = ::llvm::StringMap<uint64_t>;
  Table &tableOf(Kind kind);

  Table categories, events, annotations, texts;
  std::vector<std::pair<Kind, const Table::MapEntryTy *>> fresh;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRACE_PROTONAMES_H
