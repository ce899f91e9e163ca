//===- StoredTensor.cpp - A tensor that lies in a file --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredTensor.h"
#include "llm/Import/WeightNames.h"

using namespace mlir;
using namespace mlir::llm;

LogicalResult StoredTensor::checkShape(ArrayRef<int64_t> expected) const {
  if (shape == expected)
    return success();
  return emitError(loc) << "tensor '" << name << "' is " << describeShape(shape)
                        << ", and the program expects "
                        << describeShape(expected);
}

InFlightDiagnostic StoredTensor::refuse(Type expected) const {
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic << "tensor '" << name << "' holds " << type
             << ", and the program expects " << expected;
  return diagnostic;
}

FailureOr<HostTensor> StoredTensor::readPlain(Type stored, Type element) const {
  if (!stored || (stored != element &&
                  !(isa<FloatType>(stored) && isa<FloatType>(element))))
    return refuse(element);
  // The tensor is not written to, see Executable.
  HostTensor inFile(stored, shape, const_cast<char *>(data), file);
  return inFile.convertTo(element);
}
