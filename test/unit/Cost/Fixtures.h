//===- Fixtures.h - Ops on a small machine ----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_ANALYSIS_FIXTURES_H
#define LLM_TEST_UNIT_ANALYSIS_FIXTURES_H

#include "llm/Cost/CostModel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

namespace mlir::llm {

/// A module with one op, parsed from text.
class OneOp {
public:
  explicit OneOp(const std::string &text) {
    DialectRegistry registry;
    registerExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<LlmDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    if (module)
      module->walk([&](WorkloadOpInterface found) { op = found; });
    EXPECT_TRUE(op) << text;
  }
  Workload workload() {
    FailureOr<Workload> result =
        op.getWorkload([&] { return op->emitOpError(); });
    EXPECT_TRUE(succeeded(result));
    return *result;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  WorkloadOpInterface op;
};

/// tensor<2x3xbf16> from {2, 3} and "bf16".
inline std::string tensorText(std::initializer_list<int64_t> shape,
                              const std::string &elementType = "bf16") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + elementType + ">";
}

/// A function whose arguments %0, %1, .. have the given types, around one op
/// whose text is followed by the types.
inline std::string functionText(const std::string &op,
                                const std::vector<std::string> &types,
                                const std::string &results = "%r") {
  std::string arguments, list;
  for (size_t index = 0; index < types.size(); ++index) {
    std::string separator = index ? ", " : "";
    arguments += separator + "%" + std::to_string(index) + ": " + types[index];
    list += separator + types[index];
  }
  return "func.func @f(" + arguments + ") {\n  " + results + " = " + op +
         " : " + list + "\n  return\n}\n";
}

/// One engine with a private memory of `capacityBytes`, round rates and a port
/// of half the bandwidth.
inline Target toyTarget(int64_t capacityBytes) {
  Target target;
  target.name = "toy";
  target.clockHz = 1000;
  Engine core;
  core.name = "core";
  core.kinds.insert(EngineKind::Matrix);
  core.kinds.insert(EngineKind::Vector);
  core.count = 2;
  core.macRates = {{"bf16", 8}, {"f32", 2}, {"i8", 16}};
  core.aluPerCycle = 4;
  core.specialPerCycle = 1;
  core.comparePerCycle = 4;
  core.privateMemory = "sram";
  core.ports = {{"dram", 3000}};
  target.engines = {core};
  Memory sram, dram;
  sram.name = "sram";
  sram.capacityBytes = capacityBytes;
  dram.name = "dram";
  dram.bytesPerSecond = 6000;
  target.memories = {sram, dram};
  return target;
}

/// Random numbers that are the same in every run.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  /// A number in [low, high].
  int64_t operator()(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }

private:
  std::mt19937_64 engine;
};

/// The loops whose order matters, of which the search enumerates three.
inline size_t countReuseLoops(const Workload &workload) {
  size_t count = 0;
  for (unsigned loop = 0; loop < workload.loops.size(); ++loop)
    count += workload.loops[loop].isTileable() &&
             workload.loops[loop].extent > 1 &&
             llvm::any_of(workload.buffers, [&](const Buffer &buffer) {
               return buffer.role != Buffer::Role::Temporary &&
                      !workload.loopsOf(buffer)[loop];
             });
  return count;
}

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_ANALYSIS_FIXTURES_H
