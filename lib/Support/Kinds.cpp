//===- Kinds.cpp - Kinds of engines and of work ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/Kinds.h"

namespace mlir::llm {

std::string_view stringify(EngineKind kind) {
  switch (kind) {
  case EngineKind::Matrix:
    return "matrix";
  case EngineKind::Vector:
    return "vector";
  case EngineKind::Memory:
    return "memory";
  case EngineKind::Network:
    return "network";
  }
  return "";
}

std::string_view stringify(WorkKind kind) {
  switch (kind) {
  case WorkKind::Mac:
    return "mac";
  case WorkKind::Alu:
    return "alu";
  case WorkKind::Special:
    return "special";
  case WorkKind::Compare:
    return "compare";
  }
  return "";
}

std::string_view stringify(CostModelKind kind) {
  switch (kind) {
  case CostModelKind::Tiles:
    return "tiles";
  case CostModelKind::Kernels:
    return "kernels";
  case CostModelKind::Roofline:
    return "roofline";
  }
  return "";
}

std::string_view stringify(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::ExpertDispatch:
    return "expert_dispatch";
  case CollectiveKind::ExpertCombine:
    return "expert_combine";
  }
  return "";
}

/// Returns the kind with this spelling.
template <typename Kind, size_t count>
static std::optional<Kind> parse(const std::array<Kind, count> &all,
                                 std::string_view text) {
  for (Kind kind : all)
    if (stringify(kind) == text)
      return kind;
  return std::nullopt;
}

std::optional<EngineKind> parseEngineKind(std::string_view text) {
  return parse(allEngineKinds, text);
}

std::optional<WorkKind> parseWorkKind(std::string_view text) {
  return parse(allWorkKinds, text);
}

std::optional<CostModelKind> parseCostModelKind(std::string_view text) {
  return parse(allCostModelKinds, text);
}

std::optional<CollectiveKind> parseCollectiveKind(std::string_view text) {
  return parse(allCollectiveKinds, text);
}

} // namespace mlir::llm
