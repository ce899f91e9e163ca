//===- Syntax.h - The text of types and attributes --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_PLANS_SYNTAX_H
#define LLM_LIB_DIALECT_LLM_PLANS_SYNTAX_H

#include "FigureSyntax.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"

namespace mlir::llm {

/// [128, ?]: 128 in one dimension, and all of the other.
inline ParseResult parseBlock(AsmParser &parser,
                              SmallVectorImpl<int64_t> &block) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (failed(parser.parseOptionalQuestion()))
          return parser.parseInteger(block.emplace_back());
        block.push_back(ScalesAttr::wholeDimension);
        return success();
      });
}

inline void printBlock(AsmPrinter &printer, ArrayRef<int64_t> block) {
  printer << "[";
  llvm::interleaveComma(block, printer.getStream(), [&](int64_t size) {
    if (size == ScalesAttr::wholeDimension)
      printer << "?";
    else
      printer << size;
  });
  printer << "]";
}

inline ParseResult parseFlag(AsmParser &parser, bool &flag) {
  if (succeeded(parser.parseOptionalKeyword("false"))) {
    flag = false;
    return success();
  }
  flag = true;
  return parser.parseKeyword("true");
}

inline void printFlag(AsmPrinter &printer, bool flag) {
  printer << (flag ? "true" : "false");
}

/// A number, or `?` for one that is open.
inline ParseResult parseSize(AsmParser &parser, int64_t &size) {
  if (failed(parser.parseOptionalQuestion()))
    return parser.parseInteger(size);
  size = ShapedType::kDynamic;
  return success();
}

inline void printSize(AsmPrinter &printer, int64_t size) {
  if (ShapedType::isDynamic(size))
    printer << "?";
  else
    printer << size;
}

/// Parses `{name = value, ..}` with values parsed by `parseValue`.
inline ParseResult
parseEntries(AsmParser &parser, DictionaryAttr &entries,
             function_ref<ParseResult(Attribute &)> parseValue) {
  NamedAttrList list;
  auto parseEntry = [&]() -> ParseResult {
    std::string name;
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
        parseValue(value))
      return failure();
    if (name.empty() || list.get(name)) // attr-C5
      return parser.emitError(loc) << "name '" << name << "' is "
                                   << (name.empty() ? "empty" : "given twice");
    list.set(name, value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry))
    return failure();
  entries = list.getDictionary(parser.getContext());
  return success();
}

inline void printEntries(AsmPrinter &printer, DictionaryAttr entries,
                         function_ref<void(Attribute)> printValue) {
  printer << "{";
  llvm::interleaveComma(entries, printer.getStream(),
                        [&](NamedAttribute entry) {
                          printer.printKeywordOrString(entry.getName());
                          printer << " = ";
                          printValue(entry.getValue());
                        });
  printer << "}";
}

inline ParseResult parseAmounts(AsmParser &parser, DictionaryAttr &amounts) {
  return parseEntries(parser, amounts, [&](Attribute &value) -> ParseResult {
    int64_t amount;
    if (parser.parseInteger(amount))
      return failure();
    value = parser.getBuilder().getI64IntegerAttr(amount);
    return success();
  });
}

inline void printAmounts(AsmPrinter &printer, DictionaryAttr amounts) {
  printEntries(printer, amounts, [&](Attribute value) {
    printer << cast<IntegerAttr>(value).getInt();
  });
}

/// Stands where the flag is set only.
inline ParseResult parseWholeModel(AsmParser &parser, bool &isWhole) {
  isWhole = true;
  return parser.parseKeyword("whole_model");
}

inline void printWholeModel(AsmPrinter &printer, bool) {
  printer << "whole_model";
}

inline ParseResult parseBackward(AsmParser &parser, bool &isBackward) {
  isBackward = true;
  return parser.parseKeyword("backward");
}

inline void printBackward(AsmPrinter &printer, bool) { printer << "backward"; }

inline ParseResult parseTraffic(AsmParser &parser, DictionaryAttr &traffic) {
  return parseEntries(parser, traffic, [&](Attribute &value) -> ParseResult {
    DictionaryAttr amounts;
    if (parseAmounts(parser, amounts))
      return failure();
    value = amounts;
    return success();
  });
}

