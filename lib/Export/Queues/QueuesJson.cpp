//===- QueuesJson.cpp - Queues for backends -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form is that of docs/queues.md. Entries are written one at a time, each
// on a line of its own.
//
//===----------------------------------------------------------------------===//

#include "FunctionQueues.h"
#include "llm/Files/Utf8.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::llm;
using llvm::json::OStream;

using scheduling::Queue;
using scheduling::QueueEntry;
using scheduling::Slot;
using scheduling::Wait;

/// Writes one object on the current line.
static void writeObject(llvm::raw_ostream &os,
                        function_ref<void(OStream &)> fill) {
  OStream json(os);
  json.object([&] { fill(json); });
}

/// Calls `write` for each element, on a line of its own.
template <typename Range, typename Write>
static void writeLines(llvm::raw_ostream &os, Range &&range, Write write) {
  os << "[";
  bool isFirst = true;
  for (auto &&each : range) {
    os << (isFirst ? "\n" : ",\n");
    isFirst = false;
    write(each);
  }
  os << "]";
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

namespace {
class StretchWriter {
public:
  StretchWriter(const StretchQueues &stretch, const Program &program,
                llvm::raw_ostream &os)
      : stretch(stretch), program(program), os(os) {}
  void write();

private:
  void writeOp(const QueuedOp &op);
  void writeQueue(const Queue &queue);
  void writeEntry(const QueueEntry &entry);
  void writeEngine(OStream &json, scheduling::EngineId engine);
  void writePart(OStream &json, const QueueEntry &entry);
  void writeBeside(OStream &json, const QueueEntry &entry);
  void writeFetch(OStream &json, const QueueEntry &entry);
  void writeBox(OStream &json, const Slot &slot);
  void writeCycles(OStream &json, int64_t start, int64_t end);
  void writeRun(OStream &json, int64_t start, int64_t end,
                ArrayRef<int64_t> lanes);
  void writeWaits(OStream &json, ArrayRef<Wait> waits);
  const scheduling::Source &sourceOf(const Slot &slot, unsigned fetch) const;

  const StretchQueues &stretch;
  const Program &program;
  llvm::raw_ostream &os;
};
} // namespace

/// Parts of one task read the same buffers, but slices of different size.
static const scheduling::Part &partOf(const scheduling::Task &task,
                                      int64_t part) {
  for (const scheduling::Part &record : task.parts) {
    if (part < record.count)
      return record;
    part -= record.count;
  }
  return task.parts.back();
}

const scheduling::Source &StretchWriter::sourceOf(const Slot &slot,
                                                  unsigned fetch) const {
  const scheduling::Part &part =
      partOf(stretch.problem.tasks[slot.task], slot.part);
  return part.sources[slot.prefetches[fetch].source];
}

void StretchWriter::writeCycles(OStream &json, int64_t start, int64_t end) {
  json.attribute("start_cycle", start + stretch.startCycle);
  json.attribute("end_cycle", end + stretch.startCycle);
}

void StretchWriter::writeRun(OStream &json, int64_t start, int64_t end,
                             ArrayRef<int64_t> lanes) {
  writeCycles(json, start, end);
  json.attributeObject("lanes", [&] {
    for (auto [resource, held] :
         llvm::zip_equal(stretch.problem.resources, lanes))
      if (held > 0)
        json.attribute(toUtf8(resource.name), held);
  });
}

void StretchWriter::writeWaits(OStream &json, ArrayRef<Wait> waits) {
  if (waits.empty())
    return;
  json.attributeArray("waits_for", [&] {
    for (const Wait &wait : waits)
      json.object([&] {
        json.attribute(wait.counter == Wait::Counter::Task ? "op" : "queue",
                       wait.index);
        json.attribute("count", wait.count);
      });
  });
}

void StretchWriter::writeBox(OStream &json, const Slot &slot) {
  const QueuedOp &op = stretch.ops[slot.task];
  if (op.cutLoops.empty() || op.split.combines(slot.part))
    return;
  SmallVector<Interval, 6> box = op.split.boxOf(slot.part);
  json.attributeObject("box", [&] {
    for (unsigned loop : op.cutLoops)
      json.attributeArray(toUtf8(op.loops[loop].name), [&] {
        json.value(box[loop].begin);
        json.value(box[loop].end);
      });
  });
}

void StretchWriter::writeEngine(OStream &json, scheduling::EngineId engine) {
  json.attribute("engine", toUtf8(stretch.problem.engines[engine.group].name));
  json.attribute("index", engine.index);
}

void StretchWriter::writePart(OStream &json, const QueueEntry &entry) {
  const Slot &slot = stretch.solution.slots[entry.slot];
  const auto &place = stretch.addresses.ofSlots[entry.slot];
  const scheduling::Part &part =
      partOf(stretch.problem.tasks[slot.task], slot.part);
  json.attribute("op", slot.task);
  json.attribute("part", slot.part);
  writeBox(json, slot);
  writeRun(json, slot.start, slot.end, slot.lanes);
  if (!slot.with.empty() && slot.start < slot.end)
    json.attributeArray("with", [&] {
      for (scheduling::EngineId other : slot.with)
        json.object([&] { writeEngine(json, other); });
    });
  int64_t bytes = workingSetWith(part, slot.prefetches);
  json.attribute("working_set_bytes", bytes);
  if (place && bytes > 0 && slot.start < slot.end)
    json.attribute("address", place->workingSet);
  if (!slot.prefetches.empty())
    json.attributeArray("fetched", [&] {
      for (unsigned fetch = 0; fetch < slot.prefetches.size(); ++fetch)
        json.object([&] {
          json.attribute("buffer", toUtf8(sourceOf(slot, fetch).name));
          json.attribute("slice_bytes", sourceOf(slot, fetch).sliceBytes);
          if (place)
            json.attribute("address", place->slices[fetch]);
        });
    });
  writeWaits(json, entry.waits);
}

void StretchWriter::writeFetch(OStream &json, const QueueEntry &entry) {
  const Slot &slot = stretch.solution.slots[entry.slot];
  const scheduling::PrefetchSlot &fetch = slot.prefetches[*entry.fetch];
  const auto &place = stretch.addresses.ofSlots[entry.slot];
  json.attribute("fetch", toUtf8(sourceOf(slot, *entry.fetch).name));
  json.attribute("op", slot.task);
  json.attribute("part", slot.part);
  json.attributeObject("into", [&] { writeEngine(json, slot.engine); });
  writeRun(json, fetch.start, fetch.end, fetch.lanes);
  json.attribute("slice_bytes", sourceOf(slot, *entry.fetch).sliceBytes);
  if (place)
    json.attribute("address", place->slices[*entry.fetch]);
  writeWaits(json, entry.waits);
}

/// The queue of the part's own engine says what the part does.
void StretchWriter::writeBeside(OStream &json, const QueueEntry &entry) {
  const Slot &slot = stretch.solution.slots[entry.slot];
  json.attribute("together_with", slot.task);
  json.attribute("part", slot.part);
  writeCycles(json, slot.start, slot.end);
}

void StretchWriter::writeEntry(const QueueEntry &entry) {
  writeObject(os, [&](OStream &json) {
    if (entry.fetch)
      writeFetch(json, entry);
    else if (entry.with)
      writeBeside(json, entry);
    else
      writePart(json, entry);
  });
}

//===----------------------------------------------------------------------===//
// Stretches
//===----------------------------------------------------------------------===//

void StretchWriter::writeOp(const QueuedOp &op) {
  const ProgramOp &entry = program.ops()[op.index];
  Operation *operation = entry.op;
  writeObject(os, [&](OStream &json) {
    json.attribute("name", toUtf8(entry.name));
    json.attribute("op", toUtf8(operation->getName().getStringRef()));
    json.attribute("parts", op.split.partCount());
    if (op.split.lastCombines())
      json.attribute("last_part_combines", true);
    if (scheduling::Chains chains = op.split.chains(); chains.areThere()) {
      json.attribute("chain_length", chains.length);
      json.attribute("chain_stride", chains.stride);
    }
    json.attributeObject("loops", [&] {
      for (const Loop &loop : op.loops)
        json.attribute(toUtf8(loop.name), loop.extent);
    });
  });
}

void StretchWriter::writeQueue(const Queue &queue) {
  os << "{\"engine\":";
  if (queue.engine) {
    OStream(os).value(
        toUtf8(stretch.problem.engines[queue.engine->group].name));
    os << ",\"index\":" << queue.engine->index;
    for (const scheduling::AddressShortage &shortage :
         stretch.addresses.shortages)
      if (shortage.engine == *queue.engine)
        os << ",\"missing_bytes\":" << shortage.missingBytes;
  } else {
    os << "null";
  }
  os << ",\"entries\":";
  writeLines(os, queue.entries,
             [&](const QueueEntry &entry) { writeEntry(entry); });
  os << "}";
}

void StretchWriter::write() {
  os << "{\"stretch\":{\"start_cycle\":" << stretch.startCycle
     << ",\"end_cycle\":" << stretch.endCycle << ",\"ops\":";
  writeLines(os, stretch.ops, [&](const QueuedOp &op) { writeOp(op); });
  os << ",\n\"queues\":";
  writeLines(os, stretch.queues,
             [&](const Queue &queue) { writeQueue(queue); });
  os << "}}";
}

//===----------------------------------------------------------------------===//
// Functions and the machine
//===----------------------------------------------------------------------===//

namespace {
class FunctionWriter {
public:
  FunctionWriter(const FunctionQueues &function, llvm::raw_ostream &os)
      : function(function), os(os) {}
  void write();

private:
  void writeItems(ArrayRef<ProgramItem> items);
  void writeItem(const ProgramItem &item);

  const FunctionQueues &function;
  llvm::raw_ostream &os;
  size_t nextStretch = 0, nextLoop = 0;
};
} // namespace

void FunctionWriter::writeItem(const ProgramItem &item) {
  if (!item.isLoop())
    return StretchWriter(function.stretches[nextStretch++], *function.program,
                         os)
        .write();
  LoopPeriodAttr record = function.timeline.schedule().getLoops()[nextLoop];
  const TimedLoop &loop = function.timeline.loops()[nextLoop++];
  os << "{\"loop\":{\"start_cycle\":" << record.getStartCycle()
     << ",\"period_cycles\":" << loop.periodCycles
     << ",\"trips\":" << loop.trips << ",\"first_index\":" << loop.firstIndex
     << ",\"index_step\":" << loop.indexStep << ",\"body\":";
  writeItems(item.body);
  os << "}}";
}

void FunctionWriter::writeItems(ArrayRef<ProgramItem> items) {
  writeLines(os, items, [&](const ProgramItem &item) { writeItem(item); });
}

void FunctionWriter::write() {
  FunctionOpInterface func = function.program->function();
  ScheduleAttr schedule = function.timeline.schedule();
  os << "{\"function\":";
  OStream(os).value(toUtf8(symbolOf(func)));
  os << ",\"policy\":";
  OStream(os).value(toUtf8(schedule.getPolicy()));
  os << ",\"makespan_cycles\":" << schedule.getMakespanCycles() << ",\"body\":";
  writeItems(function.program->items());
  os << "}";
}

static void writeEngine(const Engine &engine, const Target &target,
                        llvm::raw_ostream &os) {
  writeObject(os, [&](OStream &json) {
    json.attribute("name", toUtf8(engine.name));
    json.attributeArray("kinds", [&] {
      for (EngineKind kind : allEngineKinds)
        if (engine.kinds.contains(kind))
          json.value(StringRef(stringify(kind)));
    });
    json.attribute("count", engine.count);
    const Memory *own = target.privateMemoryOf(engine);
    json.attribute("private_bytes", own ? own->capacityBytes : 0);
  });
}

static void writeMemory(const Memory &memory, llvm::raw_ostream &os) {
  writeObject(os, [&](OStream &json) {
    json.attribute("name", toUtf8(memory.name));
    json.attribute("bytes_per_second", memory.usableBytesPerSecond());
    json.attribute("lanes", memory.lanes);
  });
}

void mlir::llm::writeQueuesJson(ArrayRef<FunctionQueues> functions,
                                const Target &target, llvm::raw_ostream &os) {
  os << "{\"format\":\"llm-queues\",\"version\":1,\"target\":";
  OStream(os).value(toUtf8(target.name));
  os << ",\"clock_hz\":" << target.clockHz << ",\"engines\":";
  writeLines(os, target.engines,
             [&](const Engine &engine) { writeEngine(engine, target, os); });
  os << ",\"memories\":";
  writeLines(os, target.sharedResources(),
             [&](const Memory *memory) { writeMemory(*memory, os); });
  os << ",\"functions\":";
  writeLines(os, functions, [&](const FunctionQueues &function) {
    FunctionWriter(function, os).write();
  });
  os << "}\n";
}
