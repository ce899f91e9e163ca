//===- FieldTable.cpp - The whole numbers of a target, each once ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"

namespace mlir::llm {

ArrayRef<StringRef> opClassNames() {
  static constexpr StringRef names[] = {"contraction",
                                        "attention",
                                        "attention_decode",
                                        "attention_decode_mha",
                                        "attention_decode_wide",
                                        "selection",
                                        "elementwise"};
  return names;
}

SmallVector<StringRef, 3> opClassesFor(StringRef opClass) {
  SmallVector<StringRef, 3> classes;
  for (StringRef name : opClassNames()) // wider ones come first
    if (StringRef rest = opClass;
        rest.consume_front(name) && (rest.empty() || rest.starts_with("_")))
      classes.push_back(name);
  if (classes.empty()) // of an op without a kernel
    classes.push_back(opClass);
  return classes;
}

StringRef widestClassOf(StringRef opClass) {
  return opClassesFor(opClass).front();
}

template <typename Part>
static NumberField<Part> field(StringRef key, StringRef unit, StringRef absent,
                               StringRef meaning, int64_t Part::*value,
                               int64_t least = 1) {
  return {key, unit, absent, meaning, least, value, nullptr, true};
}
template <typename Part>
static NumberField<Part>
field(StringRef key, StringRef unit, StringRef absent, StringRef meaning,
      std::optional<int64_t> Part::*optional, int64_t least = 1) {
  return {key, unit, absent, meaning, least, nullptr, optional, true};
}

/// Marks a figure that is known from code or a data sheet, and not fitted.
template <typename Part>
static NumberField<Part> known(NumberField<Part> field) {
  field.isFitted = false;
  return field;
}

template <typename Part>
static NumberField<Part> atMost(int64_t most, NumberField<Part> field) {
  field.most = most;
  return field;
}

/// Makes a field for a switch, of a kernel one that its code tells.
template <typename Part>
static NumberField<Part> choice(StringRef key, StringRef absent,
                                StringRef meaning,
                                std::optional<int64_t> Part::*optional) {
  return atMost(1, known(field(key, "0 or 1", absent, meaning, optional, 0)));
}

/// Makes a field for a percentile of measured times.
template <typename Part>
static NumberField<Part> percentile(StringRef key, StringRef meaning,
                                    std::optional<int64_t> Part::*optional) {
  return known(field(key, "percent of the predicted time",
                     "reports give no range", meaning, optional));
}

//===----------------------------------------------------------------------===//
// Texts, lists and maps
//===----------------------------------------------------------------------===//

ArrayRef<OtherField> targetOthers() {
  static const OtherField fields[] = {
      {keys::name, "", "required", "what the target is called"},
      {keys::description, "", "empty",
       "where the figures come from; \"invented\" if they are"},
      {keys::clockHz, "cycles per second", "a stated tick of 1 GHz",
       "the clock that all cycles are counted in"},
      {keys::clockIsGiven, "", "`true` if `clock_hz` is there",
       "`false`: `clock_hz` is only a tick, no property of the machine"},
      {keys::engines, "", "required",
       "a map from names to engines (groups of equal engines); an op runs on "
       "the first group that has all the kinds that it needs"},
      {keys::memories, "", "required",
       "a map from names to memories; values live between ops in the last "
       "shared one"},
      {keys::links, "", "none",
       "a map from names to links to other devices of the same kind"},
      {keys::fittedOn, "", "the figures are not fitted",
       "which measurements figures were fitted on that stand among the others, "
       "not under `calibration`"},
      {keys::measured, "", "none",
       "measured times that correct costs (`--llm-target=measured=`): a map "
       "from forms of ops (`llm.matmul bf16,bf16,bf16 m,n,k`) to lists of "
       "sizes, picoseconds, millionths of the formula's time, and the number "
       "of kernels that were timed together"},
      {keys::calibration, "", "none",
       "figures that were fitted to measurements, over those of the datasheet"},
  };
  return fields;
}

ArrayRef<OtherField> engineOthers() {
  static const OtherField fields[] = {
      {keys::kinds, "", "required",
       "a list of `\"matrix\"` (multiply-accumulate arrays), `\"vector\"` "
       "(elementwise work and reductions), `\"memory\"` (moves bytes on its "
       "own), `\"network\"` (moves bytes between devices)"},
      {keys::costModel, "", "`\"tiles\"`",
       "how times come about: `\"tiles\"`: work spreads over the units evenly, "
       "in tiles that fit into the private memory; `\"kernels\"`: the units "
       "share an op as tiles, with whole waves and cut reductions, as on GPUs; "
       "`\"roofline\"`: the longer of arithmetic at its peak and every byte "
       "once, whatever the private memory holds"},
      {keys::macs, "multiply-accumulates per cycle",
       "required for `\"matrix\"`",
       "a map from element types (`\"bf16\"`, `\"f8E4M3FN\"`, `\"i8\"`, ...) "
       "to rates of one unit"},
      {keys::privateMemory, "", "none",
       "the name of a memory, of which each engine has one of its own"},
      {keys::ports, "bytes per second", "the memory's full rate",
       "a map from shared memories to the most that one engine can take of "
       "their rate"},
      {keys::macEnergies, "10^-15 joules", "not counted",
       "a map from element types to the energy of one multiply-accumulate"},
      {keys::kernels, "", "kernels lose nothing",
       "a map from kernels to what they lose against the rates"},
  };
  return fields;
}

ArrayRef<OtherField> kernelOthers() {
  static const OtherField fields[] = {
      {keys::formats, "", "all formats",
       "a list of the number formats (`\"fp8_channel\"`, `\"nvfp4\"`, "
       "`\"f8E4M3FN\"`, ...) of the ops for which a library has these kernels"},
      {keys::tiles, "", "all that libraries ship, and cut reductions",
       "a list of the tiles that a library has for products, those for fewer "
       "rows first; of several for as many rows it takes the fastest"},
  };
  return fields;
}

ArrayRef<OtherField> calibrationOthers() {
  static const OtherField fields[] = {
      {keys::fittedOn, "", "required",
       "which measurements the figures were fitted on, or carried from"},
      {keys::engines, "", "the datasheet's",
       "a map from engines that are there to their whole numbers, "
       "`macs_per_cycle_per_unit`, `femtojoules_per_mac` and `kernels`"},
      {keys::memories, "", "the datasheet's",
       "a map from memories that are there to their numbers"},
      {keys::links, "", "the datasheet's",
       "a map from links that are there to their numbers"},
  };
  return fields;
}

//===----------------------------------------------------------------------===//
// Whole numbers
//===----------------------------------------------------------------------===//

ArrayRef<NumberField<Target>> targetNumbers() {
  static const NumberField<Target> fields[] = {
      field("power_limit_watts", "watts", "no limit",
            "the most that the whole device draws for long; an op that would "
            "need more (by the energies of multiply-accumulates and bytes) "
            "takes longer; without these energies it does nothing",
            &Target::powerLimitWatts),
      field("idle_watts", "watts", "0",
            "what the device draws when nothing runs; part of the limit, and "
            "of the average power in reports",
            &Target::idleWatts, 0),
      atMost(1000, field("burst_percent", "percent of the limit", "100",
                         "what an op draws at most in its first "
                         "`burst_microseconds`; the limit acts behind them",
                         &Target::burstPercent, 100)),
      field("burst_microseconds", "microseconds", "0",
            "how much of an op the limit does not reach; limits act within "
            "tens of milliseconds, and what is measured is repeated some "
            "tens of times",
            &Target::burstMicroseconds, 0),
      atMost(1, field("energy_follows_clock", "0 or 1", "0",
                      "1: where the power limit slows the clock down, voltage "
                      "falls, and operations take less energy, by the third "
                      "root of the clock; what the target gives is their "
                      "energy at the full clock",
                      &Target::energyFollowsClock, 0)),
  };
  return fields;
}

ArrayRef<NumberField<Engine>> engineNumbers() {
  static const NumberField<Engine> fields[] = {
      atMost(Target::maxEngines,
             field("count", "engines", "1",
                   "how many engines of this name there are, at most 1,048,576",
                   &Engine::count)),
      field("units", "units", "1",
            "cores or SMs inside one engine; rates with `_per_unit` are of one",
            &Engine::units),
      field("alu_per_cycle_per_unit", "operations per cycle",
            "an op that does such work is an error",
            "additions, multiplications, conversions", &Engine::aluPerCycle),
      field("special_per_cycle_per_unit", "operations per cycle",
            "an op that does such work is an error",
            "exponentials, reciprocal square roots, divisions",
            &Engine::specialPerCycle),
      field("compare_per_cycle_per_unit", "operations per cycle",
            "an op that does such work is an error", "comparisons and maxima",
            &Engine::comparePerCycle),
      field("sustained_clock_hz", "cycles per second", "`clock_hz`",
            "the clock that the units keep under load: below `clock_hz` where "
            "power limits it, above where they boost (datasheets name either "
            "clock)",
            &Engine::sustainedClockHz),
      field("boost_clock_hz", "cycles per second", "`clock_hz`",
            "the highest clock that the datasheet names; `llm-prof calibrate` "
            "fits no clock above it",
            &Engine::boostClockHz),
      field("unit_memory_bytes", "bytes", "no limit",
            "memory of one unit for its tiles (shared memory); attention keeps "
            "two items in a unit where they fit",
            &Engine::unitMemoryBytes),
      field(keys::accumulatorBytes, "bytes", "no limit",
            "room for the sums of one unit's tile; of `cost_model` "
            "`\"kernels\"`",
            &Engine::accumulatorBytes),
      field("stream_bytes_per_kilocycle_per_unit", "bytes per 1000 cycles",
            "no limit",
            "what one unit streams from memory at most; in series with the "
            "memory's rate",
            &Engine::streamBytesPerKilocycle),
      field("mac_granule_m", "rows", "1",
            "rows of the smallest product of a unit's multiply-accumulate "
            "array: fewer take as long",
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
            "required if private; no limit if shared",
            "capacity; that of the last shared memory must hold the program "
            "(weights, caches, values), or else nothing is checked",
            &Memory::capacityBytes),
      field("bytes_per_second", "bytes per second",
            "required if shared; no limit if private",
            "the rate; of a `private_memory`, what arithmetic reads and writes "
            "of one",
            &Memory::bytesPerSecond),
      field("lanes", "lanes", "1024",
            "equal lanes that the rate is cut into; an engine's port takes the "
            "whole lanes that fit in it; one narrower than a lane is an error",
            &Memory::lanes),
      field("sustained_bytes_per_second", "bytes per second",
            "`bytes_per_second`",
            "what long streams reach of the rate, no more than it",
            &Memory::sustainedBytesPerSecond),
      field("femtojoules_per_byte", "10^-15 joules", "not counted",
            "energy of one byte moved", &Memory::femtojoulesPerByte, 0),
      field("bytes_per_engine", "bytes", "nothing is kept",
            "of a shared memory that is not the last: room in which each "
            "engine that computes keeps tiles that come back, so that they "
            "pass the memories behind it once",
            &Memory::bytesPerEngine),
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
            "start of a collective in the protocol of low latency, for short "
            "messages",
            &Link::lowLatencyNanoseconds, 0),
      field("step_nanoseconds", "nanoseconds", "0",
            "each step around the ring in the protocols of low latency and of "
            "128-byte lines",
            &Link::stepNanoseconds, 0),
      field("low_latency_bytes_per_second", "bytes per second",
            "there is no such protocol",
            "the rate of the protocol of low latency",
            &Link::lowLatencyBytesPerSecond),
      field("ll128_nanoseconds", "nanoseconds", "0",
            "start of a collective in the protocol of 128-byte lines (NCCL's "
            "LL128), between the other two",
            &Link::ll128Nanoseconds, 0),
      field("ll128_bytes_per_second", "bytes per second",
            "there is no such protocol",
            "the rate of the protocol of 128-byte lines",
            &Link::ll128BytesPerSecond),
      field("bandwidth_nanoseconds", "nanoseconds", "0",
            "start of a collective in the protocol of high bandwidth",
            &Link::bandwidthNanoseconds, 0),
      field("sustained_bytes_per_second", "bytes per second",
            "`bytes_per_second_per_direction`",
            "the rate of the protocol of high bandwidth, no more than the "
            "link's",
            &Link::sustainedBytesPerSecond),
      field("in_switch_nanoseconds", "nanoseconds", "0",
            "start of an all-reduce of three devices or more whose sums are "
            "made in the switch",
            &Link::inSwitchNanoseconds, 0),
      field("in_switch_bytes_per_second", "bytes per second",
            "the switch makes no sums",
            "the rate at which a device sends to a switch that makes sums, no "
            "more than the link's",
            &Link::inSwitchBytesPerSecond),
      field("exchange_nanoseconds", "nanoseconds", "0",
            "start of an all_to_all in the protocol of low latency",
            &Link::exchangeNanoseconds, 0),
      field("exchange_peer_nanoseconds", "nanoseconds", "0",
            "what each other device adds to it",
            &Link::exchangePeerNanoseconds, 0),
      field("exchange_low_latency_bytes_per_second", "bytes per second",
            "an all_to_all has no such protocol",
            "the rate of an all_to_all in the protocol of low latency",
            &Link::exchangeLowLatencyBytesPerSecond),
      field("exchange_bandwidth_nanoseconds", "nanoseconds", "0",
            "start of an all_to_all in the protocol of high bandwidth",
            &Link::exchangeBandwidthNanoseconds, 0),
      field("exchange_bytes_per_second", "bytes per second",
            "an all_to_all is timed as a ring",
            "the rate of an all_to_all in the protocol of high bandwidth, no "
            "more than the link's",
            &Link::exchangeBytesPerSecond),
      field("one_shot_nanoseconds", "nanoseconds", "0",
            "start of an all-reduce in which each device reads the values of "
            "all others and adds up",
            &Link::oneShotNanoseconds, 0),
      field("one_shot_peer_nanoseconds", "nanoseconds", "0",
            "what each other device adds to the time of one shot",
            &Link::oneShotPeerNanoseconds, 0),
      field("one_shot_bytes_per_second", "bytes per second",
            "there is no such all-reduce",
            "the rate at which a device reads in it, no more than the link's",
            &Link::oneShotBytesPerSecond),
      field("two_shot_nanoseconds", "nanoseconds", "0",
            "start of an all-reduce in which each device adds up its share of "
            "the values, and then reads the other shares",
            &Link::twoShotNanoseconds, 0),
      field("two_shot_peer_nanoseconds", "nanoseconds", "0",
            "what each other device adds to the time of two shots",
            &Link::twoShotPeerNanoseconds, 0),
      field("two_shot_bytes_per_second", "bytes per second",
            "there is no such all-reduce",
            "the rate at which a device reads in it, no more than the link's",
            &Link::twoShotBytesPerSecond),
      known(field("shot_most_bytes", "bytes", "no limit",
                  "the largest values for which the library takes one shot or "
                  "two",
                  &Link::shotMostBytes)),
      field("expert_dispatch_nanoseconds", "nanoseconds", "0",
            "start of what sends the rows of tokens to their experts",
            &Link::expertDispatchNanoseconds, 0),
      field(
          "expert_dispatch_peer_nanoseconds", "nanoseconds", "0",
          "what each other device adds to the time of rows that go to experts",
          &Link::expertDispatchPeerNanoseconds, 0),
      field("expert_dispatch_bytes_per_second", "bytes per second",
            "rows go to experts as in an all_to_all",
            "the rate of rows that go to experts, no more than the link's",
            &Link::expertDispatchBytesPerSecond),
      field("expert_combine_nanoseconds", "nanoseconds", "0",
            "start of what brings the rows back from the experts and adds "
            "them up",
            &Link::expertCombineNanoseconds, 0),
      field("expert_combine_peer_nanoseconds", "nanoseconds", "0",
            "what each other device adds to the time of rows that come back",
            &Link::expertCombinePeerNanoseconds, 0),
      field("expert_combine_bytes_per_second", "bytes per second",
            "rows come back as in an all_to_all",
            "the rate of rows that come back from experts, no more than the "
            "link's",
            &Link::expertCombineBytesPerSecond),
      percentile("p10_percent", "what a tenth of measured collectives stayed below",
                 &Link::p10Percent),
      percentile("p90_percent", "what nine tenths of measured collectives stayed below",
                 &Link::p90Percent),
      known(choice("fully_connected", "0",
                   "1: a wire joins any two of the devices, so that a group "
                   "of n has (n - 1) / (`devices` - 1) of the rate; of the "
                   "first link",
                   &Link::fullyConnected)),
      known(field("torus_x", "devices", "the link has switches",
                  "the devices are a torus of `torus_x` x `torus_y` x "
                  "`torus_z`, which is `devices`, with neighbours along x; of "
                  "the first link",
                  &Link::torusX, 2)),
      known(field("torus_y", "devices", "1",
                  "devices along the second dimension of the torus",
                  &Link::torusY, 2)),
      known(field("torus_z", "devices", "1",
                  "devices along the third dimension of the torus",
                  &Link::torusZ, 2)),
      known(choice("is_default", "0",
                   "1: these figures of a library (`LINK@LIBRARY`) stand over "
                   "those of the link where no library is chosen",
                   &Link::isDefault)),
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
            "over their latency; of a product what comes from memory",
            &KernelFigures::itemBytesPerKilocycle),
      known(field("item_elements", "elements", "whole rows",
                  "elements of the pieces into which the kernel cuts rows",
                  &KernelFigures::itemElements)),
      known(field("item_rows", "rows", "1",
                  "tokens of a sequence that such a piece has",
                  &KernelFigures::itemRows)),
      choice("rereads_rows", "0",
             "1: each stage reads its rows from memory again, and a selection "
             "its scores; 0: they stay in the unit",
             &KernelFigures::rereadsRows),
      known(field("query_tile", "rows", "64",
                  "query rows of an item of attention or of a selection",
                  &KernelFigures::queryTile)),
      known(field("decode_query_tile", "rows", "`query_tile`",
                  "the same if all rows that read the same keys fit into so "
                  "many, as in decode steps",
                  &KernelFigures::decodeQueryTile)),
      known(field("key_tile", "keys", "128",
                  "keys of a block, which an item takes one after the other",
                  &KernelFigures::keyTile)),
      choice("packs_groups", "0",
             "1: heads that share keys always share items; 0: only where each "
             "sequence has one query",
             &KernelFigures::packsGroups),
      choice("packs_windows", "1",
             "0: heads share no items where queries see a window of keys",
             &KernelFigures::packsWindows),
      known(field("packed_heads", "heads", "no limit",
                  "most heads that share items; of more that share keys, each "
                  "has items of its own",
                  &KernelFigures::packedHeads)),
      choice("splits_unpacked", "0",
             "1: keys may be cut into parts everywhere, also in a selection; "
             "0: only where heads share items",
             &KernelFigures::splitsUnpacked),
      choice("skips_masked", "1",
             "0: blocks that no query sees are computed too, and empty slots "
             "of a selection",
             &KernelFigures::skipsMasked),
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
      field("first_byte_nanoseconds", "nanoseconds", "0",
            "until the first bytes of a product's stream arrive; a product "
            "hides them as it hides the stream",
            &KernelFigures::firstByteNanoseconds, 0),
      field("written_byte_percent", "percent", "100",
            "what a byte that a product writes takes, of one that it reads",
            &KernelFigures::writtenBytePercent, 100),
      field("resident_bytes_per_kilocycle", "bytes per 1000 cycles",
            "`cache_bytes_per_kilocycle`; products read memory",
            "what each unit streams of operands that already lie in the cache "
            "that units share, if that is more than memory gives",
            &KernelFigures::residentBytesPerKilocycle),
      atMost(100, field("macs_percent", "percent", "100",
                        "what products reach of the engine's rate while a "
                        "unit computes",
                        &KernelFigures::macsPercent)),
      atMost(100, field("overlap_percent", "percent", "0",
                        "of the products of attention and its softmax, what "
                        "of the shorter hides behind the longer",
                        &KernelFigures::overlapPercent, 0)),
      choice("streams_ahead", "0",
             "1: warps of their own fetch keys and values ahead of those that "
             "compute, so that both hardly wait for each other; of attention",
             &KernelFigures::streamsAhead),
      choice("scores_keys", "1",
             "0: the scores are in memory before a selection begins, which is "
             "that of a kernel that only selects",
             &KernelFigures::scoresKeys),
      field("row_cycles", "cycles", "0",
            "what a selection takes for each row of scores besides reading it",
            &KernelFigures::rowCycles, 0),
      field("row_bytes_per_kilocycle", "bytes per 1000 cycles",
            "nothing is selected, as by a kernel that only scores; so does 0",
            "the rate at which a unit goes through a row of scores",
            &KernelFigures::rowBytesPerKilocycle, 0),
      field("chunk_cycles", "cycles", "0",
            "what a unit takes for each chunk of a layer with a state besides "
            "its work, however few tokens are in it",
            &KernelFigures::chunkCycles, 0),
      percentile("p10_percent", "what a tenth of measured ops stayed below",
                 &KernelFigures::p10Percent),
      percentile("p90_percent", "what nine tenths of measured ops stayed below",
                 &KernelFigures::p90Percent),
      choice("is_default", "0",
             "1: these figures of a library (`KERNEL@LIBRARY`) stand over "
             "those of the kernel where no library is chosen that has others",
             &KernelFigures::isDefault),
  };
  return fields;
}

