//===- Serve.cpp - llm-prof serve -----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressBar.h"
#include "Subcommand.h"
#include "TargetOptions.h"
#include "llm/Console/TextTable.h"
#include "llm/Files/LocatedJson.h"
#include "llm/Import/HfConfig.h"
#include "llm/Serving/Deployments.h"
#include "llm/Serving/ServedTable.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

namespace {
enum class Format { Table, Csv };

struct ServeOptions {
  explicit ServeOptions(cl::SubCommand &command) : command(command) {}

  cl::SubCommand &command;
  cl::opt<std::string> config{cl::Positional, cl::Required, cl::sub(command),
                              cl::desc("<config.json>")};
  TargetOptions machine{command};
  cl::opt<std::string> library{
      "library", cl::sub(command), cl::value_desc("name[,name...]"),
      cl::desc("Libraries whose figures of kernels count, as of\n--llm-target "
               "(default: those that the target says)")};
  cl::list<int64_t> tensorParallel{
      "tp", cl::CommaSeparated, cl::sub(command), cl::value_desc("N[,N...]"),
      cl::desc("Chips over which each copy of the model is cut (default: 1)")};
  cl::list<int64_t> chips{
      "chips", cl::CommaSeparated, cl::sub(command), cl::value_desc("N[,N...]"),
      cl::desc("All ways to use so many chips: copies of the model, each cut "
               "by\ntp, ep, dp and pp, with what each needs on a chip")};
  cl::opt<int64_t> most{"most", cl::init(16), cl::sub(command),
                        cl::value_desc("N"),
                        cl::desc("Lines of that table (default: 16)")};
  cl::list<int64_t> requests{"requests", cl::CommaSeparated, cl::sub(command),
                             cl::value_desc("N[,N...]"),
                             cl::desc("Requests at a time (default: 1)")};
  cl::opt<int64_t> inputTokens{"isl", cl::init(1024), cl::sub(command),
                               cl::value_desc("N"),
                               cl::desc("Tokens of a prompt (default: 1024)")};
  cl::opt<int64_t> outputTokens{
      "osl", cl::init(1024), cl::sub(command), cl::value_desc("N"),
      cl::desc("Tokens that a request asks for (default: 1024)")};
  cl::opt<int64_t> workers{
      "workers", cl::init(1), cl::sub(command), cl::value_desc("N"),
      cl::desc("Copies of the model that share the requests (default: 1)")};
  cl::opt<int64_t> promptWorkers{
      "prompt-workers", cl::init(0), cl::sub(command), cl::value_desc("N"),
      cl::desc("More copies, which read prompts and do nothing else (default: "
               "0, each copy does both)")};
  cl::opt<double> cacheBytesPerSecond{
      "cache-bytes-per-second", cl::init(0), cl::sub(command),
      cl::value_desc("rate"),
      cl::desc("At which caches go from them to the others (default: 0, in no "
               "time)")};
  cl::opt<double> hostPerStep{
      "host-us-per-step", cl::init(0), cl::sub(command), cl::value_desc("us"),
      cl::desc("What the host adds to each step (default: 0)")};
  cl::opt<double> hostPerSequence{
      "host-us-per-sequence", cl::init(0), cl::sub(command),
      cl::value_desc("us"),
      cl::desc("What it adds for each request of a step (default: 0)")};
  cl::opt<std::string> weights{
      "weights", cl::sub(command), cl::value_desc("format"),
      cl::desc(
          "Format of weights, as of llm-translate (default: the model's)")};
  cl::opt<std::string> activations{"activations", cl::sub(command),
                                   cl::value_desc("format"),
                                   cl::desc("Format of their activations")};
  cl::opt<std::string> kv{"kv", cl::sub(command), cl::value_desc("format"),
                          cl::desc("Format of the KV cache")};
  cl::opt<std::string> pipeline{
      "pipeline", cl::init("fuse-projections fuse"), cl::sub(command),
      cl::value_desc("options"),
      cl::desc("Options of llm-opt's --llm-pipeline, without target and tp\n"
               "(default: \"fuse-projections fuse\")")};
  cl::opt<std::string> measured{
      "measured", cl::sub(command), cl::value_desc("file.csv"),
      cl::desc("Served times of others: predicts each row, beside it")};
  cl::list<std::string> where{
      "where", cl::sub(command), cl::value_desc("column=value"),
      cl::desc("Only rows with this in a column; may be there several times")};
  cl::opt<Format> format{
      "format", cl::desc("What to print"),
      cl::values(clEnumValN(Format::Table, "table", "for people (default)"),
                 clEnumValN(Format::Csv, "csv", "one line for each load")),
      cl::init(Format::Table), cl::sub(command)};
  cl::opt<std::string> output{"o", cl::init("-"), cl::sub(command),
                              cl::desc("Output file"),
                              cl::value_desc("filename")};
};

class Serve : public Subcommand {
public:
  Serve()
      : Subcommand("serve", "Predict what requests of a served model see") {}
  LogicalResult run(MLIRContext &context) override;

private:
  LogicalResult check(MLIRContext &context) const;
  LogicalResult checkChips(MLIRContext &context) const;
  FailureOr<ModelConfig> readModel(MLIRContext &context) const;
  FailureOr<ServingPredictor> makePredictor(const ModelConfig &model,
                                            MLIRContext &context) const;
  /// The loads of the options, or the rows of the table.
  FailureOr<ServedTable> listLoads(const ModelConfig &model,
                                   MLIRContext &context) const;
  /// Predicts all rows. Of chips, those that cannot be predicted are refused.
  LogicalResult predict(ServingPredictor &predictor, const ServedTable &table);

