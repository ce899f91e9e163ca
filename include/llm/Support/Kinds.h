//===- Kinds.h - Kinds of engines and of work -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The enumerations that workload, target, cost and schedule share. Plain C++.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_KINDS_H
#define LLM_SUPPORT_KINDS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mlir::llm {

/// What an engine can do. One engine may have several kinds.
enum class EngineKind : uint8_t {
  Matrix,  ///< multiply-accumulate arrays (tensor cores, systolic arrays)
  Vector,  ///< elementwise arithmetic and reductions
  Memory,  ///< moves bytes on its own (a DMA queue)
  Network, ///< moves bytes between devices
};
inline constexpr std::array<EngineKind, 4> allEngineKinds = {
    EngineKind::Matrix, EngineKind::Vector, EngineKind::Memory,
    EngineKind::Network};

/// The kinds of an op's arithmetic. A target gives one rate for each.
enum class WorkKind : uint8_t {
  Mac,     ///< a multiply-accumulate of a contraction (two FLOPs)
  Alu,     ///< one addition, multiplication, conversion, ... of one element
  Special, ///< one exponential, reciprocal square root, sine, division, ...
  Compare, ///< one comparison or maximum
};
inline constexpr std::array<WorkKind, 4> allWorkKinds = {
    WorkKind::Mac, WorkKind::Alu, WorkKind::Special, WorkKind::Compare};

/// How the time of an op on an engine is computed.
enum class CostModelKind : uint8_t {
  Tiles,    ///< units share work evenly, in tiles of the private memory
  Kernels,  ///< the units share an op as tiles, as GPU kernels do
  Roofline, ///< the longer of arithmetic at peak and all bytes, each once
};
inline constexpr std::array<CostModelKind, 3> allCostModelKinds = {
    CostModelKind::Tiles, CostModelKind::Kernels, CostModelKind::Roofline};

/// What the chips of a group exchange.
enum class CollectiveKind : uint8_t {
  AllReduce,      ///< each gets the sum of what all have
  AllGather,      ///< each gets the pieces of all, concatenated
  ReduceScatter,  ///< each gets its piece of the sum of what all have
  AllToAll,       ///< each gets its piece of what each chip has
  ExpertDispatch, ///< each gets the rows of tokens that its experts work on
  ExpertCombine,  ///< each gets back what experts have made of its rows
};
inline constexpr std::array<CollectiveKind, 6> allCollectiveKinds = {
    CollectiveKind::AllReduce,      CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter,  CollectiveKind::AllToAll,
    CollectiveKind::ExpertDispatch, CollectiveKind::ExpertCombine};
/// Says whether rows go to experts on other chips, or come back.
constexpr bool isOfExperts(CollectiveKind kind) {
  return kind == CollectiveKind::ExpertDispatch ||
         kind == CollectiveKind::ExpertCombine;
}

/// Returns the spelling in target files, attributes and reports: "matrix",
/// "mac", ...
std::string_view stringify(EngineKind kind);
std::string_view stringify(WorkKind kind);
std::string_view stringify(CostModelKind kind);
std::string_view stringify(CollectiveKind kind);
std::optional<EngineKind> parseEngineKind(std::string_view text);
std::optional<WorkKind> parseWorkKind(std::string_view text);
std::optional<CostModelKind> parseCostModelKind(std::string_view text);
std::optional<CollectiveKind> parseCollectiveKind(std::string_view text);

/// A set of engine kinds, as bits.
class EngineKindSet {
public:
  EngineKindSet() = default;
  EngineKindSet(EngineKind kind) { insert(kind); }
  void insert(EngineKind kind) { bits |= bit(kind); }
  void insert(EngineKindSet other) { bits |= other.bits; }
  bool contains(EngineKind kind) const { return bits & bit(kind); }
  bool containsAll(EngineKindSet other) const {
    return (bits & other.bits) == other.bits;
  }
  /// Returns the kinds that are not in the other set.
  EngineKindSet without(EngineKindSet other) const {
    EngineKindSet rest;
    rest.bits = bits & ~other.bits;
    return rest;
  }
  bool empty() const { return bits == 0; }
  bool operator==(EngineKindSet other) const { return bits == other.bits; }

private:
  static unsigned bit(EngineKind kind) {
    return 1u << static_cast<unsigned>(kind);
  }
  unsigned bits = 0;
};

} // namespace mlir::llm

#endif // LLM_SUPPORT_KINDS_H
