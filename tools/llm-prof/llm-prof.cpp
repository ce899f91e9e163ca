//===- llm-prof.cpp - Predictions beside measurements ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressBar.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Files/OutputFile.h"
#include "llm/Profile/Calibration.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
enum class Format { Table, Json, Csv };

/// What all subcommands take.
struct TableOptions {
  explicit TableOptions(cl::SubCommand &command)
      : target("target", cl::Required, cl::sub(command),
               cl::desc("Preset, or a file of a target (.json, .csv)"),
               cl::value_desc("name")),
        calibrated("calibrated", cl::init(true), cl::sub(command),
                   cl::desc("=false: the figures of the datasheet alone")),
        column("column", cl::sub(command),
               cl::desc("Device of a target file in CSV form"),
               cl::value_desc("name")),
        files(cl::Positional, cl::OneOrMore, cl::sub(command),
              cl::desc("<measured.csv ...>")),
        devices("device", cl::CommaSeparated, cl::sub(command),
                cl::desc("Only rows of these devices"),
                cl::value_desc("names")),
        opKinds("op-kind", cl::CommaSeparated, cl::sub(command),
                cl::desc("Only rows of these kinds of ops"),
                cl::value_desc("names")),
        sources("source", cl::CommaSeparated, cl::sub(command),
                cl::desc("Only rows of these sources"),
                cl::value_desc("names")),
        backends("backend", cl::CommaSeparated, cl::sub(command),
                 cl::desc("Only rows of these backends"),
                 cl::value_desc("names")) {}

  FailureOr<Target> loadTarget(MLIRContext &context, bool calibrated) const;
  FailureOr<std::vector<MeasuredRow>> readRows(MLIRContext &context) const;

  cl::opt<std::string> target;
  cl::opt<bool> calibrated;
  cl::opt<std::string> column;
  cl::list<std::string> files, devices, opKinds, sources, backends;
};
} // namespace

FailureOr<Target> TableOptions::loadTarget(MLIRContext &context,
                                           bool calibrated) const {
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  StringRef name = target;
  bool isFile =
      name.ends_with_insensitive(".json") || name.ends_with_insensitive(".csv");
  if (isFile)
    return loadTargetFile(name, column, &context, emitError, calibrated);
  if (!column.empty())
    return emitError() << "--column= needs a target file in CSV form";
  return loadPreset(name, &context, emitError, calibrated);
}

FailureOr<std::vector<MeasuredRow>>
TableOptions::readRows(MLIRContext &context) const {
  auto list = [](const cl::list<std::string> &option) {
    return std::vector<std::string>(option.begin(), option.end());
  };
  MeasuredFilter filter{list(devices), list(opKinds), list(sources),
                        list(backends)};
  std::vector<MeasuredRow> kept;
  for (const std::string &file : files) {
    FailureOr<std::vector<MeasuredRow>> rows =
        readMeasuredTable(file, &context);
    if (failed(rows))
      return failure();
    llvm::copy_if(*rows, std::back_inserter(kept),
                  [&](const MeasuredRow &row) { return filter.accepts(row); });
  }
  if (kept.empty())
    return emitError(UnknownLoc::get(&context))
           << "no row is left: the filters (--device, --op-kind, --source, "
              "--backend) match none";
  return kept;
}

static LogicalResult writeOutput(StringRef path, MLIRContext &context,
                                 function_ref<void(raw_ostream &)> write) {
  if (llvm::Error error = writeOutputFile(path, write))
    return emitError(UnknownLoc::get(&context))
           << llvm::toString(std::move(error));
  return success();
}

//===----------------------------------------------------------------------===//
// validate
//===----------------------------------------------------------------------===//

static cl::SubCommand
    validateCommand("validate", "Predict measured rows and show the errors");

namespace {
struct ValidateOptions : TableOptions {
  ValidateOptions() : TableOptions(validateCommand) {}
  cl::opt<Format> format{
      "format", cl::desc("What to print"),
      cl::values(clEnumValN(Format::Table, "table", "for people (default)"),
                 clEnumValN(Format::Json, "json", "groups and worst rows"),
                 clEnumValN(Format::Csv, "csv", "one line for each row")),
      cl::init(Format::Table), cl::sub(validateCommand)};
  cl::opt<unsigned> worst{"worst", cl::init(10), cl::sub(validateCommand),
                          cl::desc("How many of the worst rows to list"),
                          cl::value_desc("count")};
  cl::opt<std::string> output{"o", cl::init("-"), cl::sub(validateCommand),
                              cl::desc("Output file"),
                              cl::value_desc("filename")};
};
} // namespace

