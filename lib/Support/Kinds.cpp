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

std::optional<EngineKind> parseEngineKind(std::string_view text) {
  for (EngineKind kind : allEngineKinds)
    if (stringify(kind) == text)
      return kind;
  return std::nullopt;
}

std::optional<WorkKind> parseWorkKind(std::string_view text) {
  for (WorkKind kind : allWorkKinds)
    if (stringify(kind) == text)
      return kind;
  return std::nullopt;
}

std::optional<CostModelKind> parseCostModelKind(std::string_view text) {
  for (CostModelKind kind : allCostModelKinds)
    if (stringify(kind) == text)
      return kind;
  return std::nullopt;
}

} // namespace mlir::llm
