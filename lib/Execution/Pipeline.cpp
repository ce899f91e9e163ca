//===- Pipeline.cpp - From linalg to LLVM ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"
#include "OpenExpansions.h"
#include "OutlineKernels.h"
#include "ParallelLoops.h"
#include "PartsOnThreads.h"
#include "RegisterTiles.h"
#include "SmallFloats.h"
#include "llm/Execution/Executable.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/OpenMPToLLVM/ConvertOpenMPToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/SCFToOpenMP/SCFToOpenMP.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MLProgram/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Makes loops of copies, which would be calls of a library otherwise.
struct CopiesAsLoops : PassWrapper<CopiesAsLoops, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopiesAsLoops)

  StringRef getArgument() const override { return "llm-copies-as-loops"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp op : copies) {
      OpBuilder builder(op);
      linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                               op.getTarget());
      op.erase();
    }
  }
};
/// Makes the parts of ops such as `linalg.softmax`.
struct DecomposeAggregates
    : PassWrapper<DecomposeAggregates, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DecomposeAggregates)

  StringRef getArgument() const override { return "llm-decompose-aggregates"; }
  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> all;
    getOperation().walk(
        [&](linalg::AggregatedOpInterface op) { all.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : all) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
      if (succeeded(parts)) // else it is said that nothing runs it
        rewriter.replaceOp(op, *parts);
    }
  }
};
/// Reads bf16 as f64 by way of f32, which is exact: upstream expands a read as
/// f32 only, and LLVM rounds to bf16 again what it finds behind others, by a
/// function that many machines lack.
struct Bf16AsF32 : PassWrapper<Bf16AsF32, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Bf16AsF32)

  StringRef getArgument() const override { return "llm-bf16-as-f32"; }
  void runOnOperation() override {
    getOperation()->walk([](arith::ExtFOp op) {
      Type from = op.getIn().getType();
      if (!getElementTypeOrSelf(from).isBF16() ||
          !getElementTypeOrSelf(op.getType()).isF64())
        return;
      OpBuilder builder(op);
      Type between = builder.getF32Type();
      if (auto vector = dyn_cast<VectorType>(from))
        between = vector.clone(between);
      op.getInMutable().assign(arith::ExtFOp::create(
          builder, op.getLoc(), between, op.getIn()));
    });
  }
};
/// Makes polynomials of exponentials of f32, so that several are computed at
/// once. They would be calls of libm otherwise.
struct ExpAsPolynomial : PassWrapper<ExpAsPolynomial, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpAsPolynomial)

  StringRef getArgument() const override { return "llm-exp-as-polynomial"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    populateMathPolynomialApproximationPatterns(all, [](StringRef name) {
      return name == math::ExpOp::getOperationName();
    });
    patterns = std::move(all);
    return success();
  }
  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace

void llm::addDecomposition(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(std::make_unique<DecomposeAggregates>());
}

void llm::addBufferization(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // Callers pass dense arrays.
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // Loops over tiles that add up sums return new tensors.
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
}

void llm::addKernels(OpPassManager &pm, unsigned threads) {
  // Parts run one behind the other, or each on a thread.
  if (threads == 1)
    pm.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  else
    pm.addPass(createPartsOnThreadsPass(threads));
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(std::make_unique<CopiesAsLoops>());
  pm.addPass(createOutlineKernelsPass());
}

void llm::addLoopsToLlvm(OpPassManager &pm, Kernels kernels, unsigned threads,
                         CpuVectors vectors, Assertions &assertions) {
  bool hasThreads = threads > 1;
  // Some machines neither compute in bf16 nor round to it themselves. Vectors of
  // bf16, which are made below, would not be computed in f32.
  pm.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions inF32;
  inF32.sourceTypeStrs = {"bf16"};
  pm.addPass(arith::createArithEmulateUnsupportedFloats(inF32));
  if (kernels != Kernels::Reference)
    pm.addNestedPass<func::FuncOp>(
        createRegisterTilesPass(vectors, hasThreads));
  if (hasThreads)
    pm.addNestedPass<func::FuncOp>(createParallelLoopsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createSmallFloatsPass());
  pm.addPass(createOpenExpansionsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  if (hasThreads) {
    ConvertSCFToOpenMPPassOptions openMp;
    openMp.numThreads = threads;
    pm.addPass(createConvertSCFToOpenMPPass(openMp));
    // This removes scopes of allocas, which would stand in the way of what
    // follows.
    pm.addPass(createCanonicalizerPass());
  }
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createAssertionsPass(assertions));
  pm.addPass(std::make_unique<Bf16AsF32>());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  if (kernels != Kernels::Reference)
    pm.addNestedPass<func::FuncOp>(std::make_unique<ExpAsPolynomial>());
  // Roundings and fused products become instructions. Functions that are no
  // intrinsics of LLVM become calls of libm.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertIndexToLLVMPass());
  ConvertVectorToLLVMPassOptions ofVectors;
  ofVectors.reassociateFPReductions = true;
  ofVectors.x86Vector = vectors.addsPairsOfBf16;
  pm.addPass(createConvertVectorToLLVMPass(ofVectors));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  if (hasThreads)
    pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void llm::registerExecution(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, ml_program::MLProgramDialect,
                  omp::OpenMPDialect, scf::SCFDialect, tensor::TensorDialect>();
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  ml_program::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}
