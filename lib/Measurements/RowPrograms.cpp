//===- RowPrograms.cpp - Kinds of rows as programs in data ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/RowPrograms.h"
#include "ExpertShares.h"
#include "llm/Files/InputFile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static constexpr StringLiteral marker = "//!";

/// Reads "moe dtype=bf16|fp16 gated=1 with hidden=7168".
static FailureOr<RowProgram> readHead(StringRef head, EmitError emitError) {
  SmallVector<StringRef> words;
  llvm::SplitString(head, words);
  RowProgram program;
  program.isBeside = !words.empty() && words.front() == "beside";
  if (program.isBeside)
    words.erase(words.begin());
  if (words.empty())
    return emitError() << "'" << marker << "' must be followed by a kind of "
                       << "row";
  program.kind = words.front().str();
  bool isDefinition = false;
  for (StringRef word : llvm::drop_begin(words)) {
    if (word == "with") {
      isDefinition = true;
      continue;
    }
    auto [column, texts] = word.split('=');
    if (column.empty() || texts.empty())
      return emitError() << "'" << word << "' must be "
                         << (isDefinition
                                 ? "a name and what it is, such as hidden=7168"
                                 : "a condition, such as dtype=bf16|fp16");
    if (isDefinition) {
      program.definitions[column.str()] = texts.str();
      continue;
    }
    std::vector<std::string> all;
    for (StringRef text : llvm::split(texts, '|'))
      all.push_back(text.str());
    program.conditions.emplace_back(column.str(), std::move(all));
  }
  return program;
}

/// Gives kinds whose lines follow each other the text behind the last of them.
static void shareTexts(RowProgramList &programs) {
  for (size_t i = programs.size(); i-- > 1;) {
    RowProgram &before = programs[i - 1];
    if (!before.text.empty())
      continue;
    before.text = programs[i].text;
    before.line = programs[i].line;
  }
}

static FailureOr<RowProgramList> parsePrograms(StringRef text, StringRef file,
                                               MLIRContext *context) {
  RowProgramList programs;
  unsigned number = 0;
  for (StringRef line : llvm::split(text, '\n')) {
    ++number;
    auto emitError = [&] {
      return mlir::emitError(FileLineColLoc::get(context, file, number, 1));
    };
    StringRef head = line;
    if (head.consume_front(marker)) {
      FailureOr<RowProgram> program = readHead(head, emitError);
      if (failed(program))
        return failure();
      program->file = file.str();
      program->line = number + 1;
      programs.push_back(std::move(*program));
    } else if (!programs.empty()) {
      programs.back().text += (line + "\n").str();
    } else if (!line.trim().empty() && !line.starts_with("//")) {
      return emitError() << "a program must begin with a line such as '"
                         << marker << " moe dtype=bf16'";
    }
  }
  shareTexts(programs);
  return programs;
}

FailureOr<std::shared_ptr<const RowProgramList>>
llm::readRowPrograms(StringRef path, MLIRContext *context) {
  ::llvm::Expected<std::unique_ptr<::llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (!buffer)
    return emitError(UnknownLoc::get(context))
           << ::llvm::toString(buffer.takeError());
  FailureOr<RowProgramList> programs =
      parsePrograms((*buffer)->getBuffer(), path, context);
  if (failed(programs))
    return failure();
  return std::make_shared<const RowProgramList>(std::move(*programs));
}

namespace {
struct ProgramText {
  StringRef name, text;
};
} // namespace

static constexpr ProgramText programTexts[] = {
#include "RowProgramTexts.inc" // made from programs/*.mlir by EmbedTexts.cmake
};

