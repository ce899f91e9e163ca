//===- ShortestDecimal.h - Numbers as a person writes them ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_SHORTESTDECIMAL_H
#define LLM_SUPPORT_SHORTESTDECIMAL_H

#include <string>

namespace mlir::llm {

/// Returns the fewest digits that read back as this finite number: "0.125",
/// "500000.0", "1.0e-5". There is always a point, because MLIR requires one.
std::string toShortestDecimal(double value);

} // namespace mlir::llm

#endif // LLM_SUPPORT_SHORTESTDECIMAL_H
