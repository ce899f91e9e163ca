//===- Addresses.h - Where data lies in private memory ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_ADDRESSES_H
#define LLM_SCHEDULING_ADDRESSES_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// Where a slot's data lies in the private memory of its engine, in bytes from
/// the beginning: its working set while it runs (`workingSetWith`), and each
/// fetched slice from the start of its fetch to the end of the slot.
struct SlotAddresses {
  int64_t workingSet = 0;
  std::vector<int64_t> slices; ///< one for each of `Slot::prefetches`
};

/// An engine for which no addresses were found. All that lives on it at a time
/// fits (S7), but no order that was tried gives each piece a range of its own
/// for as long as it lives.
struct AddressShortage {
  EngineId engine;
  int64_t missingBytes = 0; ///< with so many more, addresses are found
};

struct Addresses {
  /// The addresses, in the order of `Solution::slots`. A slot on an engine that
  /// is among the shortages has none.
  std::vector<std::optional<SlotAddresses>> ofSlots;
  std::vector<AddressShortage> shortages; ///< sorted by engine
};

/// Finds addresses for a valid solution (`verify()`) of a problem without
/// alternatives (`resolve`). What lives at the same time on the same engine
/// never overlaps, and everything is below `privateBytes`. The slices of a slot
/// without length live one cycle longer than the slot, so that the next user of
/// the room may wait for the slot. Takes O(n log n).
Addresses allocateAddresses(const Problem &problem, const Solution &solution);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_ADDRESSES_H
