//===- Import.cpp - llm-prof import ---------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CapturedProgram.h"
#include "Open.h"
#include "Subcommand.h"
#include "llm/Console/TextTable.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Export/Page/TracePage.h"
#include "llm/Profile/OpRows.h"
#include "llm/Profile/TraceRows.h"
#include "llm/Trace/TraceWriter.h"
#include "llm/TraceImport/RangeTable.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
enum class Format { Table, Json, Csv };

struct ImportOptions {
  explicit ImportOptions(cl::SubCommand &command) : command(command) {}
  /// Fails if an option is given without one that it needs.
  LogicalResult check(MLIRContext &context) const;
  /// Whether more is asked for than the program of a capture.
  bool asksForTrace() const;
  RangeTableOptions tableOptions() const;

  cl::SubCommand &command;
  cl::opt<std::string> input{cl::Positional, cl::Required, cl::sub(command),
                             cl::desc("<trace>")};
  cl::opt<bool> table{
      "table", cl::sub(command),
      cl::desc("Print where the time went, a row for each path of ranges")};
  cl::opt<Format> format{
      "format", cl::desc("How --table prints"),
      cl::values(clEnumValN(Format::Table, "table", "for people (default)"),
                 clEnumValN(Format::Json, "json", "with what was read"),
                 clEnumValN(Format::Csv, "csv", "one line for each row")),
      cl::init(Format::Table), cl::sub(command)};
  cl::opt<RangeLevels> levels{
      "levels", cl::desc("What paths of --table are made of"),
      cl::values(
          clEnumValN(RangeLevels::Ranges, "ranges", "ranges alone (default)"),
          clEnumValN(RangeLevels::Ops, "ops",
                     "ranges, and ops of the framework"),
          clEnumValN(RangeLevels::Kernels, "kernels",
                     "ranges, ops, and names of the work")),
      cl::init(RangeLevels::Ranges), cl::sub(command)};
  cl::opt<RangeGroups> groups{
      "by", cl::desc("What is apart in --table"),
      cl::values(
          clEnumValN(RangeGroups::All, "all", "nothing (default)"),
          clEnumValN(RangeGroups::Pass, "pass",
                     "runs of an outermost range, or of --range"),
          clEnumValN(RangeGroups::Thread, "thread", "threads of the host"),
          clEnumValN(RangeGroups::Process, "process", "processes of the host")),
      cl::init(RangeGroups::All), cl::sub(command)};
  cl::opt<std::string> pass{
      "range", cl::sub(command), cl::value_desc("name"),
      cl::desc("Passes of --by=pass are the ranges of that name")};
  cl::opt<bool> mergesNumbers{
      "merge-numbers", cl::sub(command),
      cl::desc("Join ranges of --table that differ in whole numbers "
               "(layer.3, layer.4)")};
  cl::opt<std::string> output{"o", cl::init("-"), cl::sub(command),
                              cl::desc("Output file of --table"),
                              cl::value_desc("filename")};
  cl::opt<std::string> perfetto{
      "perfetto", cl::sub(command), cl::value_desc("file"),
      cl::desc("Write the trace for ui.perfetto.dev: *.json or *.pftrace, "
               "either with .gz")};
  cl::opt<std::string> html{
      "html", cl::sub(command), cl::value_desc("file.html"),
      cl::desc("Write the trace and its table as a page for a browser")};
  cl::opt<std::string> rows{
      "rows", cl::sub(command), cl::value_desc("file.csv"),
      cl::desc("Write ops whose sizes the trace has as measured rows, for "
               "validate and calibrate")};
  OpenOption open{command};
};
} // namespace

LogicalResult ImportOptions::check(MLIRContext &context) const {
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(&format),
        static_cast<const cl::Option *>(&levels),
        static_cast<const cl::Option *>(&groups),
        static_cast<const cl::Option *>(&mergesNumbers),
        static_cast<const cl::Option *>(&output)})
    if (option->getNumOccurrences() > 0 && !table)
      return emitToolError(context)
             << (option->ArgStr.size() == 1 ? "-" : "--") << option->ArgStr
             << " says how --table prints, which is not asked for";
  if (!pass.empty() && groups != RangeGroups::Pass)
    return emitToolError(context)
           << "--range=" << pass << " says what the passes of --by=pass are, "
           << "which is not asked for";
  if (std::string fault = findPageFault(html); !fault.empty())
    return emitToolError(context) << "--html=" << html << ": " << fault
                                  << "; --perfetto has the events";
  if (failed(checkTraceName(perfetto, context)))
    return failure();
  return open.check(html, perfetto, context);
}