const RowProgramList &llm::builtInRowPrograms() {
  static const RowProgramList programs = [] {
    MLIRContext context; // of messages, which there are none of
    RowProgramList all;
    for (const ProgramText &each : programTexts) {
      RowProgramList own =
          *parsePrograms(each.text, (each.name + ".mlir").str(), &context);
      llvm::append_range(all, own);
    }
    return all;
  }();
  return programs;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static StringRef cellOf(const MeasuredRow &row, StringRef column) {
  auto found = row.cells.find(column.str());
  return found == row.cells.end() ? StringRef() : StringRef(found->second);
}

static bool holds(const RowProgram &program, const MeasuredRow &row) {
  return llvm::all_of(program.conditions, [&](const auto &condition) {
    const auto &[column, texts] = condition;
    return llvm::is_contained(texts, cellOf(row, column));
  });
}

/// Returns the first program whose conditions hold, or null. `wanted` becomes
/// a condition that does not hold.
static const RowProgram *chooseProgram(const MeasuredRow &row,
                                       std::string &wanted) {
  auto find = [&](const RowProgramList &programs) -> const RowProgram * {
    for (const RowProgram &program : programs) {
      if (program.kind != row.opKind || program.isBeside)
        continue;
      if (holds(program, row))
        return &program;
      for (const auto &[column, texts] : program.conditions)
        if (!llvm::is_contained(texts, cellOf(row, column)))
          wanted = column + "=" + llvm::join(texts, "|");
    }
    return nullptr;
  };
  const RowProgram *found = row.programs ? find(*row.programs) : nullptr;
  return found ? found : find(builtInRowPrograms());
}

std::string llm::findRowLibrary(const MeasuredRow &row) {
  std::string wanted;
  const RowProgram *program = chooseProgram(row, wanted);
  if (!program)
    return "";
  auto found = program->definitions.find("library");
  return found == program->definitions.end() ? "" : found->second;
}

FailureOr<const RowProgram *> llm::findRowProgram(const MeasuredRow &row,
                                                  Reasons reasons) {
  std::string wanted;
  const RowProgram *found = chooseProgram(row, wanted);
  if (found || wanted.empty())
    return found;
  return reasons.refuse(row.location)
         << "no program of '" << row.opKind << "' is for this row; one is for "
         << wanted;
}

SmallVector<const RowProgram *, 2>
llm::findProgramsBeside(const MeasuredRow &row) {
  SmallVector<const RowProgram *, 2> found;
  auto add = [&](const RowProgramList &programs) {
    for (const RowProgram &program : programs)
      if (program.isBeside && program.kind == row.opKind && holds(program, row))
        found.push_back(&program);
  };
  if (row.programs)
    add(*row.programs);
  add(builtInRowPrograms());
  return found;
}

//===----------------------------------------------------------------------===//
// Expanding
//===----------------------------------------------------------------------===//

/// The rows of all experts of a rank, a name that no column has.
static constexpr StringLiteral rowsOfRank = "rows_of_rank";

namespace {
/// Replaces "$(..)" by what the columns of a row give.
class Expander {
public:
  Expander(const RowProgram &program, const MeasuredRow &row,
           MLIRContext *context, Reasons reasons)
      : program(program), row(row), context(context), reasons(reasons) {}

  FailureOr<std::string> expand(StringRef text) const;

private:
  /// Columns that an expression names, with their numbers.
  struct Symbols {
    SmallVector<StringRef> names;
    SmallVector<Attribute> numbers;
  };
  FailureOr<std::string> valueOf(StringRef expression) const;
  FailureOr<std::string> listOfExperts() const;
  FailureOr<int64_t> numberOf(StringRef name) const;
  FailureOr<std::string> listOf(StringRef count, StringRef each) const;
  FailureOr<Symbols> findSymbols(StringRef expression) const;

  /// What the program or a column has for a name.
  StringRef wordOf(StringRef name) const {
    auto own = program.definitions.find(name.str());
    return own == program.definitions.end() ? cellOf(row, name)
                                            : StringRef(own->second);
  }

  const RowProgram &program;
  const MeasuredRow &row;
  MLIRContext *context;
  Reasons reasons;
};
} // namespace

/// Fails if a column that is named is missing, or has no number.
FailureOr<int64_t> Expander::numberOf(StringRef name) const {
  int64_t number = 0;
  if (name == rowsOfRank) {
    FailureOr<std::vector<int64_t>> rows = rowsPerExpert(row, reasons);
    if (failed(rows))
      return failure();
    return std::accumulate(rows->begin(), rows->end(), number);
  }
  if (wordOf(name).getAsInteger(10, number))
    return reasons.refuse(row.location)
           << "'" << row.opKind << "' needs '" << name << "', a whole number";
  return number;
}

FailureOr<Expander::Symbols> Expander::findSymbols(StringRef expression) const {
  auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  Symbols symbols;
  while (!expression.empty()) {
    StringRef name = expression.take_while(isOfName);
    expression = expression.drop_front(std::max<size_t>(name.size(), 1));
    if (name.empty() || llvm::isDigit(name.front()) || name == "floordiv" ||
        name == "ceildiv" || name == "mod" ||
        llvm::is_contained(symbols.names, name))
      continue;
    FailureOr<int64_t> number = numberOf(name);
    if (failed(number))
      return failure();
    symbols.names.push_back(name);
    symbols.numbers.push_back(
        IntegerAttr::get(IndexType::get(context), *number));
  }
  return symbols;
}

FailureOr<std::string> Expander::listOfExperts() const {
  FailureOr<std::vector<int64_t>> rows = rowsPerExpert(row, reasons);
  if (failed(rows))
    return failure();
  std::string list;
  for (int64_t own : *rows)
    list += (list.empty() ? "[" : ", ") + std::to_string(own);
  return list + "]";
}

/// Returns a list of as many equal numbers.
FailureOr<std::string> Expander::listOf(StringRef count, StringRef each) const {
  FailureOr<std::string> length = valueOf(count), value = valueOf(each);
  int64_t left = 0;
  if (failed(length) || failed(value) ||
      StringRef(*length).getAsInteger(10, left))
    return failure();
  constexpr int64_t most = 65536;
  if (left > most)
    return reasons.refuse(row.location)
           << "'" << count << "' must be at most 65,536, the length of a list";
  std::vector<std::string> values(size_t(left), *value);
  return "[" + llvm::join(values, ", ") + "]";
}

FailureOr<std::string> Expander::valueOf(StringRef expression) const {
  if (expression == "rows_per_expert")
    return listOfExperts();
  if (auto [count, each] = expression.split(" of "); !each.empty())
    return listOf(count, each);
  auto own = program.definitions.find(expression.str());
  if (own != program.definitions.end())
    return own->second;
  FailureOr<Symbols> symbols = findSymbols(expression);
  if (failed(symbols))
    return failure();
  std::string text = "affine_map<()[" + llvm::join(symbols->names, ", ") +
                     "] -> (" + expression.str() + ")>";
  auto map = dyn_cast_if_present<AffineMapAttr>(parseAttribute(text, context));
  SmallVector<Attribute> results;
  if (!map || failed(map.getValue().constantFold(symbols->numbers, results)) ||
      cast<IntegerAttr>(results.front()).getInt() < 1)
    return reasons.refuse(row.location)
           << "'" << expression << "' must give a number above 0";
  return std::to_string(cast<IntegerAttr>(results.front()).getInt());
}

/// Returns the length of an expression, up to the parenthesis that closes it.
static size_t lengthOfExpression(StringRef text) {
  int depth = 1;
  size_t length = 0;
  for (; length < text.size(); ++length) {
    depth += text[length] == '(' ? 1 : text[length] == ')' ? -1 : 0;
    if (depth == 0)
      break;
  }
  return length;
}

FailureOr<std::string> Expander::expand(StringRef text) const {
  std::string expanded;
  while (true) {
    auto [before, rest] = text.split("$(");
    expanded += before;
    if (before.size() == text.size())
      return expanded;
    size_t length = lengthOfExpression(rest);
    FailureOr<std::string> value = valueOf(rest.take_front(length));
    if (failed(value))
      return failure();
    expanded += *value;
    text = rest.drop_front(std::min(length + 1, rest.size()));
  }
}

FailureOr<std::string> llm::expandRowProgram(const RowProgram &program,
                                             const MeasuredRow &row,
                                             MLIRContext *context,
                                             Reasons reasons) {
  return Expander(program, row, context, reasons).expand(program.text);
}
