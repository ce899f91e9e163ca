//===- BaselineReport.cpp - A report that another run has written ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Report/BaselineReport.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/LocatedJson.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

/// Messages begin with this option.
static std::string optionOf(const Pass &pass) {
  return ("--" + pass.getArgument() + "=baseline=...: ").str();
}

//===----------------------------------------------------------------------===//
// What a report has
//===----------------------------------------------------------------------===//

/// Checks the members that every reader of a report needs.
static LogicalResult checkReport(const LocatedJson &report) {
  for (StringRef key : {"ops", "engines", "memories", "loops"}) {
    FailureOr<const LocatedJson *> list = report.require(key);
    if (failed(list) || failed((*list)->expectArray()))
      return failure();
  }
  for (StringRef key : {"function", "target", "policy"}) {
    FailureOr<const LocatedJson *> name = report.require(key);
    if (failed(name) || failed((*name)->asString()))
      return failure();
  }
  for (StringRef key : {"clock_hz", "makespan_cycles", "makespan_us"}) {
    FailureOr<const LocatedJson *> number = report.require(key);
    if (failed(number) || failed((*number)->asNumber()))
      return failure();
  }
  return success();
}

static FailureOr<std::string> nameOf(const LocatedJson &op) {
  FailureOr<const LocatedJson *> name = op.require("name");
  if (failed(name))
    return failure();
  return (*name)->asString();
}

/// Reads the names of the ops that run in a kernel of several ops.
static LogicalResult readParts(const LocatedJson &op, NamedOp &named) {
  const LocatedJson *inside = op.find("fused");
  for (const LocatedJson &part :
       inside ? inside->elements() : std::vector<LocatedJson>()) {
    FailureOr<std::string> name = nameOf(part);
    if (failed(name))
      return failure();
    if (!name->empty())
      named.parts.push_back(*name);
  }
  return success();
}

static FailureOr<int64_t> readCycle(const LocatedJson &slot, StringRef key) {
  FailureOr<const LocatedJson *> cycle = slot.require(key);
  if (failed(cycle))
    return failure();
  return (*cycle)->asNonNegative();
}

/// The extent is from the first start of the op's slots to their last end.
static LogicalResult readSlots(const LocatedJson &op, OpExtent &extent) {
  FailureOr<const LocatedJson *> slots = op.require("slots");
  if (failed(slots) || failed((*slots)->expectArray()))
    return failure();
  for (const LocatedJson &slot : (*slots)->elements()) {
    FailureOr<int64_t> start = readCycle(slot, "start_cycle");
    FailureOr<int64_t> end = readCycle(slot, "end_cycle");
    if (failed(start) || failed(end))
      return failure();
    bool isFirst = &slot == &(*slots)->elements().front();
    extent.startCycle = isFirst ? *start : std::min(extent.startCycle, *start);
    extent.endCycle = std::max(extent.endCycle, *end);
  }
  return success();
}

static LogicalResult readExtent(const LocatedJson &op, OpExtent &extent) {
  FailureOr<const LocatedJson *> count = op.require("count");
  if (failed(count))
    return failure();
  FailureOr<int64_t> runs = (*count)->asPositive();
  if (failed(runs))
    return failure();
  extent.count = *runs;
  const LocatedJson *loops = op.find("loops");
  for (const LocatedJson &loop :
       loops ? loops->elements() : std::vector<LocatedJson>()) {
    FailureOr<int64_t> number = loop.asNonNegative();
    if (failed(number))
      return failure();
    extent.loops.push_back(*number);
  }
  return readSlots(op, extent);
}

namespace {
/// Reads the ops of a report one by one: one of 200,000 ops has ten million
/// values, of which a comparison needs some.
class RunReader {
public:
  FailureOr<std::vector<ComparableRun>> read(StringRef text, StringRef path,
                                             MLIRContext *context);

private:
  LogicalResult takeOp(StringRef list, const LocatedJson &op);
  FailureOr<ComparableRun> readRun(const LocatedJson &report);
  FailureOr<std::vector<ComparableRun>> readRuns(const LocatedJson &root);

  /// Ops by the path of their list, of runs that are not complete.
  std::map<std::string, ComparableRun, std::less<>> opsOf;
};
} // namespace

/// "ops", or "functions[0].ops"; but not those of a comparison.
static bool isListOfOps(StringRef path) {
  return path == "ops" ||
         (path.starts_with("functions[") && path.ends_with("].ops"));
}