  std::vector<ServedPrediction> predictions;
  std::vector<RefusedDeployment> refused;

  ServeOptions options{command};
};
} // namespace

LogicalResult Serve::check(MLIRContext &context) const {
  auto checkLeast = [&](StringRef option, double value,
                        double least) -> LogicalResult {
    if (value >= least)
      return success();
    return emitToolError(context)
           << "--" << option << " must be at least " << int64_t(least);
  };
  for (int64_t chips : options.tensorParallel)
    if (failed(checkLeast("tp", double(chips), 1)))
      return failure();
  for (int64_t chips : options.chips)
    if (failed(checkLeast("chips", double(chips), 1)))
      return failure();
  for (int64_t requests : options.requests)
    if (failed(checkLeast("requests", double(requests), 1)))
      return failure();
  if (failed(checkLeast("isl", double(options.inputTokens), 1)) ||
      failed(checkLeast("osl", double(options.outputTokens), 2)) ||
      failed(checkLeast("most", double(options.most), 1)) ||
      failed(checkLeast("workers", double(options.workers), 1)) ||
      failed(checkLeast("prompt-workers", double(options.promptWorkers), 0)) ||
      failed(checkLeast("cache-bytes-per-second", options.cacheBytesPerSecond,
                        0)) ||
      failed(checkLeast("host-us-per-step", options.hostPerStep, 0)) ||
      failed(checkLeast("host-us-per-sequence", options.hostPerSequence, 0)))
    return failure();
  if (failed(checkChips(context)))
    return failure();
  if (!options.where.empty() && options.measured.empty())
    return emitToolError(context)
           << "--where chooses rows of a table; say which: --measured=FILE";
  if (options.measured.empty())
    return success();
  auto refuse = [&](const cl::Option &option) -> LogicalResult {
    if (option.getNumOccurrences() == 0)
      return success();
    return emitToolError(context) << "--" << option.ArgStr
                                  << " and --measured exclude each other: the "
                                     "rows of the table say it";
  };
  return failure(
      failed(refuse(options.tensorParallel)) ||
      failed(refuse(options.requests)) || failed(refuse(options.inputTokens)) ||
      failed(refuse(options.outputTokens)) || failed(refuse(options.workers)) ||
      failed(refuse(options.promptWorkers)));
}

/// All ways to use chips are what other options would choose from.
LogicalResult Serve::checkChips(MLIRContext &context) const {
  if (options.chips.empty() && options.most.getNumOccurrences() > 0)
    return emitToolError(context) << "--most is of the table of --chips";
  if (options.chips.empty())
    return success();
  auto refuse = [&](const cl::Option &option) -> LogicalResult {
    if (option.getNumOccurrences() == 0)
      return success();
    return emitToolError(context)
           << "--chips tries all cuts and copies, and --" << option.ArgStr
           << " says one; leave one of them out";
  };
  if (failed(refuse(options.tensorParallel)) ||
      failed(refuse(options.workers)) ||
      failed(refuse(options.promptWorkers)) || failed(refuse(options.measured)))
    return failure();
  if (options.requests.size() > 1)
    return emitToolError(context)
           << "--chips compares cuts for one load: give --requests one number";
  return success();
}

