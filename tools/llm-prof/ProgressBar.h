//===- ProgressBar.h - Progress on a terminal -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_PROGRESSBAR_H
#define LLM_TOOLS_LLMPROF_PROGRESSBAR_H

#include "llm/Console/Terminal.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mlir::llm {

/// A line on standard error that is drawn again as work proceeds. Without a
/// terminal it draws nothing.
class ProgressBar {
public:
  ProgressBar(std::string label, size_t total)
      : label(std::move(label)), total(total), isShown(canShowProgress()) {}
  ~ProgressBar() { clear(); }

  void update(size_t done) {
    size_t percent = total ? 100 * done / total : 100;
    if (!isShown || percent == lastPercent)
      return;
    lastPercent = percent;
    constexpr size_t width = 40;
    size_t filled = width * percent / 100;
    llvm::errs() << "\r" << label << " [" << std::string(filled, '#')
                 << std::string(width - filled, ' ') << "] "
                 << llvm::format("%3zu %%", percent);
  }
  void clear() {
    if (isShown && lastPercent != nothingDrawn)
      llvm::errs() << "\r\033[K";
    lastPercent = nothingDrawn;
  }

private:
  static constexpr size_t nothingDrawn = ~size_t(0);
  std::string label;
  size_t total;
  bool isShown;
  size_t lastPercent = nothingDrawn;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_PROGRESSBAR_H
