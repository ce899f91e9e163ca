//===- ProtoNames.h - Texts that a trace has once ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACE_PROTONAMES_H
#define LLM_LIB_TRACE_PROTONAMES_H

#include "llm/Trace/ProtoWriter.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace mlir::llm {

/// Gives texts numbers, which replace them in packets. The packet with a
/// number's first use has its text. (Perfetto calls that interning.) Each kind
/// has only as many numbers as fit into a few megabytes.
class ProtoNames {
public:
  /// The fields of the message with new texts (InternedData).
  enum Kind { Category = 1, Event = 2, Annotation = 3, Text = 29 };

  /// Returns the number of a text, above 0. If it is 0, the text itself must be
  /// written.
  uint64_t numberOf(Kind kind, StringRef text);
  /// Writes a message with the texts that are new since the last call.
  void writeNew(ProtoWriter &writer, unsigned field);

private:
  using Table = ::llvm::StringMap<uint64_t>;
  Table &tableOf(Kind kind);

  Table categories, events, annotations, texts;
  std::vector<std::pair<Kind, const Table::MapEntryTy *>> fresh;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRACE_PROTONAMES_H
