//===- TraceCounters.cpp - Bandwidth and engines over time ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceCounters.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::llm;

TraceCounters::TraceCounters(const Timeline &timeline, const Target &target,
                             TraceWriter &writer)
    : timeline(timeline), target(target), writer(writer),
      memories(target.sharedMemories()),
      values(memories.size() + target.engines.size(), 0),
      written(values.size(), -1) {}

std::vector<TraceCounters::Change>
TraceCounters::collectChanges(const StretchRun &run) const {
  std::vector<Change> changes;
  auto hold = [&](const Slice &slice, unsigned counter, int64_t amount) {
    changes.push_back({slice.startCycle - run.startCycle, counter, amount});
    changes.push_back({slice.endCycle - run.startCycle, counter, -amount});
  };
  for (unsigned op : run.stretch.ops)
    timeline.forEachSlice(op, run.iterations, [&](const Slice &slice) {
      for (auto [counter, memory] : llvm::enumerate(memories))
        if (int64_t lanes = getAmount(slice.lanes, memory->name))
          hold(slice, counter, lanes);
      for (auto [group, engine] : llvm::enumerate(target.engines))
        if (engine.name == slice.engine)
          hold(slice, memories.size() + group, 1);
    });
  llvm::stable_sort(changes, [](const Change &a, const Change &b) {
    return a.cycle < b.cycle;
  });
  return changes;
}

void TraceCounters::replay(const StretchRun &run) {
  auto [known, isNew] = changesOf.try_emplace(&run.stretch);
  if (isNew)
    known->second = collectChanges(run);
  for (const Change &change : known->second) {
    int64_t time = writer.toNanoseconds(run.startCycle + change.cycle);
    if (time != now)
      finish();
    now = time;
    values[change.counter] += change.delta;
  }
}

void TraceCounters::finish() {
  for (unsigned memory = 0; memory < memories.size(); ++memory)
    if (values[memory] != written[memory])
      write(memory);
  ArrayRef<int64_t> busy(values), busyWritten(written);
  if (busy.drop_front(memories.size()) !=
      busyWritten.drop_front(memories.size()))
    writeBusy();
  written = values;
}

void TraceCounters::write(unsigned memory) {
  const Memory &resource = *memories[memory];
  double share = static_cast<double>(values[memory]) / resource.lanes;
  writer.writeCounter(
      now, resource.name + " bandwidth", [&](llvm::json::OStream &json) {
        json.attributeBegin("GB/s");
        json.rawValue([&](raw_ostream &os) {
          os << llvm::format("%.3f",
                             share * resource.usableBytesPerSecond() / 1e9);
        });
        json.attributeEnd();
      });
}

void TraceCounters::writeBusy() {
  writer.writeCounter(now, "engines busy", [&](llvm::json::OStream &json) {
    for (auto [group, engine] : llvm::enumerate(target.engines))
      json.attribute(toUtf8(engine.name), values[memories.size() + group]);
  });
}