static bool isReadOfReport(StringRef path, StringRef key) {
  static const StringRef ofReports[] = {
      "functions", "function", "target",      "policy",
      "engines",   "memories", "loops",       "makespan_cycles",
      "clock_hz",  "ops",      "makespan_us", "program"};
  static const StringRef ofParts[] = {
      "name",        "count", "loops", "fused",     "slots",  "start_cycle",
      "end_cycle",   "model", "phase", "sequences", "layers", "model_layers",
      "whole_model", "batch", "seq",   "kv_len"};
  bool isReport =
      path.empty() || (path.starts_with("functions[") && !path.contains('.'));
  return isReport ? ::llvm::is_contained(ofReports, key)
                  : ::llvm::is_contained(ofParts, key);
}

LogicalResult RunReader::takeOp(StringRef list, const LocatedJson &op) {
  auto it = opsOf.find(list);
  ComparableRun &run = it != opsOf.end() ? it->second : opsOf[list.str()];
  FailureOr<std::string> name = nameOf(op);
  if (failed(name))
    return failure();
  run.ops.push_back({*name});
  run.extents.emplace_back();
  return failure(failed(readParts(op, run.ops.back())) ||
                 failed(readExtent(op, run.extents.back())));
}

static FailureOr<std::string> readSequences(const LocatedJson &group) {
  FailureOr<const LocatedJson *> batch = group.require("batch"),
                                 seq = group.require("seq"),
                                 keys = group.require("kv_len");
  if (failed(batch) || failed(seq) || failed(keys))
    return failure();
  FailureOr<int64_t> sequences = (*batch)->asPositive(),
                     tokens = (*seq)->asPositive();
  if (failed(sequences) || failed(tokens) || failed((*keys)->expectArray()))
    return failure();
  SmallVector<int64_t> kvLens;
  for (const LocatedJson &length : (*keys)->elements()) {
    FailureOr<int64_t> number = length.asNonNegative();
    if (failed(number))
      return failure();
    kvLens.push_back(*number);
  }
  if (kvLens.empty())
    return (*keys)->emitError() << "'kv_len' must have a number";
  return describeSequences(*sequences, *tokens, kvLens);
}

/// Reads what was imported.
static FailureOr<RunProgram> readProgram(const LocatedJson &program) {
  FailureOr<const LocatedJson *> model = program.require("model"),
                                 phase = program.require("phase"),
                                 groups = program.require("sequences"),
                                 layers = program.require("layers"),
                                 modelLayers = program.require("model_layers"),
                                 isWhole = program.require("whole_model");
  if (failed(model) || failed(phase) || failed(groups) || failed(layers) ||
      failed(modelLayers) || failed(isWhole))
    return failure();
  FailureOr<std::string> modelName = (*model)->asString(),
                         phaseName = (*phase)->asString();
  FailureOr<int64_t> count = (*layers)->asPositive(),
                     all = (*modelLayers)->asPositive();
  FailureOr<bool> whole = (*isWhole)->asBoolean();
  if (failed(modelName) || failed(phaseName) || failed(count) || failed(all) ||
      failed(whole) || failed((*groups)->expectArray()))
    return failure();
  SmallVector<std::string> sequences;
  for (const LocatedJson &group : (*groups)->elements()) {
    FailureOr<std::string> text = readSequences(group);
    if (failed(text))
      return failure();
    sequences.push_back(*text);
  }
  return RunProgram{*modelName, *phaseName, ::llvm::join(sequences, " and "),
                    describeLayers(*count, *all, *whole)};
}

FailureOr<ComparableRun> RunReader::readRun(const LocatedJson &report) {
  if (failed(checkReport(report)))
    return failure();
  ComparableRun run = std::move(opsOf[report.find("ops")->path()]);
  run.function = *report.find("function")->asString();
  run.target = *report.find("target")->asString();
  run.clockHz = *report.find("clock_hz")->asNumber();
  if (run.clockHz <= 0)
    return report.find("clock_hz")->emitError() << "'clock_hz' must be above 0";
  run.makespanMicroseconds = *report.find("makespan_us")->asNumber();
  if (const LocatedJson *program = report.find("program")) {
    FailureOr<RunProgram> imported = readProgram(*program);
    if (failed(imported))
      return failure();
    run.program = std::move(*imported);
  }
  return run;
}

FailureOr<std::vector<ComparableRun>>
RunReader::readRuns(const LocatedJson &root) {
  const LocatedJson *several = root.find("functions");
  if (several && failed(several->expectArray()))
    return failure();
  std::vector<ComparableRun> runs;
  for (const LocatedJson &report :
       several ? ArrayRef(several->elements()) : ArrayRef(root)) {
    FailureOr<ComparableRun> run = readRun(report);
    if (failed(run))
      return failure();
    runs.push_back(std::move(*run));
  }
  return runs;
}

