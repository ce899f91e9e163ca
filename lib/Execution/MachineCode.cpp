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
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::llm;

CpuVectors llm::chooseVectors(unsigned mostBits) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  int64_t bits = features.lookup("avx512f") ? 512
                 : features.lookup("avx")   ? 256
                                            : 128;
  if (mostBits)
    bits = std::min<int64_t>(bits, mostBits);
  return {bits, bits == 512 && features.lookup("avx512bf16")};
}

/// Turns off larger vectors. Without an instruction set, LLVM drops all sets
/// that build on it.
static void dropLargerVectors(llvm::orc::JITTargetMachineBuilder &builder,
                              CpuVectors vectors) {
  if (!builder.getTargetTriple().isX86())
    return;
  if (vectors.bits < 512)
    builder.getFeatures().AddFeature("avx512f", /*Enable=*/false);
  if (vectors.bits < 256)
    builder.getFeatures().AddFeature("avx", /*Enable=*/false);
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
findMachine(Location loc, CpuVectors vectors) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return emitError(loc) << "this machine is not known: "
                          << llvm::toString(builder.takeError());
  dropLargerVectors(*builder, vectors);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return emitError(loc) << "nothing can be compiled for this machine: "
                          << llvm::toString(machine.takeError());
  return std::move(*machine);
}

/// The passes that LLVM has left to do. Loops that matter have their vectors
/// and registers by now, and other loops get vectors here. No loop body is
/// repeated, which would make more code. For a block's prompt of 512 tokens
/// this takes half as long as level 1 of LLVM does, and the block runs as fast.
static constexpr char codePasses[] =
    "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),loop(indvars),"
    "loop-vectorize<interleave-forced-only;no-vectorize-forced-only>,"
    "instcombine<no-verify-fixpoint>,simplifycfg";

static void optimizeCode(::llvm::Module &module, StringRef entry,
                         bool optimizes, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes;
  // The engine makes a wrapper of every function, and only that of `entry` is
  // called.
  passes.addPass(llvm::InternalizePass([entry](const llvm::GlobalValue &value) {
    return value.getName() == entry;
  }));
  passes.addPass(llvm::GlobalDCEPass());
  if (optimizes) {
    llvm::FunctionPassManager ofFunctions;
    llvm::cantFail(builder.parsePassPipeline(ofFunctions, codePasses));
    passes.addPass(
        llvm::createModuleToFunctionPassAdaptor(std::move(ofFunctions)));
  } else {
    passes.addPass(builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0));
  }
  passes.run(module, modules);
}

FailureOr<std::unique_ptr<ExecutionEngine>>
llm::makeMachineCode(ModuleOp module, StringRef entry, bool optimizes,
                     CpuVectors vectors) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      findMachine(module.getLoc(), vectors);
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
