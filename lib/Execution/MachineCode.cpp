//===- MachineCode.cpp - From the LLVM dialect to code of this CPU --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::llm;

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
findMachine(Location loc) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return emitError(loc) << "this machine is not known: "
                          << llvm::toString(builder.takeError());
  auto machine = builder->createTargetMachine();
  if (!machine)
    return emitError(loc) << "nothing can be compiled for this machine: "
                          << llvm::toString(machine.takeError());
  return std::move(*machine);
}

/// Level 1 without what makes more code of a loop: loops that matter have their
/// vectors and registers by then. Of a block's prompt of 512 it takes 0.15 s
/// where level 2 takes 0.3 s, and what it leaves takes half the time to become
/// machine code; the block runs as fast.
static void optimizeCode(::llvm::Module &module, StringRef entry,
                         bool optimizes, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  auto level =
      optimizes ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O0;
  llvm::ModulePassManager passes;
  // The engine makes a wrapper of every function, which nobody calls.
  passes.addPass(llvm::InternalizePass([entry](const llvm::GlobalValue &value) {
    return value.getName() == entry;
  }));
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(optimizes ? builder.buildPerModuleDefaultPipeline(level)
                           : builder.buildO0DefaultPipeline(level));
  passes.run(module, modules);
}

FailureOr<std::unique_ptr<ExecutionEngine>>
llm::makeMachineCode(ModuleOp module, StringRef entry, bool optimizes) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      findMachine(module.getLoc());
  if (failed(machine))
    return failure();
  if (!optimizes)
    (*machine)->setOptLevel(llvm::CodeGenOptLevel::None);
  std::string packed = ("_mlir_" + entry).str();
  auto transform = [&packed, optimizes,
                    machine = machine->get()](::llvm::Module *code) {
    optimizeCode(*code, packed, optimizes, *machine);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = transform;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return module.emitError() << "cannot be compiled for this machine: "
                              << llvm::toString(engine.takeError());
  return std::move(*engine);
}