bool ImportOptions::asksForTrace() const {
  return table || !perfetto.empty() || !html.empty() || !rows.empty();
}

RangeTableOptions ImportOptions::tableOptions() const {
  RangeTableOptions options;
  options.levels = levels;
  options.groups = groups;
  options.pass = pass;
  options.mergesNumbers = mergesNumbers;
  return options;
}

namespace {
class Import : public Subcommand {
public:
  Import() : Subcommand("import", "Read what another tool recorded") {}
  LogicalResult run(MLIRContext &context) override;

private:
  LogicalResult print(const ImportedTrace &trace, MLIRContext &context) const;
  LogicalResult writeTrace(const ImportedTrace &trace,
                           MLIRContext &context) const;
  LogicalResult writePage(const ImportedTrace &trace,
                          MLIRContext &context) const;
  LogicalResult writeRows(const ImportedTrace &trace,
                          MLIRContext &context) const;

  ImportOptions options{command};
  CapturedProgramOptions program{command};
};
} // namespace

/// Prints the table or the summary. A table for programs has no place for the
/// summary, which goes to standard error.
LogicalResult Import::print(const ImportedTrace &trace,
                            MLIRContext &context) const {
  if (!options.table) {
    printTraceSummary(trace, trace.notes, ::llvm::outs());
    return success();
  }
  RangeTable table = makeRangeTable(trace, options.tableOptions());
  if (!options.pass.empty() && !table.hasPasses)
    return emitToolError(context)
           << options.input << ": no range of the host is called '"
           << options.pass << "' (--range)";
  if (options.format == Format::Csv)
    printTraceSummary(trace, table.notes, ::llvm::errs());
  return writeOutput(options.output, context, [&](raw_ostream &os) {
    if (options.format == Format::Json)
      return printRangeJson(table, trace, os);
    if (options.format == Format::Csv)
      return printRangeCsv(table, os);
    printTraceSummary(trace, table.notes, os);
    os << "\n";
    printRangeTable(table, os);
  });
}

LogicalResult Import::writeTrace(const ImportedTrace &trace,
                                 MLIRContext &context) const {
  return writeOutput(options.perfetto, context, [&](raw_ostream &os) {
    TraceWriter writer(encodingOf(options.perfetto), os);
    writeImportedTrace(trace, writer.sink());
  });
}

LogicalResult Import::writePage(const ImportedTrace &trace,
                                MLIRContext &context) const {
  RangeTable table = makeRangeTable(trace, RangeTableOptions());
  std::string encoded = encodeTracePage(trace, table);
  // Chromium opens 10 MB in a second and 95 MB in six.
  constexpr size_t easyBytes = 20'000'000;
  if (encoded.size() > easyBytes)
    emitWarning(UnknownLoc::get(&context))
        << "the page holds " << encoded.size() / 1'000'000
        << " MB, which browsers open slowly; --perfetto=FILE.pftrace is for "
           "long traces";
  return writeOutput(options.html, context, [&](raw_ostream &os) {
    writeTracePage(trace, table, encoded, os);
  });
}

LogicalResult Import::writeRows(const ImportedTrace &trace,
                                MLIRContext &context) const {
  TraceRows made = makeTraceRows(trace, UnknownLoc::get(&context));
  for (const std::string &note : made.notes)
    ::llvm::errs() << "note: " << toPrintable(note) << "\n";
  if (made.rows.empty())
    return emitToolError(context)
           << "'" << options.rows << "' is not written: " << options.input
           << " has no op that is a row; needed are ops of PyTorch with "
              "their sizes (the profiler's record_shapes=True), or of a ggml "
              "capture that times ops";
  return writeOutput(options.rows, context, [&](raw_ostream &os) {
    writeMeasuredTable(made.rows, os);
  });
}

LogicalResult Import::run(MLIRContext &context) {
  if (failed(options.check(context)) || failed(program.check(context)))
    return failure();
  if (program.areGiven()) {
    LogicalResult result = program.run(options.input, context);
    if (failed(result) || !options.asksForTrace())
      return result;
  }
  ::llvm::Expected<ImportedTrace> trace = readTrace(options.input);
  if (!trace)
    return emitToolError(context) << ::llvm::toString(trace.takeError());
  if (failed(print(*trace, context)))
    return failure();
  if (!options.perfetto.empty() && failed(writeTrace(*trace, context)))
    return failure();
  if (!options.html.empty() && failed(writePage(*trace, context)))
    return failure();
  if (!options.rows.empty() && failed(writeRows(*trace, context)))
    return failure();
  return options.open.run(options.html, options.perfetto, context);
}

std::unique_ptr<Subcommand> mlir::llm::makeImport() {
  return std::make_unique<Import>();
}
