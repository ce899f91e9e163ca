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

  /// Files are no part of the IR, so no change of it invalidates this.
  bool isInvalidated(const AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  /// Does `writeOutputFile` for the option `file` of a pass. Fails with a
  /// diagnostic if that fails, or if an export of this run wrote the file, by
  /// whatever path. A device may be written more than once.
  LogicalResult write(const Pass &pass, StringRef path,
                      function_ref<void(llvm::raw_ostream &)> write);

  /// Shows a file that was written in a browser, for the option `open` of a
  /// pass. Standard error gets how to do so if there is no display.
  LogicalResult open(const Pass &pass, StringRef path);

  /// Writes what people read if no file is named. It goes to standard output if
  /// neither the tool nor another pass writes there, else to standard error.
  void print(const Pass &pass, function_ref<void(llvm::raw_ostream &)> write);

private:
  MLIRContext *context;
  ::llvm::StringMap<std::string> writers; ///< the pass, by what `identify` says
};

/// Says before anything runs if the tool writes something else to the option
/// `file` of a pass, or if its suffix is that of what another export writes.
LogicalResult checkExportedFile(const Pass &pass, StringRef path,
                                MLIRContext *context);

/// Says that the option `format` of a pass contradicts the suffix of its file.
InFlightDiagnostic emitFormatError(const Pass &pass, StringRef path,
                                   MLIRContext *context);

/// Says before anything runs that what goes to standard output is not opened.
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
