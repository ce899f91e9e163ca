//===- Recording.cpp - What ran when, in memory ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/Recording.h"
#include "llm/Trace/OverlapTracks.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <queue>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

using Values = Recording::Values;

static bool isBeyondInt64(const Values &value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() > uint64_t(INT64_MAX);
}

static void write(TraceValues &to, StringRef key, const Values &value);

void mlir::llm::writeMembers(TraceValues &to, const Values &values) {
  for (const auto &[key, value] : values.items())
    write(to, values.is_array() ? StringRef() : StringRef(key), value);
}

static void write(TraceValues &to, StringRef key, const Values &value) {
  auto fill = [&](TraceValues &inner) { writeMembers(inner, value); };
  if (value.is_object())
    return to.object(key, fill);
  if (value.is_array())
    return to.list(key, fill);
  if (value.is_boolean())
    return to.flag(key, value.get<bool>());
  if (value.is_string())
    return to.text(key, value.get_ref<const std::string &>());
  if (value.is_number_integer() && !isBeyondInt64(value))
    return to.number(key, value.get<int64_t>());
  to.text(key, value.dump()); // viewers show it as it is
}

namespace {
/// Walks over all events in the order of time.
class Replay {
public:
  Replay(const Recording &recording, TraceSink &sink)
      : recording(recording), sink(sink), overlaps(recording.layout, sink),
        into(recording.slices.size()), outOf(recording.slices.size()) {}
  void run();

private:
  /// Numbers arrows by slice.
  void numberArrows();
  std::vector<size_t> slicesInOrder() const;
  std::vector<size_t> samplesInOrder() const;
  void endUpTo(int64_t nanoseconds);
  void begin(size_t number);

  const Recording &recording;
  TraceSink &sink;
  OverlapTracks overlaps;
  std::vector<SmallVector<TraceArrow, 1>> into, outOf;
  /// What is under way, by end. If ends are equal, what began last ends first.
  using End = std::tuple<int64_t, int64_t, unsigned>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  int64_t begun = 0;
};
} // namespace

void Replay::numberArrows() {
  int64_t last[] = {0, 0};
  for (const Recording::Arrow &arrow : recording.arrows) {
    int64_t id = ++last[arrow.kind == TraceArrow::Kind::Prefetch];
    outOf[arrow.from].push_back({arrow.kind, id});
    into[arrow.into].push_back({arrow.kind, id});
  }
}

std::vector<size_t> Replay::slicesInOrder() const {
  std::vector<size_t> order(recording.slices.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    const Recording::Slice &first = recording.slices[a],
                           &second = recording.slices[b];
    return std::pair(first.startNanoseconds, -first.endNanoseconds) <
           std::pair(second.startNanoseconds, -second.endNanoseconds);
  });
  return order;
}

std::vector<size_t> Replay::samplesInOrder() const {
  std::vector<size_t> order(recording.samples.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return recording.samples[a].nanoseconds < recording.samples[b].nanoseconds;
  });
  return order;
}

void Replay::endUpTo(int64_t nanoseconds) {
  while (!ends.empty() && std::get<0>(ends.top()) <= nanoseconds) {
    auto [end, number, track] = ends.top();
    ends.pop();
    sink.endSlice(overlaps.end(track, end), end);
  }
}

void Replay::begin(size_t number) {
  const Recording::Slice &slice = recording.slices[number];
  endUpTo(slice.startNanoseconds);
  TraceSlice event;
  event.track = overlaps.begin(slice.track, slice.endNanoseconds);
  event.start = slice.startNanoseconds;
  event.end = slice.endNanoseconds;
  event.name = slice.name;
  event.category = slice.category;
  auto fill = [&](TraceValues &values) { writeMembers(values, slice.args); };
  event.fillArgs = fill;
  event.into = into[number];
  event.outOf = outOf[number];
  sink.beginSlice(event);
  ends.push({slice.endNanoseconds, -begun++, slice.track});
}

void Replay::run() {
  numberArrows();
  sink.begin(recording.layout, [&](TraceValues &values) {
    writeMembers(values, recording.about);
  });
  std::vector<size_t> samples = samplesInOrder();
  size_t next = 0;
  auto sampleUpTo = [&](int64_t nanoseconds) {
    for (; next < samples.size(); ++next) {
      const Recording::Sample &sample = recording.samples[samples[next]];
      if (sample.nanoseconds > nanoseconds)
        return;
      endUpTo(sample.nanoseconds);
      sink.writeCounter(sample.counter, sample.nanoseconds, sample.value);
    }
  };
  for (size_t number : slicesInOrder()) {
    sampleUpTo(recording.slices[number].startNanoseconds);
    begin(number);
  }
  sampleUpTo(INT64_MAX);
  endUpTo(INT64_MAX);
  sink.end();
}

void Recording::write(TraceSink &sink) const { Replay(*this, sink).run(); }
