//===- FieldTable.cpp - The whole numbers of a target, each once ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"

namespace mlir::llm {

ArrayRef<StringRef> opClassNames() {
  static constexpr StringRef names[] = {"contraction", "attention",
                                        "elementwise"};
  return names;
}

template <typename Part>
static NumberField<Part> field(StringRef key, StringRef unit, StringRef absent,
                               StringRef meaning, int64_t Part::*value,
                               int64_t least = 1) {
  return {key, unit, absent, meaning, least, value, nullptr, true};
}
template <typename Part>
static NumberField<Part> field(StringRef key, StringRef unit, StringRef absent,
                               StringRef meaning,
                               std::optional<int64_t> Part::*optional,
                               int64_t least = 1) {
  return {key, unit, absent, meaning, least, nullptr, optional, true};
}

/// What is known of a kernel from its code.
static NumberField<KernelFigures> ofCode(NumberField<KernelFigures> field) {
  field.isFitted = false;
  return field;
}

ArrayRef<NumberField<Target>> targetNumbers() {
  static const NumberField<Target> fields[] = {
      field("power_limit_watts", "watts", "no limit",
            "the most that the whole device draws for long; an op that would "
            "need more (by the energies of multiply-accumulates and bytes) "
            "takes longer",
            &Target::powerLimitWatts),
      field("idle_watts", "watts", "0",
            "what the device draws when nothing runs; part of the limit",
            &Target::idleWatts, 0),
  };
  return fields;
}

ArrayRef<NumberField<Engine>> engineNumbers() {
  static const NumberField<Engine> fields[] = {
      field("count", "engines", "1",
            "how many engines of this name there are, at most 1,048,576",
            &Engine::count),
      field("units", "units", "1",
            "cores or SMs inside one engine; the rates below are of one unit",
            &Engine::units),
      field("alu_per_cycle_per_unit", "operations per cycle",
            "not modelled, takes no time",
            "additions, multiplications, conversions", &Engine::aluPerCycle),
      field("special_per_cycle_per_unit", "operations per cycle",
            "not modelled, takes no time",
            "exponentials, reciprocal square roots, divisions",
            &Engine::specialPerCycle),
      field("compare_per_cycle_per_unit", "operations per cycle",
            "not modelled, takes no time", "comparisons and maxima",
            &Engine::comparePerCycle),
      field("sustained_clock_hz", "cycles per second", "`clock_hz`",
            "the clock that the units keep under load: below `clock_hz` where "
            "power limits it, above where they boost",
            &Engine::sustainedClockHz),
      field("unit_memory_bytes", "bytes", "no limit",
            "memory of one unit for its tiles (shared memory); attention keeps "
            "two items in a unit where they fit",
            &Engine::unitMemoryBytes),
      field("accumulator_bytes_per_unit", "bytes",
            "work spreads over the units evenly",
            "room for the sums of one unit's tile; with it, the units share an "
            "op as tiles, with whole waves and cut reductions",
            &Engine::accumulatorBytes),
      field("stream_bytes_per_kilocycle_per_unit", "bytes per 1000 cycles",
            "no limit",
            "what one unit streams from memory at most; in series with the "
            "memory's rate",
            &Engine::streamBytesPerKilocycle),
      field("mac_granule_m", "rows", "1",
            "rows of the smallest product of a unit's multiply-accumulate "
            "array",
            &Engine::granuleM),
      field("mac_granule_n", "columns", "1", "columns of it",
            &Engine::granuleN),
      field("mac_granule_k", "terms", "1", "terms of each of its sums",
            &Engine::granuleK),
      field("overhead_cycles", "cycles", "0",
            "what each part costs before it starts", &Engine::overheadCycles,
            0),
  };
  return fields;
}

ArrayRef<NumberField<Memory>> memoryNumbers() {
  static const NumberField<Memory> fields[] = {
      field("capacity_bytes", "bytes",
            "required if private; not given if shared",
            "capacity; that of a shared memory is not checked against the "
            "program yet",
            &Memory::capacityBytes),
      field("bytes_per_second", "bytes per second", "the memory is private",
            "the rate", &Memory::bytesPerSecond),
      field("lanes", "lanes", "1024",
            "equal lanes that the rate is cut into; an engine's port takes the "
            "whole lanes that fit in it; one narrower than a lane is an error",
            &Memory::lanes),
      field("sustained_bytes_per_second", "bytes per second",
            "`bytes_per_second`", "what long streams reach of the rate",
            &Memory::sustainedBytesPerSecond),
      field("femtojoules_per_byte", "10^-15 joules", "not counted",
            "energy of one byte moved", &Memory::femtojoulesPerByte, 0),
  };
  return fields;
}

ArrayRef<NumberField<Link>> linkNumbers() {
  static const NumberField<Link> fields[] = {
      field("bytes_per_second_per_direction", "bytes per second", "required",
            "the rate of one device in one direction, all its lanes together",
            &Link::bytesPerSecond),
      field("devices", "devices", "2",
            "how many the link joins, this one included", &Link::devices, 2),
      field("low_latency_nanoseconds", "nanoseconds", "0",
            "start of a collective in the protocol of low latency",
            &Link::lowLatencyNanoseconds, 0),
      field("step_nanoseconds", "nanoseconds", "0",
            "each step around the ring in that protocol",
            &Link::stepNanoseconds, 0),
      field("low_latency_bytes_per_second", "bytes per second",
            "there is no such protocol", "its rate",
            &Link::lowLatencyBytesPerSecond),
      field("bandwidth_nanoseconds", "nanoseconds", "0",
            "start of a collective in the protocol of high bandwidth",
            &Link::bandwidthNanoseconds, 0),
      field("sustained_bytes_per_second", "bytes per second",
            "`bytes_per_second_per_direction`", "its rate",
            &Link::sustainedBytesPerSecond),
  };
  return fields;
}

ArrayRef<NumberField<KernelFigures>> kernelNumbers() {
  static const NumberField<KernelFigures> fields[] = {
      field("launch_nanoseconds", "nanoseconds", "0",
            "what a kernel takes besides its work, as a profiler sees it",
            &KernelFigures::launchNanoseconds, 0),
      field("replay_nanoseconds", "nanoseconds", "`launch_nanoseconds`",
            "the same in a graph of kernels that is replayed, the gap between "
            "two of them included; for measurements of that kind",
            &KernelFigures::replayNanoseconds, 0),
      field("split_nanoseconds", "nanoseconds", "0",
            "the step that adds up the parts of a reduction that was cut",
            &KernelFigures::splitNanoseconds, 0),
      field("item_cycles", "cycles", "0",
            "filling and draining a unit's pipeline, once for each tile",
            &KernelFigures::itemCycles, 0),
      field("operand_bytes_per_kilocycle", "bytes per 1000 cycles", "no limit",
            "operands that reach a unit's multiply-accumulate array; not "
            "hidden behind it",
            &KernelFigures::operandBytesPerKilocycle),
      field("cache_bytes_per_kilocycle", "bytes per 1000 cycles", "no limit",
            "what each unit gets of the cache that they share when all ask",
            &KernelFigures::cacheBytesPerKilocycle),
      field("item_bytes_per_kilocycle", "bytes per 1000 cycles", "no limit",
            "what a unit moves for a kernel of this kind: its loads in flight "
            "over their latency",
            &KernelFigures::itemBytesPerKilocycle),
      ofCode(field("item_elements", "elements", "whole rows",
            "elements of the pieces into which the kernel cuts rows",
            &KernelFigures::itemElements)),
      ofCode(field("rereads_rows", "0 or 1", "0",
            "1: each stage reads its rows from memory again; 0: they stay in "
            "the unit",
            &KernelFigures::rereadsRows, 0)),
      ofCode(field("query_tile", "rows", "64",
            "query rows of an item of attention", &KernelFigures::queryTile)),
      ofCode(field("key_tile", "keys", "128",
            "keys of a block, which an item takes one after the other",
            &KernelFigures::keyTile)),
      ofCode(field("packs_groups", "0 or 1", "0",
            "1: heads that share keys always share items; 0: only where each "
            "sequence has one query",
            &KernelFigures::packsGroups, 0)),
      ofCode(field("splits_unpacked", "0 or 1", "0",
            "1: keys may be cut into parts everywhere; 0: only where heads "
            "share items",
            &KernelFigures::splitsUnpacked, 0)),
      ofCode(field("skips_masked", "0 or 1", "1",
            "0: blocks that no query sees are computed too",
            &KernelFigures::skipsMasked, 0)),
      field("alu_per_1000_scores", "operations", "those of the op",
            "elementwise operations of the softmax for 1000 scores",
            &KernelFigures::aluPer1000Scores, 0),
      field("lone_block_cycles", "cycles", "0",
            "latency of a block that shows where a unit has one item only",
            &KernelFigures::loneBlockCycles, 0),
      field("regroup_nanoseconds", "nanoseconds", "none is copied",
            "copying queries and output where heads share items and there is "
            "more than one kv head",
            &KernelFigures::regroupNanoseconds, 0),
  };
  return fields;
}

} // namespace mlir::llm
