//===- Warnings.h - What the user was warned of -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_WARNINGS_H
#define LLM_DIAGNOSTICS_WARNINGS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// Warns the user, and keeps the texts for pages and reports.
class Warnings {
public:
  void warn(Location loc, const Twine &text);
  /// Keeps a text that the user gets in another way.
  void keep(const Twine &text) { texts.push_back(text.str()); }
  bool empty() const { return texts.empty(); }
  std::vector<std::string> take() { return std::move(texts); }

private:
  std::vector<std::string> texts;
};

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_WARNINGS_H
