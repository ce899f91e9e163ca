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

/// The number of what a slot on this engine with these lanes holds.
unsigned TraceCounters::findUse(StringRef engine, DictionaryAttr lanes) {
  auto group = llvm::find_if(target.engines, [&](const Engine &candidate) {
    return candidate.name == engine;
  });
  unsigned number = group - target.engines.begin();
  auto [known, isNew] = useOf.try_emplace({number, lanes}, uses.size());
  if (!isNew)
    return known->second;
  Use use;
  for (auto [counter, memory] : llvm::enumerate(memories))
    if (int64_t held = getAmount(lanes, memory->name))
      use.push_back({counter, held});
  if (group != target.engines.end())
    use.push_back({memories.size() + number, 1});
  uses.push_back(std::move(use));
  return known->second;
}

SlotSweep TraceCounters::makeSweep(const ProgramItem &stretch) {
  std::vector<SlotSeries> series;
  for (unsigned op : stretch.ops) {
    Operation *operation = timeline.program().ops()[op].op;
    auto slots = operation->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
    for (SlotRunAttr run : slots.getRuns()) {
      for (PrefetchAttr fetch : run.getPrefetches())
        series.push_back({fetch.getStartCycle(), fetch.getEndCycle(),
                          run.getStartStride(), run.getCount(),
                          findUse(fetch.getEngine(), fetch.getLanes())});
      series.push_back({run.getStartCycle(), run.getEndCycle(),
                        run.getStartStride(), run.getCount(),
                        findUse(run.getEngine(), run.getLanes())});
    }
  }
  return SlotSweep(std::move(series));
}

void TraceCounters::replay(const StretchRun &run) {
  auto known = sweeps.find(&run.stretch);
  if (known == sweeps.end())
    known = sweeps.try_emplace(&run.stretch, makeSweep(run.stretch)).first;
  known->second.run([&](int64_t cycle, unsigned use, int sign) {
    int64_t time = writer.toNanoseconds(run.startCycle + cycle);
    if (time != now)
      finish();
    now = time;
    for (auto [counter, amount] : uses[use])
      values[counter] += sign * amount;
  });
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
