//===- RowPrograms.h - Kinds of rows as programs in data --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kind of row times may be several ops: experts with their sort and
// gather, or a module of attention. Then the kind is a program, as a text with
// the names of columns:
//
//     //! mla_gen_pre dtype=bf16
//     func.func @row(%x: tensor<$(heads_per_rank)x$(tokens)x$(k)xbf16>, ..
//
// A line with "//!" begins the program of a kind. Behind the kind stand
// conditions: columns, and what they have (`dtype=bf16|fp16`). The first
// program whose conditions hold is taken. Behind `with` stand names of its own
// and what they are (`with hidden=7168 cache=f8E4M3FN`). The name `library`
// says whose kernels run the row, where that is not its backend. Kinds whose
// lines follow each other have one text. In "$(..)" stand the names of columns
// with numbers, own names, and affine expressions of numbers (`$(tokens *
// topk)`). Further names are `rows_per_expert`, the list of rows of the experts
// of a rank, and `rows_of_rank`, their sum, which expressions may name. If
// `beside` stands before the kind, the kind is a single op, and the program is
// what a library's row of it times besides (`//! beside attention_decode
// backend=NAME`).
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_ROWPROGRAMS_H
#define LLM_MEASUREMENTS_ROWPROGRAMS_H

#include "llm/Diagnostics/Reasons.h"
#include "llm/Measurements/MeasuredTable.h"

#include <map>
#include <memory>

namespace mlir::llm {

/// The program of one kind of row.
struct RowProgram {
  std::string kind;
  bool isBeside = false; ///< beside the op of a kind that is one op
  /// Columns, and the texts of which they must have one.
  std::vector<std::pair<std::string, std::vector<std::string>>> conditions;
  /// Names of the program's own, which stand before columns, and their words.
  std::map<std::string, std::string> definitions;
  std::string text;
  /// Where the text begins, for messages about it.
  std::string file;
  unsigned line = 1;
};
using RowProgramList = std::vector<RowProgram>;

/// Reads a file of programs. Errors point into it: text before the first line
/// that begins a program, such a line without a kind, and a condition or a
/// definition without "=".
FailureOr<std::shared_ptr<const RowProgramList>>
readRowPrograms(StringRef path, MLIRContext *context);

/// Returns the programs that are built in.
const RowProgramList &builtInRowPrograms();

/// Returns the program of a row: of those that its table was read with, or else
/// one that is built in. Null if no program is of its kind. It is an error, at
/// the row, if none of them is for what its columns have.
FailureOr<const RowProgram *> findRowProgram(const MeasuredRow &row,
                                             Reasons reasons);

/// Returns the library that the row's program names, or else nothing.
std::string findRowLibrary(const MeasuredRow &row);

/// Returns the programs of what a row times beside its one op: all whose
/// conditions hold.
SmallVector<const RowProgram *, 2> findProgramsBeside(const MeasuredRow &row);

/// Returns the text of a program of a row, with what its columns have. These
/// are errors at the row: a column that the table lacks or that is no number,
/// and an expression that is not affine or not above 0.
FailureOr<std::string> expandRowProgram(const RowProgram &program,
                                        const MeasuredRow &row,
                                        MLIRContext *context, Reasons reasons);

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_ROWPROGRAMS_H
