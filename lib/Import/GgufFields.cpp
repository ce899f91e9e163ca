//===- GgufFields.cpp - Metadata of one architecture ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufFields.h"

namespace mlir::llm {

FailureOr<int64_t> GgufFields::size(StringRef key, int64_t absent) const {
  std::string full = keyOf(key);
  if (!header.has(full)) {
    if (absent)
      return absent;
    return refuse(full) << "is missing";
  }
  std::optional<int64_t> value;
  if (header.isArray(full)) {
    auto values = header.findWholeNumbers(full);
    if (failed(values))
      return failure();
    if (!llvm::all_equal(**values) || (*values)->empty())
      return refuse(full) << "differs between layers: not supported";
    value = (*values)->front();
  } else {
    auto whole = header.findWholeNumber(full);
    if (failed(whole))
      return failure();
    value = *whole;
  }
  // Sums and products of two sizes are not checked, and must not overflow.
  constexpr int64_t most = int64_t(1) << 31;
  if (*value < 1 || *value > most)
    return refuse(full) << "must be in [1, 2^31], got " << *value;
  return *value;
}

FailureOr<double> GgufFields::number(StringRef key, double absent) const {
  std::string full = keyOf(key);
  auto value = header.findNumber(full);
  if (failed(value))
    return failure();
  double result = value->value_or(absent);
  if (!(result > 0))
    return refuse(full) << "must be positive";
  return result;
}

} // namespace mlir::llm