FailureOr<ModelConfig> Serve::readModel(MLIRContext &context) const {
  if (StringRef(options.config).ends_with(".mlir"))
    return emitToolError(context)
           << "'" << options.config
           << "' is a program; 'serve' reads the config.json of a model and "
              "makes the programs of each load itself";
  FailureOr<LocatedJson> config =
      LocatedJson::parseFile(options.config, &context, JsonNumbers::AsPython);
  if (failed(config))
    return failure();
  return readHfConfig(*config, options.config);
}

FailureOr<ServingPredictor>
Serve::makePredictor(const ModelConfig &model, MLIRContext &context) const {
  FailureOr<Target> target = options.machine.load(context);
  if (failed(target))
    return failure();
  auto emitError = [&] { return emitToolError(context) << "--library: "; };
  if (!options.library.empty() &&
      failed(selectLibrary(*target, options.library, emitError)))
    return failure();
  ImportOptions formats;
  formats.weights = options.weights;
  formats.activations = options.activations;
  formats.kv = options.kv;
  return ServingPredictor(&context, model, std::move(*target),
                          std::move(formats), options.pipeline);
}

FailureOr<ServedTable> Serve::listLoads(const ModelConfig &model,
                                        MLIRContext &context) const {
  if (!options.measured.empty()) {
    std::vector<std::string> where(options.where.begin(), options.where.end());
    return readServedTable(options.measured, where, &context);
  }
  ServedTable table;
  auto addRow = [&](const Deployment &deployment, int64_t requests) {
    table.rows.push_back(
        {UnknownLoc::get(&context),
         deployment,
         {options.inputTokens, options.outputTokens, requests},
         /*tokenSeconds=*/0});
  };
  auto orOne = [](const cl::list<int64_t> &numbers) {
    return numbers.empty()
               ? std::vector<int64_t>{1}
               : std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  for (int64_t chips : options.chips)
    for (int64_t requests : orOne(options.requests))
      for (const Deployment &deployment :
           listDeployments(model, chips, requests))
        addRow(deployment, requests);
  if (!options.chips.empty())
    return table;
  for (int64_t chips : orOne(options.tensorParallel))
    for (int64_t requests : orOne(options.requests))
      addRow({{chips}, options.workers, options.promptWorkers}, requests);
  return table;
}

LogicalResult Serve::predict(ServingPredictor &predictor,
                             const ServedTable &table) {
  ServingAssumptions assumptions{options.hostPerStep * 1e-6,
                                 options.hostPerSequence * 1e-6,
                                 options.cacheBytesPerSecond};
  ProgressBar progress("predicting", table.rows.size());
  for (auto [number, row] : llvm::enumerate(table.rows)) {
    FailureOr<ServedTimes> times = failure();
    std::string reason;
    if (options.chips.empty()) {
      times = predictor.predict(row.deployment, row.load, assumptions);
    } else {
      // The table says which cuts do not fit, and which are not possible.
      ScopedDiagnosticHandler keepFirst(
          row.location.getContext(), [&](Diagnostic &diagnostic) {
            if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
                reason.empty())
              reason = diagnostic.str();
            return success();
          });
      times = predictor.predict(row.deployment, row.load, assumptions);
    }
    progress.update(number + 1);
    if (succeeded(times)) {
      predictions.push_back({&row, std::move(*times)});
      continue;
    }
    if (options.chips.empty()) {
      progress.clear();
      return failure();
    }
    refused.push_back({row.deployment, std::move(reason)});
  }
  progress.clear();
  return success();
}

LogicalResult Serve::run(MLIRContext &context) {
  registerEveryDialect(context);
  if (failed(check(context)))
    return failure();
  FailureOr<ModelConfig> model = readModel(context);
  if (failed(model))
    return failure();
  FailureOr<ServingPredictor> predictor = makePredictor(*model, context);
  if (failed(predictor))
    return failure();
  FailureOr<ServedTable> table = listLoads(*model, context);
  if (failed(table) || failed(predict(*predictor, *table)))
    return failure();
  return writeOutput(options.output, context, [&](raw_ostream &os) {
    if (options.format == Format::Csv)
      printServedCsv(os, predictions);
    else if (!options.chips.empty())
      printServedCuts(os, options.machine.target, predictions, refused,
                      size_t(options.most));
    else if (options.measured.empty())
      printServedTable(os, options.machine.target, predictions);
    else
      printServedValidation(os, predictions, *table);
  });
}

std::unique_ptr<Subcommand> mlir::llm::makeServe() {
  return std::make_unique<Serve>();
}
