//===- OptionValues.h - What options of passes may be -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_OPTIONVALUES_H
#define LLM_LIB_TRANSFORMS_OPTIONVALUES_H

#include "llm/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::llm {

inline ::llvm::cl::ValuesClass strategyValues() {
  return ::llvm::cl::values(clEnumValN(TilingStrategy::Search, "search",
                                       "the fastest of all legal ones"),
                            clEnumValN(TilingStrategy::Theoretical,
                                       "theoretical",
                                       "by the closed form of cost sheets"));
}

inline ::llvm::cl::ValuesClass chunkValues() {
  return ::llvm::cl::values(
      clEnumValN(ChunkChoice::Given, "given", "as the program says"),
      clEnumValN(ChunkChoice::Search, "search",
                 "the fastest, where the target has no kernels of its own"));
}

inline ::llvm::cl::ValuesClass expertRoomValues() {
  return ::llvm::cl::values(
      clEnumValN(ExpertRoom::Counted, "counted",
                 "those of the chip that has most, by rows_per_expert"),
      clEnumValN(ExpertRoom::All, "all", "as many as any routing can send"));
}

inline ::llvm::cl::ValuesClass expertExchangeValues() {
  return ::llvm::cl::values(
      clEnumValN(ExpertExchange::AllToAll, "all-to-all",
                 "each token to the chips that have experts for it"),
      clEnumValN(ExpertExchange::AllGather, "all-gather",
                 "all tokens to all of these chips"));
}

inline ::llvm::cl::ValuesClass policyValues() {
  return ::llvm::cl::values(
      clEnumValN(SchedulePolicy::List, "list",
                 "the part with the longest way to the end first"),
      clEnumValN(SchedulePolicy::Earliest, "earliest",
                 "program order, each op whole"),
      clEnumValN(SchedulePolicy::Exact, "exact",
                 "until it is proven that none is shorter"));
}

inline ::llvm::cl::ValuesClass granularityValues() {
  return ::llvm::cl::values(
      clEnumValN(ScheduleGranularity::Tile, "tile",
                 "parts of an op, which may be cut"),
      clEnumValN(ScheduleGranularity::Op, "op", "whole ops"));
}

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_OPTIONVALUES_H
