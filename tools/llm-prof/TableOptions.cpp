//===- TableOptions.cpp - Measured rows, and for which machine ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableOptions.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Measurements/RowPrograms.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

TableOptions::TableOptions(cl::SubCommand &command)
    : command(command),
      machine(command),
      calibrated("calibrated", cl::init(true), cl::sub(command),
                 cl::desc("=false: the figures of the datasheet alone")),
      files(cl::Positional, cl::OneOrMore, cl::sub(command),
            cl::desc("<measured.csv ...>")),
      devices("device", cl::CommaSeparated, cl::sub(command),
              cl::desc("Only rows of these devices"), cl::value_desc("names")),
      opKinds("op-kind", cl::CommaSeparated, cl::sub(command),
              cl::desc("Only rows of these kinds of ops"),
              cl::value_desc("names")),
      sources("source", cl::CommaSeparated, cl::sub(command),
              cl::desc("Only rows of these sources"), cl::value_desc("names")),
      backends("backend", cl::CommaSeparated, cl::sub(command),
               cl::desc("Only rows of these backends"),
               cl::value_desc("names")),
      programs("row-programs", cl::sub(command),
               cl::desc("Kinds of rows of your own, as programs"),
               cl::value_desc("file.mlir")) {}

/// Fails if no row has a name that is asked for, which is then a typo.
static LogicalResult checkFilter(const cl::list<std::string> &option,
                                 std::string MeasuredRow::*column,
                                 ArrayRef<MeasuredRow> rows,
                                 MLIRContext &context) {
  std::set<StringRef> found;
  for (const MeasuredRow &row : rows)
    found.insert(row.*column);
  found.erase("");
  SmallVector<StringRef> known(found.begin(), found.end());
  for (const std::string &name : option)
    if (!found.count(name))
      return emitError(UnknownLoc::get(&context))
             << "--" << option.ArgStr << "=" << name << ": no row has it"
             << didYouMean(name, known) << " (the rows have "
             << llvm::join(known, ", ") << ")";
  return success();
}

FailureOr<std::vector<MeasuredRow>>
TableOptions::readRows(MLIRContext &context) const {
  auto list = [](const cl::list<std::string> &option) {
    return std::vector<std::string>(option.begin(), option.end());
  };
  MeasuredFilter filter{list(devices), list(opKinds), list(sources),
                        list(backends)};
  std::shared_ptr<const RowProgramList> ofRows;
  if (!programs.empty()) {
    FailureOr<std::shared_ptr<const RowProgramList>> read =
        readRowPrograms(programs, &context);
    if (failed(read))
      return failure();
    ofRows = std::move(*read);
  }
  std::vector<MeasuredRow> all;
  for (const std::string &file : files) {
    FailureOr<std::vector<MeasuredRow>> rows =
        readMeasuredTable(file, &context, Times::Required, ofRows);
    if (failed(rows))
      return failure();
    llvm::move(*rows, std::back_inserter(all));
  }
  if (failed(checkFilter(devices, &MeasuredRow::device, all, context)) ||
      failed(checkFilter(opKinds, &MeasuredRow::opKind, all, context)) ||
      failed(checkFilter(sources, &MeasuredRow::source, all, context)) ||
      failed(checkFilter(backends, &MeasuredRow::backend, all, context)))
    return failure();
  llvm::erase_if(all,
                 [&](const MeasuredRow &row) { return !filter.accepts(row); });
  if (all.empty())
    return emitError(UnknownLoc::get(&context))
           << "no row is left: the filters (--device, --op-kind, --source, "
              "--backend) match none together";
  return all;
}