inline void printTraffic(AsmPrinter &printer, DictionaryAttr traffic) {
  printEntries(printer, traffic, [&](Attribute value) {
    printAmounts(printer, cast<DictionaryAttr>(value));
  });
}

//===----------------------------------------------------------------------===//
// Axes of a grid
//===----------------------------------------------------------------------===//

/// pp = 2, tp = 8
inline ParseResult parseGridAxes(AsmParser &parser,
                                 SmallVectorImpl<StringAttr> &axes,
                                 SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    std::string axis;
    if (parser.parseKeywordOrString(&axis) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    axes.push_back(parser.getBuilder().getStringAttr(axis));
    return success();
  });
}

inline void printGridAxes(AsmPrinter &printer, ArrayRef<StringAttr> axes,
                          ArrayRef<int64_t> sizes) {
  llvm::interleaveComma(llvm::zip_equal(axes, sizes), printer.getStream(),
                        [&](auto axis) {
                          printer.printKeywordOrString(std::get<0>(axis));
                          printer << " = " << std::get<1>(axis);
                        });
}

/// [4096, 1024, 1024], or 512 x 8: 512 of size 8.
inline ParseResult parseSegments(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &segments) {
  int64_t count = 0, size = 0;
  OptionalParseResult isCounted = parser.parseOptionalInteger(count);
  if (!isCounted.has_value())
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseInteger(segments.emplace_back());
    });
  SMLoc loc = parser.getCurrentLocation();
  if (*isCounted || parser.parseKeyword("x") || parser.parseInteger(size))
    return failure();
  constexpr int64_t most = int64_t(1) << 24;
  if (count < 1 || count > most) // shard-C2
    return parser.emitError(loc)
           << "expected 1 to " << most << " segments, got " << count;
  segments.assign(count, size);
  return success();
}

inline void printSegments(AsmPrinter &printer, ArrayRef<int64_t> segments) {
  constexpr size_t fewest = 5; // fewer are written one by one
  if (segments.size() >= fewest && llvm::all_equal(segments)) {
    printer << segments.size() << " x " << segments.front();
    return;
  }
  printer << "[";
  llvm::interleaveComma(segments, printer.getStream());
  printer << "]";
}

/// {m = [dp], n = [tp] of [4096, 1024, 1024]}
inline ParseResult parseAxesByLoop(AsmParser &parser, DictionaryAttr &loops) {
  return parseEntries(parser, loops, [&](Attribute &value) -> ParseResult {
    ArrayAttr axes;
    if (parseAxes(parser, axes))
      return failure();
    value = axes;
    if (failed(parser.parseOptionalKeyword("of")))
      return success();
    SmallVector<int64_t> segments;
    if (parseSegments(parser, segments))
      return failure();
    SmallVector<Attribute> entry(axes.getValue());
    entry.push_back(parser.getBuilder().getDenseI64ArrayAttr(segments));
    value = parser.getBuilder().getArrayAttr(entry);
    return success();
  });
}

inline void printAxesByLoop(AsmPrinter &printer, DictionaryAttr loops) {
  printEntries(printer, loops, [&](Attribute value) {
    ArrayRef<Attribute> entry = cast<ArrayAttr>(value).getValue();
    auto segments = dyn_cast<DenseI64ArrayAttr>(entry.back());
    if (segments)
      entry = entry.drop_back();
    printAxes(printer, ArrayAttr::get(value.getContext(), entry));
    if (!segments)
      return;
    printer << " of ";
    printSegments(printer, segments.asArrayRef());
  });
}

//===----------------------------------------------------------------------===//
// Numbers of sequences and of blocks
//===----------------------------------------------------------------------===//

/// 511, or [511, 100] for each sequence.
inline ParseResult parsePositions(AsmParser &parser,
                                  SmallVectorImpl<int64_t> &positions) {
  if (failed(parser.parseOptionalLSquare()))
    return parseSize(parser, positions.emplace_back());
  return failure(failed(parser.parseCommaSeparatedList([&] {
                   return parser.parseInteger(positions.emplace_back());
                 })) ||
                 failed(parser.parseRSquare()));
}

