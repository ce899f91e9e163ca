//===- PassOptions.h - Options of passes, as users write them ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For `--llm-schedule=engine=4`, MLIR says "no such option engine". It names
// neither the pass nor the options that the pass has. A wrong value is printed
// to stderr, and the error about the pass is empty. Our passes read their
// options with the function below instead, in llm-opt and in any other tool.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_PASSOPTIONS_H
#define LLM_DIAGNOSTICS_PASSOPTIONS_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Names that an option of a pass takes although they are not an enumeration,
/// such as presets. Each entry is an option and a name.
using KnownNames = SmallVector<std::pair<StringRef, std::string>>;

/// What `readPassOptions` must know of a pass or a pipeline.
struct DescribedPass {
  StringRef name;
  /// One of its options, through which the others are found, because MLIR does
  /// not show them. It is null if there are none.
  ::llvm::cl::Option *anyOption = nullptr;
  /// Sets the option of one `name=value`.
  function_ref<LogicalResult(StringRef)> set;
  KnownNames names;
};

/// Sets all options from `text`. An error says which pass it is about, what was
/// expected, and the nearest right spelling.
LogicalResult
readPassOptions(const DescribedPass &pass, StringRef text,
                function_ref<LogicalResult(const Twine &)> emitError);

/// The base of a pass whose options are read with `readPassOptions`.
template <typename PassBase>
struct PassWithOptions : PassBase {
  using PassBase::PassBase;

  LogicalResult initializeOptions(
      StringRef text,
      function_ref<LogicalResult(const Twine &)> emitError) override {
    auto ignore = [](const Twine &) { return failure(); };
    auto set = [&](StringRef one) {
      return PassBase::initializeOptions(one, ignore);
    };
    return readPassOptions(
        {this->getArgument(), getAnyOption(), set, getKnownNames()}, text,
        emitError);
  }

  virtual ::llvm::cl::Option *getAnyOption() { return nullptr; }
  virtual KnownNames getKnownNames() const { return {}; }
};

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_PASSOPTIONS_H
