//===- TraceCounters.cpp - What is in use over time -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceCounters.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

constexpr int64_t nanowattsPerWatt = 1000000000;
constexpr int64_t billion = 1000000000;

TraceCounters::TraceCounters(const Target &target, Wanted wanted)
    : target(target), memories(target.sharedResources()), uses(1) {
  for (const Memory *memory : memories) {
    bytesOf.emplace_back();
    if (wanted.bytes) {
      bytesOf.back() = counters.size();
      addCounter({memory->name + " bandwidth", "GB/s", true},
                 Unit::BytesPerSecond);
    }
    heldOf.push_back(counters.size());
    addCounter({memory->name + " bandwidth held", "GB/s", true}, Unit::Lanes);
  }
  for (const Engine &engine : target.engines) {
    busyOf.push_back(counters.size());
    addCounter({"engines busy " + engine.name, "engines"}, Unit::Engines);
  }
  for (const Engine &engine : target.engines) {
    privateOf.emplace_back();
    if (!wanted.privateMemory || !target.privateMemoryOf(engine))
      continue;
    privateOf.back() = counters.size();
    addCounter({"private memory " + engine.name, "bytes"}, Unit::Bytes);
  }
  if (wanted.power) {
    power = counters.size();
    addCounter(
        {"power of MACs and bytes", "W", true,
         "energy of MACs and of bytes that are moved, spread evenly over "
         "slots, and idle watts; of other work none"},
        Unit::Nanowatts, target.idleWatts.value_or(0) * nanowattsPerWatt);
  }
  if (wanted.cache) {
    cache = counters.size();
    addCounter(
        {wanted.cache->before ? "KV cache" : "KV cache written", "bytes"},
        Unit::Bytes, wanted.cache->before.value_or(0));
  }
  written.resize(counters.size());
  areas.resize(counters.size());
  most = values;
}

void TraceCounters::addCounter(TraceCounter counter, Unit unit, int64_t start) {
  counters.push_back(std::move(counter));
  units.push_back(unit);
  values.push_back(start);
}

//===----------------------------------------------------------------------===//
// What spans hold
//===----------------------------------------------------------------------===//

unsigned TraceCounters::numberOf(Use use) {
  auto [known, isNew] = numbers.try_emplace(use, uses.size());
  if (isNew)
    uses.push_back(std::move(use));
  return known->second;
}

std::optional<unsigned> TraceCounters::findGroup(StringRef engine) const {
  for (auto [group, candidate] : llvm::enumerate(target.engines))
    if (candidate.name == engine)
      return group;
  return std::nullopt;
}

unsigned TraceCounters::useOfSlot(const SlotUse &slot) {
  std::optional<unsigned> group = findGroup(slot.engine);
  if (!group)
    return 0;
  Use use;
  auto add = [&](std::optional<unsigned> counter, int64_t amount) {
    if (counter && amount > 0)
      use.push_back({*counter, amount});
  };
  for (auto [number, memory] : llvm::enumerate(memories)) {
    auto moved = slot.bytesPerSecond.find(memory->name);
    if (moved != slot.bytesPerSecond.end())
      add(bytesOf[number],
          std::min(moved->second, memory->usableBytesPerSecond()));
    add(heldOf[number], getAmount(slot.lanes, memory->name));
  }
  add(busyOf[*group], 1);
  add(privateOf[*group], slot.privateBytes);
  add(power, slot.nanowatts);
  return numberOf(std::move(use));
}

unsigned TraceCounters::useOfEngine(StringRef engine) {
  std::optional<unsigned> group = findGroup(engine);
  return group ? numberOf({{busyOf[*group], 1}}) : 0;
}

unsigned TraceCounters::useOfSlice(StringRef engine, int64_t privateBytes) {
  std::optional<unsigned> group = findGroup(engine);
  if (!group || !privateOf[*group] || privateBytes == 0)
    return 0;
  return numberOf({{*privateOf[*group], privateBytes}});
}

unsigned TraceCounters::useOfCache(int64_t bytes) {
  return cache ? numberOf({{*cache, bytes}}) : 0;
}

void TraceCounters::hold(unsigned use, bool isStart) {
  for (auto [counter, amount] : uses[use])
    values[counter] += isStart ? amount : -amount;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

void TraceCounters::sampleEvery(int64_t nanoseconds) {
  interval = nanoseconds;
  for (unsigned counter : busyOf)
    counters[counter].hasDecimals = true;
}

/// Returns a value in the counter's unit, or in billionths of it: bytes per
/// second are billionths of GB/s, and nanowatts are billionths of W.
int64_t TraceCounters::show(unsigned counter, int64_t value) const {
  if (units[counter] == Unit::Engines)
    return interval > 0 ? value * billion : value;
  if (units[counter] != Unit::Lanes)
    return value;
  size_t number = llvm::find(heldOf, counter) - heldOf.begin();
  const Memory &memory = *memories[number];
  double share = static_cast<double>(value) / memory.lanes;
  return std::llround(share * memory.usableBytesPerSecond());
}

void TraceCounters::write(unsigned counter, int64_t nanoseconds, int64_t value,
                          TraceSink &sink) {
  if (written[counter] == value)
    return;
  written[counter] = value;
  sink.writeCounter(counter, nanoseconds, value);
}

void TraceCounters::writeChanges(TraceSink &sink) {
  for (unsigned counter = 0; counter < counters.size(); ++counter)
    write(counter, now, show(counter, values[counter]), sink);
}

void TraceCounters::add(int64_t nanoseconds) {
  if (nanoseconds == now)
    return;
  for (unsigned counter = 0; counter < counters.size(); ++counter) {
    areas[counter] += __int128(values[counter]) * (nanoseconds - now);
    most[counter] = std::max(most[counter], values[counter]);
  }
  now = nanoseconds;
}

/// Writes the samples of the interval that ends now. Means are rounded.
void TraceCounters::closeInterval(TraceSink &sink) {
  int64_t length = now - intervalStart;
  for (unsigned counter = 0; counter < counters.size(); ++counter) {
    auto mean = [&](int64_t times) {
      return int64_t((areas[counter] * times + length / 2) / length);
    };
    int64_t shown;
    if (units[counter] == Unit::Engines) // few, so a mean has decimals
      shown = mean(billion);
    else
      shown = show(counter,
                   units[counter] == Unit::Bytes ? most[counter] : mean(1));
    write(counter, intervalStart, shown, sink);
    areas[counter] = 0;
    most[counter] = 0;
  }
  intervalStart = now;
}

void TraceCounters::moveTo(int64_t nanoseconds, TraceSink &sink) {
  if (interval == 0) {
    if (nanoseconds != now)
      writeChanges(sink);
    now = nanoseconds;
    return;
  }
  while (nanoseconds - intervalStart >= interval) {
    add(intervalStart + interval);
    closeInterval(sink);
  }
  add(nanoseconds);
}

void TraceCounters::finish(TraceSink &sink) {
  if (interval > 0 && now > intervalStart)
    closeInterval(sink);
  writeChanges(sink);
}
