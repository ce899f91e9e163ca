//===- Validate.cpp - llm-prof validate -----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressBar.h"
#include "Subcommand.h"
#include "TableOptions.h"
#include "llm/Diagnostics/Warnings.h"
#include "llm/Measurements/MeasuredCosts.h"
#include "llm/Profile/Validation.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
enum class Format { Table, Json, Csv };

struct ValidateOptions : TableOptions {
  using TableOptions::TableOptions;
  cl::opt<Format> format{
      "format", cl::desc("What to print"),
      cl::values(clEnumValN(Format::Table, "table", "for people (default)"),
                 clEnumValN(Format::Json, "json", "groups and worst rows"),
                 clEnumValN(Format::Csv, "csv", "one line for each row")),
      cl::init(Format::Table), cl::sub(command)};
  cl::list<std::string> measured{
      "measured", cl::CommaSeparated, cl::sub(command),
      cl::desc("Tables of measured times that correct predictions"),
      cl::value_desc("measured.csv")};
  cl::opt<unsigned> worst{"worst", cl::init(10), cl::sub(command),
                          cl::desc("How many of the worst rows to list"),
                          cl::value_desc("N")};
  cl::opt<std::string> output{"o", cl::init("-"), cl::sub(command),
                              cl::desc("Output file"),
                              cl::value_desc("filename")};
};

class Validate : public Subcommand {
public:
  Validate()
      : Subcommand("validate", "Predict measured rows and show the errors") {}
  LogicalResult run(MLIRContext &context) override;

private:
  LogicalResult readMeasured(Target &target, MLIRContext &context);

  ValidateOptions options{command};
};
} // namespace

LogicalResult Validate::readMeasured(Target &target, MLIRContext &context) {
  if (options.measured.empty())
    return success();
  MeasuredFilter filter;
  filter.devices = options.devices;
  filter.backends = options.backends;
  return readMeasuredTimes(
      options.measured, filter, target, &context,
      [&] {
        return emitError(UnknownLoc::get(&context)) << "option '--measured': ";
      },
      Conditions::OfRow);
}

LogicalResult Validate::run(MLIRContext &context) {
  FailureOr<Target> target = options.machine.load(context, options.calibrated);
  if (failed(target))
    return failure();
  FailureOr<std::vector<MeasuredRow>> rows = options.readRows(context);
  if (failed(rows) || failed(readMeasured(*target, context)))
    return failure();
  ProgressBar progress("predicting", rows->size());
  FailureOr<Validation> validation = validate(
      *rows, *target, &context, [&](size_t done) { progress.update(done); });
  progress.clear();
  if (failed(validation))
    return failure();
  // The CSV has a line for each prediction, and no place for rows without one.
  if (options.format == Format::Csv)
    emitWarnings(validation->unpredicted);
  return writeOutput(options.output, context, [&](raw_ostream &os) {
    if (options.format == Format::Json)
      printValidationJson(os, *validation, *target, options.worst);
    else if (options.format == Format::Csv)
      printValidationCsv(os, *validation);
    else
      printValidationTable(os, *validation, *target, options.worst);
  });
}

std::unique_ptr<Subcommand> mlir::llm::makeValidate() {
  return std::make_unique<Validate>();
}
