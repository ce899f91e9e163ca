//===- ServedTable.h - Served times that others measured --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SERVING_SERVEDTABLE_H
#define LLM_SERVING_SERVEDTABLE_H

#include "llm/Serving/Serving.h"
#include "mlir/IR/Location.h"

#include <map>
#include <string>
#include <vector>

namespace mlir::llm {

/// One served configuration, as somebody measured it.
struct ServedRow {
  Location location;
  Deployment deployment;
  ServedLoad load;
  double tokenSeconds; ///< from token to token (TPOT)
};

struct ServedTable {
  std::vector<ServedRow> rows;
  /// The reasons why rows were left out ("pp_size 2"), and the number of rows.
  std::map<std::string, size_t> leftOut;
};

/// Reads a CSV whose first row names the columns: `isl` and `osl` (tokens of a
/// prompt and of an answer), `batch_size` or `requests` (at a time), `tp_size`
/// or `tp`, and `silicon_tpot_ms` or `tpot_ms`. `pp_size`, `attention_dp_size`,
/// `moe_tp_size` and `moe_ep_size` are 1 where they are not there. Rows with a
/// `mode` that is not "agg", or an `attention_dp_size` above 1 of a model
/// without experts, are left out. `where` has filters, "column=value". Errors
/// are located at the cell.
FailureOr<ServedTable> readServedTable(StringRef path,
                                       ArrayRef<std::string> where,
                                       MLIRContext *context);

} // namespace mlir::llm

#endif // LLM_SERVING_SERVEDTABLE_H