/// Says what a file is that people have beside their reports.
static StringRef describeOther(StringRef text) {
  if (text.starts_with("function,"))
    return "a CSV report";
  if (text.starts_with_insensitive("<!doctype html"))
    return "a page";
  // What is wrong with a schedule stands above the first line.
  auto [above, below] = text.split("\nfits ");
  if (above.contains(" on ") && !below.empty())
    return "the report as a table";
  if (text.starts_with("#") || text.starts_with("module") ||
      text.starts_with("func"))
    return "a program";
  return "no JSON";
}

/// What begins with no bracket is no JSON, of which the parser would only name
/// the first letter.
static LogicalResult expectJson(const Pass &pass, StringRef text,
                                StringRef path, MLIRContext *context) {
  text = text.ltrim();
  if (text.empty() || text.starts_with("{") || text.starts_with("["))
    return success();
  return emitError(FileLineColLoc::get(context, path, 1, 1))
         << optionOf(pass)
         << "expected a JSON report, which the other run writes with "
            "\"--llm-export-report=format=json file=before.json\"; this is "
         << describeOther(text);
}

/// The functions of a JSON report.
FailureOr<std::vector<ComparableRun>>
RunReader::read(StringRef text, StringRef path, MLIRContext *context) {
  bool isOther = false; // JSON, but no report
  auto take = [&](StringRef list, const LocatedJson &op) {
    isOther = failed(takeOp(list, op));
    return failure(isOther);
  };
  FailureOr<LocatedJson> root = LocatedJson::parseParts(
      text, path, context, {isReadOfReport, isListOfOps, take});
  FailureOr<std::vector<ComparableRun>> runs = failure();
  if (succeeded(root))
    runs = readRuns(*root);
  if (failed(runs) && (isOther || succeeded(root)))
    emitError(FileLineColLoc::get(context, path, 1, 1))
        << "expected a report of --llm-export-report=format=json";
  return runs;
}

//===----------------------------------------------------------------------===//
// What it is compared with
//===----------------------------------------------------------------------===//

/// Writes "'a', 'b'"; names a few if there are very many.
static std::string listNames(ArrayRef<std::string> names) {
  constexpr size_t most = 8;
  std::string text = "'" + ::llvm::join(names.take_front(most), "', '") + "'";
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

/// Warns of the functions that are compared with nothing.
static void warnOfUncompared(const Pass &pass,
                             ArrayRef<ComparableRun> functions,
                             ArrayRef<ComparableRun> inBaseline, Location loc) {
  if (functions.size() == 1 && inBaseline.size() == 1)
    return;
  std::string option = optionOf(pass);
  auto namesOf = [](ArrayRef<ComparableRun> of) {
    return ::llvm::map_to_vector(
        of, [](const ComparableRun &run) { return run.function; });
  };
  auto without = [&](ArrayRef<ComparableRun> of,
                     ArrayRef<ComparableRun> others) {
    SmallVector<std::string> known = namesOf(others), left = namesOf(of);
    ::llvm::erase_if(left, [&](const std::string &name) {
      return ::llvm::is_contained(known, name);
    });
    return left;
  };
  if (auto left = without(functions, inBaseline); !left.empty())
    emitWarning(loc) << option << "the baseline has no function "
                     << listNames(left) << ", only "
                     << listNames(namesOf(inBaseline))
                     << ", so nothing is compared there";
  if (auto left = without(inBaseline, functions); !left.empty())
    emitWarning(loc) << option
                     << "in the baseline only, and compared with nothing: "
                     << listNames(left);
}

FailureOr<BesideBaseline>
mlir::llm::compareWithBaseline(const Pass &pass, StringRef path,
                               ArrayRef<Report> reports, Location loc) {
  MLIRContext *context = loc.getContext();
  ::llvm::Expected<std::unique_ptr<::llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return emitError(UnknownLoc::get(context))
           << optionOf(pass) << ::llvm::toString(file.takeError());
  StringRef text = (*file)->getBuffer();
  text.consume_front("\xEF\xBB\xBF"); // the byte order mark
  if (failed(expectJson(pass, text, path, context)))
    return failure();
  FailureOr<std::vector<ComparableRun>> baselines =
      RunReader().read(text, path, context);
  if (failed(baselines))
    return failure();
  BesideBaseline beside;
  for (const Report &report : reports)
    beside.runs.push_back(comparableRun(report));
  warnOfUncompared(pass, beside.runs, *baselines, loc);
  beside.text = text.str();
  beside.baselines = std::move(*baselines);
  beside.comparisons = compareRuns(beside.runs, beside.baselines);
  return beside;
}
