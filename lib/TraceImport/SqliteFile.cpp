//===- SqliteFile.cpp - The tables of a SQLite file -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SqliteFile.h"
#include "llm/Files/Utf8.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <sqlite3.h>

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

bool SqliteRow::isNull(unsigned column) const {
  return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

std::optional<int64_t> SqliteRow::integer(unsigned column) const {
  if (sqlite3_column_type(statement, column) != SQLITE_INTEGER)
    return std::nullopt;
  return sqlite3_column_int64(statement, column);
}

std::optional<double> SqliteRow::real(unsigned column) const {
  if (sqlite3_column_type(statement, column) != SQLITE_FLOAT)
    return std::nullopt;
  double value = sqlite3_column_double(statement, column);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::string> SqliteRow::text(unsigned column) const {
  if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
    return std::nullopt;
  // The text must be asked for first, because that may convert it and change
  // its size.
  auto *bytes =
      reinterpret_cast<const char *>(sqlite3_column_text(statement, column));
  size_t sizeBytes = sqlite3_column_bytes(statement, column);
  return bytes ? toUtf8(StringRef(bytes, sizeBytes)) : "";
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

void SqliteFile::Closer::operator()(sqlite3 *database) const {
  sqlite3_close(database);
}

void SqliteFile::Finalizer::operator()(sqlite3_stmt *statement) const {
  sqlite3_finalize(statement);
}

static ::llvm::Error makeError(const Twine &text) {
  return ::llvm::createStringError(
      std::make_error_code(std::errc::illegal_byte_sequence), text);
}

::llvm::Error SqliteFile::fail(StringRef table, const Twine &what) const {
  return makeError(name + (table.empty() ? "" : ": table " + table) + ": " +
                   what);
}

/// Returns a URI with which SQLite reads the file as it stands, without locks,
/// and never writes.
static std::string toUri(StringRef path) {
  std::string uri = "file:";
  for (char c : path)
    if (::llvm::isAlnum(c) || StringRef("/._-~").contains(c))
      uri += c;
    else
      uri += "%" + ::llvm::toHex(StringRef(&c, 1));
  return uri + "?mode=ro&immutable=1";
}

/// Refuses a file whose last changes lie beside it. They would be missing
/// otherwise.
static ::llvm::Error refuseUnfinished(StringRef path) {
  for (StringRef suffix : {"-wal", "-journal"}) {
    uint64_t sizeBytes = 0;
    std::string beside = (path + suffix).str();
    if (::llvm::sys::fs::file_size(beside, sizeBytes) || sizeBytes == 0)
      continue;
    return makeError(path + ": " + beside +
                     " holds changes that the file does not have yet: the "
                     "program that writes it has not finished; let it finish, "
                     "or export the report again");
  }
  return ::llvm::Error::success();
}

::llvm::Error SqliteFile::connect(const TraceInput &input) {
  sqlite3 *opened = nullptr;
  std::optional<StringRef> memory = input.inMemory();
  if (!memory) {
    if (::llvm::Error error = refuseUnfinished(name))
      return error;
    if (std::error_code code = ::llvm::sys::fs::file_size(name, sizeBytes))
      return makeError(name + ": " + code.message());
  }
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(memory ? ":memory:" : toUri(name).c_str(), &opened,
                             flags, nullptr);
  database.reset(opened);
  if (code == SQLITE_OK && memory) {
    sizeBytes = memory->size();
    // SQLite only reads these bytes, although the type says otherwise.
    auto *bytes =
        reinterpret_cast<unsigned char *>(const_cast<char *>(memory->data()));
    code = sqlite3_deserialize(opened, "main", bytes, sizeBytes, sizeBytes,
                               SQLITE_DESERIALIZE_READONLY);
  }
  if (code != SQLITE_OK)
    return makeError(name + ": SQLite cannot open it: " +
                     (opened ? sqlite3_errmsg(opened) : sqlite3_errstr(code)));
  return ::llvm::Error::success();
}

/// Turns off what a file could do harm with. A file may be made to harm whoever
/// opens it.
::llvm::Error SqliteFile::restrict() const {
  constexpr int maxCellBytes = 16 << 20;
  sqlite3_limit(database.get(), SQLITE_LIMIT_LENGTH, maxCellBytes);
  sqlite3_limit(database.get(), SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  auto query = prepare("", "PRAGMA cell_size_check = ON");
  if (!query)
    return query.takeError();
  return step("", query->get(), [](const SqliteRow &) {});
}

::llvm::Expected<SqliteFile> SqliteFile::open(const TraceInput &input) {
  SqliteFile file(input.name());
  if (input.isCompressed())
    return makeError(file.name + ": a compressed database cannot be read at "
                                 "random; unpack it first (gunzip)");
  if (::llvm::Error error = file.connect(input))
    return error;
  if (::llvm::Error error = file.restrict())
    return error;
  if (::llvm::Error error = file.readSchema())
    return error;
  return file;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static constexpr char damaged[] =
    "; the file is damaged or cut off: export the report again";

/// Quotes a name for a query.
static std::string quote(StringRef name) {
  std::string quoted = "\"";
  for (char c : name)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

::llvm::Error SqliteFile::readSchema() {
  // Views and virtual tables have no pages of their own, and run as programs.
  // So they are left out.
  auto query =
      prepare("", "SELECT name FROM sqlite_master WHERE type = 'table' "
                  "AND rootpage > 0");
  if (!query)
    return query.takeError();
  if (::llvm::Error error =
          step("sqlite_master", query->get(), [&](const SqliteRow &row) {
            if (std::optional<std::string> table = row.text(0))
              tables[*table];
          }))
    return error;
  for (auto &[table, columns] : tables) {
    auto info = prepare(table, "PRAGMA table_info(" + quote(table) + ")");
    if (!info)
      return info.takeError();
    if (::llvm::Error error = step(
            table, info->get(), [&, &names = columns](const SqliteRow &row) {
              if (std::optional<std::string> column = row.text(1))
                names.insert(*column);
            }))
      return error;
  }
  return ::llvm::Error::success();
}

bool SqliteFile::hasColumn(StringRef table, StringRef column) const {
  auto found = tables.find(table.str());
  return found != tables.end() && found->second.count(column.str());
}

std::vector<std::string> SqliteFile::listTables() const {
  std::vector<std::string> found;
  for (const auto &[table, columns] : tables)
    found.push_back(table);
  return found;
}

::llvm::Expected<uint64_t> SqliteFile::countRows(StringRef table) const {
  uint64_t count = 0;
  if (llvm::Error error =
          forEachRow(table, {}, [&](const SqliteRow &) { ++count; }))
    return error;
  return count;
}

::llvm::Expected<SqliteFile::Statement>
SqliteFile::prepare(StringRef table, const Twine &query) const {
  std::string text = query.str();
  sqlite3_stmt *statement = nullptr;
  int code = sqlite3_prepare_v2(database.get(), text.c_str(), int(text.size()),
                                &statement, nullptr);
  if (code != SQLITE_OK)
    return fail(table, "SQLite cannot read it: " +
                           Twine(sqlite3_errmsg(database.get())) + damaged);
  return Statement(statement);
}

::llvm::Error
SqliteFile::step(StringRef table, sqlite3_stmt *statement,
                 function_ref<void(const SqliteRow &)> take) const {
  // A row takes two bytes or more. Without this limit, pages that are linked in
  // circles would give rows without end.
  const uint64_t mostRows = sizeBytes / 2;
  for (uint64_t number = 1;; ++number) {
    int code = sqlite3_step(statement);
    if (code == SQLITE_DONE)
      return ::llvm::Error::success();
    if (code != SQLITE_ROW)
      return fail(table, "row " + Twine(number) + ": " +
                             sqlite3_errmsg(database.get()) + damaged);
    if (number > mostRows)
      return fail(table, "row " + Twine(number) +
                             ": more rows than fit into the file" + damaged);
    take(SqliteRow(statement, number));
  }
}

::llvm::Error
SqliteFile::forEachRow(StringRef table, ArrayRef<StringRef> columns,
                       function_ref<void(const SqliteRow &)> take) const {
  std::string list;
  for (StringRef column : columns)
    list += (list.empty() ? "" : ", ") +
            (hasColumn(table, column) ? quote(column) : "NULL");
  if (list.empty())
    list = "NULL";
  auto query = prepare(table, "SELECT " + list + " FROM " + quote(table));
  if (!query)
    return query.takeError();
  return step(table, query->get(), take);
}
