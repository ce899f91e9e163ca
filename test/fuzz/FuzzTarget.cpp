//===- FuzzTarget.cpp - Fuzz target files ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `// column=<device>` ahead of a CSV file. A file that is accepted must be
// sound, and must come back from the attribute on a module as it went in.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llm/Target/Target.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm::fuzz {

static void checkQueries(const Target &target, MLIRContext *context) {
  Builder builder(context);
  for (const Engine &engine : target.engines) {
    for (const Memory *memory : target.sharedMemories()) {
      int64_t lanes = target.portLanes(engine, *memory);
      require(lanes >= 1 && lanes <= memory->lanes, "a port of no lanes");
    }
    for (Type type : {Type(builder.getBF16Type()), Type(builder.getI8Type()),
                      Type(builder.getF64Type())}) {
      std::string usedType;
      std::optional<int64_t> rate =
          Target::macsPerCycle(engine, type, usedType);
      require(!rate || *rate > 0, "a rate of " + Twine(rate.value_or(0)));
    }
    for (WorkKind kind : {WorkKind::Alu, WorkKind::Special, WorkKind::Compare})
      if (std::optional<int64_t> rate = Target::opsPerCycle(engine, kind))
        require(*rate > 0, "a rate of " + Twine(*rate));
    require(!describeForCost(target, engine).empty(), "no description");
  }
  require(target.isShared(target.dram()), "a DRAM without a rate");
}

/// `setComputeEngines` may refuse, and then leaves the target as it was.
static void checkEngines(Target target, MLIRContext *context,
                         DiagnosticJudge &judge) {
  Location here = FileLineColLoc::get(context, "engines", 1, 1);
  for (int64_t count : {int64_t(3), Target::maxEngines, int64_t(0)}) {
    Target before = target;
    std::string remark;
    LogicalResult set = setComputeEngines(
        target, count, [&] { return emitError(here); }, remark);
    judge.judge(set, "setComputeEngines");
    if (succeeded(set))
      require(target.check().empty(), "unsound with other engines: " +
                                          ::llvm::join(target.check(), "; "));
    else
      require(target == before, "changed by what failed");
  }
}

static void checkAttribute(const Target &target, MLIRContext *context,
                           DiagnosticJudge &judge) {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(context, "module", 1, 1));
  writeTarget(*module, target);
  LogicalResult isValid = verify(*module);
  judge.judge(isValid, "verifying the target on the module");
  require(succeeded(isValid), "the target makes an invalid module");
  OwningOpRef<ModuleOp> again = writeAndRead(*module, judge);
  FailureOr<Target> read = readTarget(*again);
  judge.judge(read, "readTarget");
  require(succeeded(read), "the module's target cannot be read");
  require(*read == target, "the module's target is another one");
}

void runTarget(StringRef text) {
  if (text.size() > maxInputBytes)
    return;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<DLTIDialect>();
  DiagnosticJudge judge(&context);
  Input input(text);
  StringRef column = input.setting("column");
  FailureOr<Target> target =
      column.empty() ? parseTargetJson(input.body, "fuzz.json", &context)
                     : parseTargetCsv(input.body, "fuzz.csv", column, &context);
  judge.judge(target, "reading the file");
  if (failed(target))
    return;
  require(target->check().empty(),
          "accepted, but: " + ::llvm::join(target->check(), "; "));
  checkQueries(*target, &context);
  checkAttribute(*target, &context, judge);
  checkEngines(*target, &context, judge);
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {"\"name\"",
                                            "\"description\"",
                                            "\"clock_hz\"",
                                            "\"engines\"",
                                            "\"memories\"",
                                            "\"kinds\"",
                                            "\"count\"",
                                            "\"units\"",
                                            "\"matrix\"",
                                            "\"vector\"",
                                            "\"memory\"",
                                            "\"macs_per_cycle_per_unit\"",
                                            "\"ports\"",
                                            "\"lanes\"",
                                            "\"capacity_bytes\"",
                                            "\"f32\"",
                                            "\"bf16\"",
                                            "\"i8\"",
                                            "\"i4\"",
                                            "\"f8E4M3FN\"",
                                            "\"bytes_per_second\"",
                                            "null",
                                            "true",
                                            "1e9",
                                            "0.5",
                                            "\"private_memory\"",
                                            "\"overhead_cycles\"",
                                            "column=A",
                                            "column=B",
                                            ","};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runTarget, words)
