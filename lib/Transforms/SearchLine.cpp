//===- SearchLine.cpp - How far a long search for a schedule is -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLine.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace mlir::llm;

void SearchLine::showOp(::llvm::raw_ostream &os) const {
  os << "'" << function << "': op " << seen << " of " << tasks << ", ";
}

void SearchLine::showTry() {
  ++tries;
  line.show([&](::llvm::raw_ostream &os) {
    showOp(os);
    os << tries << " schedules tried";
  });
}

void SearchLine::showSearch(StringRef step, int64_t count,
                            int64_t makespanCycles, int64_t lowerBoundCycles) {
  double bound = std::max<int64_t>(lowerBoundCycles, 1);
  line.show([&](::llvm::raw_ostream &os) {
    showOp(os);
    os << step << " " << count << ", makespan " << makespanCycles << " cycles, "
       << ::llvm::format("%.2f %% above the lower bound",
                         100 * (makespanCycles / bound - 1));
  });
}
