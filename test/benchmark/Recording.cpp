//===- Recording.cpp - What recording costs a run -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llm-recording-benchmark PROGRAM [PAIRS]: compiles a closed program twice,
// with calls of the recorder and without, and runs both in turn on the same
// zeros, on one thread. Each pair of runs gives a ratio of CPU times. What else
// the machine does falls on both runs alike, and the median of many ratios is
// sharper than two times of two processes. In a program of tiny ops the cost of
// one change of op can be seen; in a real one it is too small for that, and the
// range says how small.
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/Executable.h"
#include "llm/InitAll/InitAll.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <ctime>

using namespace mlir;
using namespace mlir::llm;

static std::unique_ptr<Executable> compile(const char *path, bool records,
                                           MLIRContext &context,
                                           OwningOpRef<ModuleOp> &module) {
  ParserConfig config(&context);
  module = parseSourceFile<ModuleOp>(path, config);
  if (!module)
    return nullptr;
  CompileOptions options;
  options.records = records;
  for (auto function : module->getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal()) {
      auto executable = Executable::compile(function, options);
      return failed(executable) ? nullptr : std::move(*executable);
    }
  module->emitError("has no public function");
  return nullptr;
}

/// Zeros for all arguments; nothing if one has an open size.
static std::vector<ArgumentValue> makeZeros(const Executable &executable) {
  std::vector<ArgumentValue> values;
  for (const ProgramArgument &argument : executable.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.type);
    if (!type || !type.hasStaticShape())
      return {};
    values.push_back(HostTensor(type.getElementType(), type.getShape()));
  }
  return values;
}

/// CPU time of this thread, which does not grow while other programs run.
static double readMicroseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
}

static double microsecondsOf(const Executable &executable,
                             ArrayRef<ArgumentValue> values) {
  double start = readMicroseconds();
  std::vector<HostTensor> results = executable.run(values);
  return readMicroseconds() - start;
}

static double quantile(std::vector<double> &sorted, double part) {
  return sorted[static_cast<size_t>(part * double(sorted.size() - 1))];
}

int main(int argc, char **argv) {
  unsigned pairs = 0;
  if (argc < 2 || argc > 3 ||
      (argc == 3 && StringRef(argv[2]).getAsInteger(10, pairs))) {
    ::llvm::errs() << "usage: llm-recording-benchmark PROGRAM [PAIRS]\n";
    return 1;
  }
  pairs = pairs ? pairs : 1000;
  DialectRegistry registry;
  mlir::llm::registerAllDialects(registry);
  registerExecution(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> plainModule, recordedModule;
  auto plain = compile(argv[1], /*records=*/false, context, plainModule);
  auto recorded = compile(argv[1], /*records=*/true, context, recordedModule);
  if (!plain || !recorded)
    return 1;
  std::vector<ArgumentValue> values = makeZeros(*plain);
  if (values.empty()) {
    ::llvm::errs() << "error: the program has open sizes\n";
    return 1;
  }

  size_t changes = 0;
  std::vector<double> without, with, ratios;
  for (unsigned pair = 0; pair < pairs; ++pair) {
    double times[2]; // without, with
    for (unsigned turn = 0; turn < 2; ++turn) {
      bool records = (pair + turn) % 2; // either one is first in turn
      times[records] = microsecondsOf(records ? *recorded : *plain, values);
      if (records)
        changes = recorded->takeRecordedRuns().size();
    }
    without.push_back(times[0]);
    with.push_back(times[1]);
    ratios.push_back(times[1] / times[0] - 1);
  }
  for (std::vector<double> *each : {&without, &with, &ratios})
    ::llvm::sort(*each);
  // A median lies, 19 times of 20, between the values that are so many places
  // away from it: places are binomial, and 0.98 is half of 1.96.
  double away = 0.98 / std::sqrt(double(pairs));
  ::llvm::outs() << ::llvm::format(
      "%u pairs of runs, %zu changes of op in each\n"
      "without recording %.2f us, with it %.2f us (medians of CPU time)\n"
      "%.0f ns for each change\n"
      "recording costs %.3f %% of a run (19 times of 20: %.3f to %.3f %%)\n",
      pairs, changes, quantile(without, 0.5), quantile(with, 0.5),
      1e3 * (quantile(with, 0.5) - quantile(without, 0.5)) / double(changes),
      100 * quantile(ratios, 0.5),
      100 * quantile(ratios, std::max(0.0, 0.5 - away)),
      100 * quantile(ratios, std::min(1.0, 0.5 + away)));
  return 0;
}
