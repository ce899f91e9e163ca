//===- StoredTensor.h - A tensor that lies in a file ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_STOREDTENSOR_H
#define LLM_LIB_EXECUTION_STOREDTENSOR_H

#include "llm/Execution/HostTensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::llm {

struct StoredTensor {
  StringRef name;
  ArrayRef<int64_t> shape;
  StringRef type; ///< in the file's words
  Location loc;   ///< where the file describes it
  const char *data;
  std::shared_ptr<llvm::MemoryBuffer> file; ///< owns the data

  LogicalResult checkShape(ArrayRef<int64_t> expected) const;
  /// Emits that it cannot become a tensor of `expected`. A hint may follow.
  InFlightDiagnostic refuse(Type expected) const;
  /// Reads numbers of the plain type `stored` as `element`. `stored` is null if
  /// the type is not known, which is an error. If both are one type, the result
  /// is the memory of the file.
  FailureOr<HostTensor> readPlain(Type stored, Type element) const;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_STOREDTENSOR_H
