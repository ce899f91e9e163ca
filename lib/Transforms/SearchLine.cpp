//===- SearchLine.cpp - How far a long search for a schedule is -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLine.h"
#include "llm/Console/Interrupts.h"
#include "llm/Console/TextTable.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::llm;

WorkLine::WorkLine(MLIRContext *context)
    : beforeDiagnostics(context, [this](Diagnostic &) {
        takeBack();
        return failure(); // others show it
      }) {}

OpLine::OpLine(MLIRContext *context, StringRef work, StringRef function,
               size_t ops)
    : line(context), head((work + " '" + showName(function) + "': op ").str()),
      ops(ops) {}

void OpLine::enter(size_t count) {
  seen += count;
  line.show(
      [&](::llvm::raw_ostream &os) { os << head << seen << " of " << ops; });
}

SearchLine::SearchLine(MLIRContext *context, StringRef function, size_t tasks)
    : line(context), function(showName(function)), tasks(tasks) {}

void SearchLine::showOp(::llvm::raw_ostream &os) const {
  if (InterruptNote::isNoted())
    os << "interrupted, finishing with the best so far (Ctrl-C again: stop): ";
  else
    os << "'" << function << "': ";
  os << "op " << seen << " of " << tasks;
}

void SearchLine::showStretch() {
  line.show([&](::llvm::raw_ostream &os) { showOp(os); });
}

void SearchLine::showTry() {
  ++tries;
  line.show([&](::llvm::raw_ostream &os) {
    showOp(os);
    os << ", " << tries << " schedules tried";
  });
}

void SearchLine::showSearch(StringRef step, int64_t count,
                            int64_t makespanCycles, int64_t lowerBoundCycles) {
  double bound = std::max<int64_t>(lowerBoundCycles, 1);
  line.show([&](::llvm::raw_ostream &os) {
    showOp(os);
    os << ", " << step << " " << count << ", "
       << ::llvm::format("%.2f %% above what is proven",
                         100 * (makespanCycles / bound - 1))
       << ", makespan " << makespanCycles << " cycles";
  });
}
