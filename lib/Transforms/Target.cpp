//===- Target.cpp - Put the description of a machine on the module --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPass.h"
#include "llm/Cost/OpOnTarget.h"
#include "llm/Cost/Rates.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Measurements/MeasuredCosts.h"
#include "llm/Program/Totals.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/Runs.h"
#include "mlir/Dialect/DLTI/DLTI.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMTARGETPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// Returns the seconds that all multiply-accumulates of a program take at the
/// power limit. Ops of open sizes do not count.
static double secondsAtLimit(ModuleOp module, const Target &target) {
  double joules = 0;
  module.walk([&](WorkloadOpInterface op) {
    FailureOr<OpOnTarget> context =
        OpOnTarget::get(op, target, Reasons::unsaid());
    if (failed(context))
      return;
    Count macs = countWork(op, context->workload, WorkKind::Mac);
    std::optional<int64_t> femtojoules = Target::macFemtojoules(
        *context->engine, context->workload.macElementType());
    if (succeeded(macs) && femtojoules)
      joules += 1e-15 * double(*femtojoules) * double(*macs) * countRuns(op);
  });
  PowerLimit limit(target);
  return limit.watts > 0 ? joules / limit.watts : 0;
}

/// Bursts were measured of ops that were repeated, with their warm-up, so many
/// times. Behind a load of so many bursts the limit acts all the time.
static constexpr int64_t repeats = 50;

static bool isLongLoad(ModuleOp module, const Target &target) {
  return target.burstPercent &&
         secondsAtLimit(module, target) >
             1e-6 * double(repeats * target.burstMicroseconds.value_or(0));
}

namespace {
struct LlmTargetPass
    : PassWithOptions<llm::impl::LlmTargetPassBase<LlmTargetPass>> {
  using PassWithOptions::PassWithOptions;

  ::llvm::cl::Option *getAnyOption() override { return &name; }

  KnownNames getKnownNames() const override {
    KnownNames names;
    for (const std::string &preset : presetNames())
      names.emplace_back("name", preset);
    return names;
  }

  void runOnOperation() override {
    FailureOr<Target> target = load();
    if (failed(target) || failed(checkInnerModules(getOperation())))
      return signalPassFailure();
    if (failed(applyLibrary(*target)))
      return signalPassFailure();
    target = changeTarget(*target, changes, getOperation().getLoc(),
                          "--llm-target: option 'set': ");
    if (failed(target) || failed(readMeasured(*target)))
      return signalPassFailure();
    if (isLongLoad(getOperation(), *target))
      target->burstPercent = target->burstMicroseconds = std::nullopt;
    writeTarget(getOperation(), *target);
    // A grid that is there already may need more links than the target has.
    if (failed(applyEnginesOption(*this, getOperation(), engines, *target)) ||
        failed(readTarget(getOperation())))
      signalPassFailure();
  }

  FailureOr<Target> load() {
    ModuleOp module = getOperation();
    auto emitError = [&] { return emitPassError(*this, getOperation()); };
    if (!name.empty() && !file.empty())
      return emitError() << "options 'name' and 'file' exclude each other";
    if (!column.empty() && file.empty())
      return emitError() << "option 'column' needs 'file', a CSV file";
    if (!calibrated && name.empty() && file.empty())
      return emitError() << "option 'calibrated=false' needs 'name' or 'file': "
                            "a module does not keep the figures of the "
                            "datasheet";
    if (!name.empty())
      return loadPreset(name, &getContext(), emitError, calibrated);
    if (!file.empty())
      return loadTargetFile(file, column, &getContext(), emitError, calibrated);
    return getOrWriteTarget(*this, module);
  }

  LogicalResult readMeasured(Target &target) {
    MeasuredFilter filter;
    filter.devices.assign(measuredDevices.begin(), measuredDevices.end());
    filter.backends.assign(measuredBackends.begin(), measuredBackends.end());
    auto emitError = [&] {
      return emitPassError(*this, getOperation()) << "option 'measured': ";
    };
    if (measured.empty())
      return filter.devices.empty() && filter.backends.empty()
                 ? success()
                 : LogicalResult(emitPassError(*this, getOperation())
                                 << "options 'measured-device' and "
                                    "'measured-backend' need 'measured'");
    return readMeasuredTimes(
        std::vector<std::string>(measured.begin(), measured.end()), filter,
        target, &getContext(), emitError);
  }

  LogicalResult applyLibrary(Target &target) {
    if (library.empty())
      return success();
    return selectLibrary(target, library, [&] {
      return emitPassError(*this, getOperation()) << "option 'library': ";
    });
  }
};
} // namespace
