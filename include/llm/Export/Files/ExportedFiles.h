//===- ExportedFiles.h - What a pipeline has written ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_FILES_EXPORTEDFILES_H
#define LLM_EXPORT_FILES_EXPORTEDFILES_H

#include "llm/Diagnostics/PassOptions.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// The files that the exports of one run of a pipeline have written. Without
/// this, the later of two files would silently replace the other. It is an
/// analysis, because the passes of one run share analyses, and these live no
/// longer than the run.
class ExportedFiles {
public:
  explicit ExportedFiles(Operation *op) : context(op->getContext()) {}

  /// A change of the IR does not invalidate this, because files are no part of
  /// it.
  bool isInvalidated(const AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  /// Calls `writeOutputFile` for the option `file` of a pass. Fails with a
  /// diagnostic if that fails, or if an export of this run wrote the same file
  /// before, even under another path. A device may be written more than once.
  LogicalResult write(const Pass &pass, StringRef path,
                      function_ref<void(llvm::raw_ostream &)> write);

  /// Opens a written file in a browser, for the option `open` of a pass. If
  /// there is no display, it prints to standard error what the user can do.
  LogicalResult open(const Pass &pass, StringRef path);

  /// Prints text for people, if no file is named. It goes to standard output if
  /// neither the tool nor another pass writes there, and otherwise to standard
  /// error.
  void print(const Pass &pass, function_ref<void(llvm::raw_ostream &)> write);

private:
  MLIRContext *context;
  ::llvm::StringMap<std::string> writers; ///< the writing pass, by file
};

/// Checks the option `file` of a pass before anything runs. It is an error if
/// the file cannot be written, if the tool writes something else to it, or if
/// its suffix is that of another export.
LogicalResult checkExportedFile(const Pass &pass, StringRef path,
                                MLIRContext *context);

/// Emits the error that the option `format` contradicts the suffix of the file.
InFlightDiagnostic emitFormatError(const Pass &pass, StringRef path,
                                   MLIRContext *context);

/// Checks before anything runs that nothing is opened that goes to standard
/// output.
LogicalResult checkOpen(const Pass &pass, StringRef path, bool isOpened,
                        MLIRContext *context);

/// A base of passes that have an option `file`.
template <typename PassBase>
struct ExportPass : WorkloadPass<PassWithOptions<PassBase>> {
  using WorkloadPass<PassWithOptions<PassBase>>::WorkloadPass;
  LogicalResult initialize(MLIRContext *context) override {
    return checkExportedFile(*this, this->file, context);
  }
  ::llvm::cl::Option *getAnyOption() override { return &this->file; }
};

} // namespace mlir::llm

#endif // LLM_EXPORT_FILES_EXPORTEDFILES_H
