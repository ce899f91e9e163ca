//===- CsvWriter.h - Lines of comma-separated values ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_CSVWRITER_H
#define LLM_FILES_CSVWRITER_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// Writes one line in the format of RFC 4180. Cells are quoted if they must be.
/// The destructor ends the line.
class CsvLine {
public:
  explicit CsvLine(llvm::raw_ostream &os) : os(os) {}
  ~CsvLine() { os << "\n"; }
  CsvLine(const CsvLine &) = delete;

  CsvLine &operator<<(StringRef text);
  CsvLine &operator<<(int64_t value);
  /// Writes a number with `decimals` digits behind the point.
  CsvLine &addReal(double value, int decimals);

private:
  llvm::raw_ostream &nextCell();

  llvm::raw_ostream &os;
  bool isFirst = true;
};

} // namespace mlir::llm

#endif // LLM_FILES_CSVWRITER_H