static LogicalResult runValidate(const ValidateOptions &options,
                                 MLIRContext &context) {
  FailureOr<Target> target = options.loadTarget(context, options.calibrated);
  if (failed(target))
    return failure();
  FailureOr<std::vector<MeasuredRow>> rows = options.readRows(context);
  if (failed(rows))
    return failure();
  ProgressBar progress("predicting", rows->size());
  FailureOr<Validation> validation = validate(
      *rows, *target, &context, [&](size_t done) { progress.update(done); });
  progress.clear();
  if (failed(validation))
    return failure();
  // One line for each row has no place for rows without a prediction.
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

//===----------------------------------------------------------------------===//
// calibrate
//===----------------------------------------------------------------------===//

static cl::SubCommand
    calibrateCommand("calibrate", "Fit figures of a target to measured rows");

namespace {
struct CalibrateOptions : TableOptions {
  CalibrateOptions() : TableOptions(calibrateCommand) {}
  cl::list<std::string> figures{
      "figures", cl::CommaSeparated, cl::sub(calibrateCommand),
      cl::desc("What to fit: paths of the target file, or groups: device (the "
               "clock and the memory rate that are sustained, the energy of "
               "multiply-accumulates that a power limit meets; default), "
               "contraction, attention, elementwise (what kernels lose; with "
               "exactly one --backend its own figures, @backend, where the "
               "target has any), collective (what the first link loses)"),
      cl::value_desc("names")};
  cl::opt<unsigned> folds{"folds", cl::init(0), cl::sub(calibrateCommand),
                          cl::desc("Parts for cross-validation: at least 2, at "
                                   "most one for each shape (default: one for "
                                   "each of up to 20 shapes, of more 5 parts)"),
                          cl::value_desc("count")};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::sub(calibrateCommand),
                         cl::desc("Of the shuffle into parts"),
                         cl::value_desc("number")};
  cl::opt<std::string> predictions{
      "predictions", cl::sub(calibrateCommand),
      cl::desc("CSV file to write: each row as it is predicted without its "
               "shape"),
      cl::value_desc("file.csv")};
  cl::opt<bool> force{
      "force", cl::sub(calibrateCommand),
      cl::desc("Write the target file also where its error on rows left out "
               "is not below the one before")};
  cl::opt<std::string> name{"name", cl::sub(calibrateCommand),
                            cl::desc("Of the target that is written"),
                            cl::value_desc("name")};
  cl::opt<std::string> output{"o", cl::sub(calibrateCommand),
                              cl::desc("Target file to write; without it only "
                                       "the tables are printed"),
                              cl::value_desc("mychip.json")};
};
} // namespace

/// What the target file says of where its figures come from.
static std::string describeRows(ArrayRef<Prediction> predictions) {
  std::set<std::string> names;
  for (const Prediction &prediction : predictions) {
    const MeasuredRow &row = *prediction.row;
    std::string name = row.device;
    for (StringRef part : {StringRef(row.opKind), StringRef(row.backend)})
      name += (name.empty() || part.empty() ? "" : " ") + part.str();
    names.insert(name);
  }
  return std::to_string(predictions.size()) +
         " rows: " + llvm::join(names, "; ");
}

/// One target is one machine: rows of several are only taken where --device
/// says that they are alike.
static LogicalResult checkDevices(const CalibrateOptions &options,
                                  ArrayRef<MeasuredRow> rows,
                                  MLIRContext &context) {
  std::map<std::string, size_t> devices;
  for (const MeasuredRow &row : rows)
    if (!row.device.empty())
      ++devices[row.device];
  if (devices.size() < 2 || !options.devices.empty())
    return success();
  std::vector<std::string> names;
  for (const auto &[device, count] : devices)
    names.push_back("'" + device + "' (" + std::to_string(count) + ")");
  return emitError(UnknownLoc::get(&context))
         << "rows of several devices cannot be fitted together: "
         << llvm::join(names, ", ")
         << "; name one, or those that are one machine (--device)";
}

