//===- MachineCode.h - From the LLVM dialect to code of this CPU -*- C++
//-*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXECUTION_MACHINECODE_H
#define LLM_EXECUTION_MACHINECODE_H

#include "llm/Execution/Executable.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::llm {

/// Chooses the vectors of this CPU, of at most so many bits; 0 stands for all
/// that it has.
CpuVectors chooseVectors(unsigned mostBits);

/// Makes code for this CPU, with these vectors and no larger ones. Only the
/// function `entry` of the module can be looked up, by `lookupPacked`. Without
/// `optimizes`, compiling is faster and the code is slower.
FailureOr<std::unique_ptr<ExecutionEngine>> makeMachineCode(ModuleOp module,
                                                            StringRef entry,
                                                            bool optimizes,
                                                            CpuVectors vectors);

} // namespace mlir::llm

#endif // LLM_EXECUTION_MACHINECODE_H
