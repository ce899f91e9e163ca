//===- InitAll.cpp - Register everything ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/InitAll/InitAll.h"
#include "llm/Conversion/LinalgLowering.h"
#include "llm/Conversion/Passes.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Export/Passes.h"
#include "llm/Sharding/Summands.h"
#include "llm/Transforms/Passes.h"
#include "llm/Transforms/Pipeline.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

void mlir::llm::registerAllDialects(DialectRegistry &registry) {
  registry.insert<LlmDialect, DLTIDialect, func::FuncDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  registerExternalModels(registry);
  registerLinalgLowerings(registry);
  registerSummands(registry);
}

void mlir::llm::registerAllPasses() {
  registerLlmConversionPasses();
  registerLlmTransformsPasses();
  registerLlmExportPasses();
  registerLlmPipelines();
}
