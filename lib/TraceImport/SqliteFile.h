//===- SqliteFile.h - The tables of a SQLite file ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_SQLITEFILE_H
#define LLM_TRACEIMPORT_SQLITEFILE_H

#include "TraceInput.h"

#include <map>
#include <set>

struct sqlite3;
struct sqlite3_stmt;

namespace mlir::llm {

/// One row of a table. A value of another type than asked for is no value.
class SqliteRow {
public:
  SqliteRow(sqlite3_stmt *statement, uint64_t number)
      : statement(statement), rowNumber(number) {}

  bool isNull(unsigned column) const;
  std::optional<int64_t> integer(unsigned column) const;
  /// A finite number.
  std::optional<double> real(unsigned column) const;
  /// A text. Bytes that are no UTF-8 are replaced.
  std::optional<std::string> text(unsigned column) const;
  /// The number of the row, from 1, in the order of the file.
  uint64_t number() const { return rowNumber; }

private:
  sqlite3_stmt *statement;
  uint64_t rowNumber;
};

/// A database that is only read. SQLite writes nothing beside it and runs
/// nothing in it. Names of tables and columns are those in the file.
class SqliteFile {
public:
  static llvm::Expected<SqliteFile> open(const TraceInput &input);

  bool hasTable(StringRef table) const { return tables.count(table.str()); }
  bool hasColumn(StringRef table, StringRef column) const;
  /// All tables, by name.
  std::vector<std::string> listTables() const;
  llvm::Expected<uint64_t> countRows(StringRef table) const;

  /// Calls `take` with each row. A column that the table lacks is null in all
  /// of them. Errors name the table and the row.
  llvm::Error forEachRow(StringRef table, ArrayRef<StringRef> columns,
                         function_ref<void(const SqliteRow &)> take) const;

  /// Makes the error "x.sqlite: table T: what".
  llvm::Error fail(StringRef table, const Twine &what) const;

private:
  struct Closer {
    void operator()(sqlite3 *database) const;
  };
  struct Finalizer {
    void operator()(sqlite3_stmt *statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

  explicit SqliteFile(StringRef name) : name(name) {}
  llvm::Error connect(const TraceInput &input);
  llvm::Error restrict() const;
  llvm::Error readSchema();
  llvm::Expected<Statement> prepare(StringRef table, const Twine &query) const;
  /// Steps through the rows of a statement.
  llvm::Error step(StringRef table, sqlite3_stmt *statement,
                   function_ref<void(const SqliteRow &)> take) const;

  std::string name;
  uint64_t sizeBytes = 0;
  std::unique_ptr<sqlite3, Closer> database;
  std::map<std::string, std::set<std::string>> tables; ///< their columns
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_SQLITEFILE_H
