//===- Npy.h - Arrays in NumPy's files --------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXECUTION_NPY_H
#define LLM_EXECUTION_NPY_H

#include "llm/Execution/HostTensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// Reads an array of f16, f32, f64 or whole numbers, in C order and little
/// endian (numpy/lib/format.py, versions 1 to 3). Errors are at `loc`.
FailureOr<HostTensor> readNpy(StringRef path, Location loc);

/// Writes an array. Types that NumPy does not know, such as bf16, are written
/// as f32.
void writeNpy(const HostTensor &tensor, raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_EXECUTION_NPY_H