inline void printPositions(AsmPrinter &printer, ArrayRef<int64_t> positions) {
  if (positions.size() == 1)
    printSize(printer, positions.front());
  else
    printer << "[" << positions << "]";
}

/// [512, 100]: one number for each sequence, also where there is one.
inline ParseResult parseLengths(AsmParser &parser,
                                SmallVectorImpl<int64_t> &lengths) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(lengths.emplace_back());
  });
}

inline void printLengths(AsmPrinter &printer, ArrayRef<int64_t> lengths) {
  printer << "[" << lengths << "]";
}

/// batch = 16, seq = 1, kv_len = 2048 and batch = 1, seq = 512, kv_len = 1536
inline ParseResult parseSequenceGroups(AsmParser &parser,
                                       SmallVectorImpl<SequencesAttr> &groups) {
  auto parseNumber = [&](StringRef key, int64_t &value) -> ParseResult {
    return failure(parser.parseKeyword(key) || parser.parseEqual() ||
                   parseSize(parser, value) || parser.parseComma());
  };
  do {
    int64_t batch, seq;
    SmallVector<int64_t> kvLens;
    SMLoc loc = parser.getCurrentLocation();
    if (parseNumber("batch", batch) || parseNumber("seq", seq) ||
        parser.parseKeyword("kv_len") || parser.parseEqual() ||
        parsePositions(parser, kvLens))
      return failure();
    groups.push_back(SequencesAttr::getChecked(
        [&] { return parser.emitError(loc); }, parser.getContext(), batch, seq,
        ArrayRef<int64_t>(kvLens)));
    if (!groups.back())
      return failure();
  } while (succeeded(parser.parseOptionalKeyword("and")));
  return success();
}

inline void printSequenceGroups(AsmPrinter &printer,
                                ArrayRef<SequencesAttr> groups) {
  llvm::interleave(
      groups, printer.getStream(),
      [&](SequencesAttr group) {
        printer << "batch = ";
        printSize(printer, group.getBatch());
        printer << ", seq = ";
        printSize(printer, group.getSeq());
        printer << ", kv_len = ";
        printPositions(printer, group.getKvLens());
      },
      " and ");
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// A list with a line for each entry, so that a diff of two programs shows only
/// the entries that differ. An attribute does not know how deep its op stands:
/// each line is indented as under an op of a function's loop.
template <typename Attr>
ParseResult parseLines(AsmParser &parser, SmallVectorImpl<Attr> &entries) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        FailureOr<Attr> entry = FieldParser<Attr>::parse(parser);
        if (failed(entry))
          return failure();
        entries.push_back(*entry);
        return success();
      });
}

template <typename Attr>
void printLines(AsmPrinter &printer, ArrayRef<Attr> entries) {
  printer << "[\n        ";
  llvm::interleave(
      entries, printer.getStream(),
      [&](Attr entry) { printer.printStrippedAttrOrType(entry); },
      ",\n        ");
  printer << "\n      ]";
}

/// The second line of a cost.
inline ParseResult parseWorkingSetLine(AsmParser &parser, int64_t &bytes) {
  return failure(parser.parseKeyword("working_set_bytes") ||
                 parser.parseEqual() || parser.parseInteger(bytes));
}

inline void printWorkingSetLine(AsmPrinter &printer, int64_t bytes) {
  printer << "\n         working_set_bytes = " << bytes;
}

/// The first line of a schedule: that of the function does not change with it.
inline ParseResult parsePolicyLine(AsmParser &parser, StringAttr &policy) {
  return failure(parser.parseKeyword("policy") || parser.parseEqual() ||
                 parser.parseAttribute(policy));
}

inline void printPolicyLine(AsmPrinter &printer, StringAttr policy) {
  printer << "\n      policy = " << policy;
}

/// The second line of a schedule.
inline ParseResult parseBoundsLine(AsmParser &parser, DictionaryAttr &bounds) {
  return failure(parser.parseKeyword("bounds") || parser.parseEqual() ||
                 parseAmounts(parser, bounds));
}

inline void printBoundsLine(AsmPrinter &printer, DictionaryAttr bounds) {
  printer << "\n      bounds = ";
  printAmounts(printer, bounds);
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_PLANS_SYNTAX_H
