//===- MeasuringScript.cpp - A program that measures rows -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/MeasurementPlan.h"
#include "llm/Profile/OpRows.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
struct Script {
  StringLiteral name, text;
};
} // namespace

static constexpr Script scripts[] = {
#include "MeasureRows.inc" // made from MeasureRows.py
};

void mlir::llm::writeMeasuringScript(ArrayRef<MeasuredRow> rows,
                                     raw_ostream &os) {
  // The script has a place for its table.
  constexpr StringLiteral place = "SHAPES = \"\"";
  auto [before, behind] = scripts[0].text.split(place);
  os << before << "SHAPES = \"\"\"\\\n";
  writeMeasuredTable(rows, os, Times::Ignored);
  os << "\"\"\"" << behind;
}
