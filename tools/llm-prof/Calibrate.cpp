//===- Calibrate.cpp - llm-prof calibrate ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressBar.h"
#include "Subcommand.h"
#include "TableOptions.h"
#include "llm/Profile/Calibration.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
struct CalibrateOptions : TableOptions {
  using TableOptions::TableOptions;
  cl::list<std::string> figures{
      "figures", cl::CommaSeparated, cl::sub(command),
      cl::desc("What to fit: paths of the target file, or groups (default: "
               "device):\ndevice: sustained clock and memory rate, energy per "
               "multiply-accumulate\ncontraction, attention, elementwise: what "
               "kernels lose; with one --backend,\n  the figures of that "
               "library (@backend), where the target has any\ncollective: what "
               "the first link loses\nexperts: what it loses for rows that go "
               "to experts and come back"),
      cl::value_desc("names")};
  cl::opt<unsigned> folds{
      "folds", cl::init(0), cl::sub(command),
      cl::desc("Parts for cross-validation, 2 up to the number of shapes "
               "(default:\none for each of up to 20 shapes, else 5)"),
      cl::value_desc("N")};
  cl::opt<uint64_t> seed{"seed", cl::init(0), cl::sub(command),
                         cl::desc("Of the shuffle into parts"),
                         cl::value_desc("N")};
  cl::opt<std::string> predictions{
      "predictions", cl::sub(command),
      cl::desc("CSV file to write: each row as it is predicted without its "
               "shape"),
      cl::value_desc("file.csv")};
  cl::opt<bool> force{
      "force", cl::sub(command),
      cl::desc(
          "Write the target file also if its error on held-out rows is not "
          "lower")};
  cl::opt<std::string> name{"name", cl::sub(command),
                            cl::desc("Of the target that is written"),
                            cl::value_desc("name")};
  cl::opt<std::string> output{"o", cl::sub(command),
                              cl::desc("Target file to write; without it only "
                                       "the tables are printed"),
                              cl::value_desc("mychip.json")};
};

class Calibrate : public Subcommand {
public:
  Calibrate()
      : Subcommand("calibrate", "Fit figures of a target to measured rows") {}
  LogicalResult run(MLIRContext &context) override;

private:
  CalibrateOptions options{command};
};
} // namespace

/// Describes for the target file where its figures come from.
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

/// Checks that rows are of one machine, as one target is. Rows of several are
/// only taken if --device says that they are alike.
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
  // The last group has all rows.
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

LogicalResult Calibrate::run(MLIRContext &context) {
  FailureOr<CalibrationOptions> what = readOptions(options, context);
  if (failed(what))
    return failure();
  FailureOr<Target> target = options.machine.load(context, options.calibrated);
  FailureOr<Target> datasheet = options.machine.load(context, false);
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

std::unique_ptr<Subcommand> mlir::llm::makeCalibrate() {
  return std::make_unique<Calibrate>();
}