static FailureOr<CalibrationOptions>
readOptions(const CalibrateOptions &options, MLIRContext &context) {
  CalibrationOptions what;
  what.figures.assign(options.figures.begin(), options.figures.end());
  if (what.figures.empty())
    what.figures = {"device"};
  if (options.backends.size() == 1)
    what.library = options.backends.front();
  what.folds = options.folds;
  what.seed = options.seed;
  if (options.folds.getNumOccurrences() > 0 && what.folds < 2)
    return emitError(UnknownLoc::get(&context))
           << "--folds must be at least 2, got " << what.folds;
  return what;
}

static LogicalResult writeFitted(const CalibrateOptions &options,
                                 Calibration &calibration, Target datasheet,
                                 MLIRContext &context) {
  Target &fitted = calibration.target;
  std::string before = fitted.fittedOn;
  fitted.fittedOn = describeRows(calibration.after.back().predictions);
  if (!before.empty())
    fitted.fittedOn += ". Other figures: " + before;
  if (!options.name.empty())
    fitted.name = datasheet.name = options.name;
  return writeOutput(options.output, context, [&](raw_ostream &os) {
    writeTargetJson(os, fitted, datasheet);
  });
}

static LogicalResult writeCalibration(const CalibrateOptions &options,
                                      Calibration &calibration,
                                      const Target &datasheet,
                                      MLIRContext &context) {
  // Groups end with that of all rows.
  ArrayRef<Prediction> heldOut = calibration.crossValidated.back().predictions;
  if (!options.predictions.empty() &&
      failed(writeOutput(options.predictions, context, [&](raw_ostream &os) {
        printPredictionsCsv(os, heldOut);
      })))
    return failure();
  std::string loss = calibration.describeLoss();
  if (!loss.empty())
    llvm::outs() << "no better: " << loss << "\n";
  if (options.output.empty())
    return success();
  if (!loss.empty() && !options.force)
    return emitError(UnknownLoc::get(&context))
           << "'" << options.output << "' is not written: " << loss
           << "; --force writes it all the same";
  return writeFitted(options, calibration, datasheet, context);
}

static LogicalResult runCalibrate(const CalibrateOptions &options,
                                  MLIRContext &context) {
  FailureOr<CalibrationOptions> what = readOptions(options, context);
  if (failed(what))
    return failure();
  FailureOr<Target> target = options.loadTarget(context, options.calibrated);
  FailureOr<Target> datasheet = options.loadTarget(context, false);
  if (failed(target) || failed(datasheet))
    return failure();
  FailureOr<std::vector<MeasuredRow>> rows = options.readRows(context);
  if (failed(rows) || failed(checkDevices(options, *rows, context)))
    return failure();
  constexpr size_t steps = 1000;
  ProgressBar progress("fitting", steps);
  FailureOr<Calibration> calibration =
      calibrate(*rows, *target, *what, &context,
                [&](double share) { progress.update(size_t(share * steps)); });
  progress.clear();
  if (failed(calibration))
    return failure();
  printCalibration(llvm::outs(), *calibration, *what);
  return writeCalibration(options, *calibration, *datasheet, context);
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

int main(int argc, char **argv) {
  // What is there so far are the hundreds of options of libLLVM.
  cl::HideUnrelatedOptions(ArrayRef<const cl::OptionCategory *>());
  ValidateOptions validateOptions;
  CalibrateOptions calibrateOptions;
  llvm::InitLLVM init(argc, argv);
  obeyNoColor();
  cl::ParseCommandLineOptions(
      argc, argv, "llm-prof: predicted times beside measured ones\n");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<DLTIDialect, LlmDialect>();
  ToolDiagnostics diagnostics("llm-prof", &context);
  if (validateCommand)
    return failed(runValidate(validateOptions, context));
  if (calibrateCommand)
    return failed(runCalibrate(calibrateOptions, context));
  llvm::errs()
      << "llm-prof: name a subcommand, validate or calibrate (llm-prof "
         "validate --help lists its options)\n";
  return 1;
}
