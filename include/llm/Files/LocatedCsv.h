//===- LocatedCsv.h - CSV whose cells know their place ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_LOCATEDCSV_H
#define LLM_FILES_LOCATEDCSV_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// One cell, without its quotes and without the blanks around it.
struct CsvCell {
  std::string text;
  StringAttr file;
  unsigned line, column;
  Location loc() const { return FileLineColLoc::get(file, line, column); }
  InFlightDiagnostic emitError() const { return mlir::emitError(loc()); }
};
using CsvRow = std::vector<CsvCell>;

/// Parses comma-separated text in the format of RFC 4180. Quoted cells may hold
/// commas, line ends and doubled quotes. Lines end in LF or CRLF. A byte order
/// mark and empty lines are skipped. These are errors, located in the file:
/// bytes that are not UTF-8, a quote that does not close, text beside a quoted
/// cell, and a row that is not as long as the first.
FailureOr<std::vector<CsvRow>> parseCsv(StringRef text, StringRef bufferName,
                                        MLIRContext *context);

/// Does the same for a file. It is also an error if the file cannot be read.
FailureOr<std::vector<CsvRow>> parseCsvFile(StringRef path,
                                            MLIRContext *context);

} // namespace mlir::llm

#endif // LLM_FILES_LOCATEDCSV_H
