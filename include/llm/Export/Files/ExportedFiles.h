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
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// The files that the exports of one run of a pipeline have written: the later
/// of two would silently take the place of the other. An analysis, because that
/// is what the passes of one run share, and no longer than the run.
class ExportedFiles {
public:
  explicit ExportedFiles(Operation *op) : context(op->getContext()) {}

  /// Files are no part of the IR: no change of it takes them back.
  bool isInvalidated(const AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  /// `writeOutputFile` for the option `file` of a pass. Fails with a diagnostic
  /// where that fails, and where an export of this run wrote the file, by
  /// whatever path. Devices take more than one.
  LogicalResult write(const Pass &pass, StringRef path,
                      function_ref<void(llvm::raw_ostream &)> write);

  /// What people read where no file is named: to standard output where neither
  /// the tool nor another pass writes there, else to standard error.
  void print(const Pass &pass, function_ref<void(llvm::raw_ostream &)> write);

private:
  MLIRContext *context;
  ::llvm::StringMap<std::string> writers; ///< the pass, by what `identify` says
};

/// Says what is wrong with the option `file` of a pass before anything runs:
/// that the tool writes something else there.
LogicalResult checkExportedFile(const Pass &pass, StringRef path,
                                MLIRContext *context);

/// A pass with an option `file`.
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