ArrayRef<NumberField<ProductTile>> productTileNumbers() {
  static const NumberField<ProductTile> fields[] = {
      field("most_rows", "rows", "any other number",
            "the most rows of a product for which the library takes the tile",
            &ProductTile::mostRows),
      field("rows", "rows", "required", "rows of the result that a unit makes",
            &ProductTile::rows),
      field("columns", "columns", "required",
            "columns of the result that a unit makes", &ProductTile::columns),
      field("cluster_rows", "tiles", "1",
            "tiles, one below the other, that start together in a cluster of "
            "units; the number of tiles along the rows is a multiple of it",
            &ProductTile::clusterRows),
  };
  return fields;
}

//===----------------------------------------------------------------------===//
// Rows of the documentation
//===----------------------------------------------------------------------===//

static void addRows(std::vector<TargetFieldRow> &rows, StringRef table,
                    ArrayRef<OtherField> fields) {
  for (const OtherField &field : fields)
    rows.push_back({table, field.key, field.unit, field.absent, field.meaning});
}

template <typename Part>
static void addRows(std::vector<TargetFieldRow> &rows, StringRef table,
                    ArrayRef<NumberField<Part>> fields) {
  for (const NumberField<Part> &field : fields)
    rows.push_back({table, field.key, field.unit, field.absent, field.meaning});
}

std::vector<TargetFieldRow> targetFieldRows() {
  std::vector<TargetFieldRow> rows;
  addRows(rows, "target", targetOthers());
  addRows(rows, "target", targetNumbers());
  addRows(rows, "engine", engineOthers());
  addRows(rows, "engine", engineNumbers());
  addRows(rows, "memory", memoryNumbers());
  addRows(rows, "link", linkNumbers());
  addRows(rows, "kernel", kernelOthers());
  addRows(rows, "kernel", kernelNumbers());
  addRows(rows, "tile", productTileNumbers());
  addRows(rows, "calibration", calibrationOthers());
  return rows;
}

} // namespace mlir::llm
