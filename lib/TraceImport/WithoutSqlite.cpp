//===- WithoutSqlite.cpp - A build that reads no databases ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFormats.h"

using namespace mlir;
using namespace mlir::llm;

::llvm::Expected<ImportedTrace> mlir::llm::readNsys(TraceInput &input) {
  return input.fail(0, "a SQLite database, which this build cannot read: it "
                       "was configured without SQLite 3.36 or newer (Debian: "
                       "libsqlite3-dev)");
}
