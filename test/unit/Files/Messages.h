//===- Messages.h - What the compiler says, as text -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_FILES_MESSAGES_H
#define LLM_TEST_UNIT_FILES_MESSAGES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <utility>

namespace mlir::llm {

/// Collects diagnostics while it lives, one line each: "file:line:column:
/// message".
class Messages {
public:
  explicit Messages(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
            text += place.getFilename().str() + ":" +
                    std::to_string(place.getLine()) + ":" +
                    std::to_string(place.getColumn()) + ": ";
          text += diagnostic.str() + "\n";
          return success();
        }) {}

  /// What was said since the last call.
  std::string take() { return std::exchange(text, ""); }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_FILES_MESSAGES_H
