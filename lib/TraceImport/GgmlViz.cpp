//===- GgmlViz.cpp - Traces of ggml-viz -----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A head, "GGMLVIZ1" and a version, and records, all without gaps and
// little-endian: u8 kind, u64 nanoseconds, u32 thread, a union of 32 bytes in
// C's layout, u8 whether a label follows, and a label as u32 and its bytes. The
// union of a graph: u64 graph, u32 nodes, u32 threads; of an op: u64 tensor,
// u32 op, 4 bytes of padding, u64 bytes; of memory: u64 address, u64 bytes.
//
// All ops of a graph begin before it is computed, and all end behind it. Such
// ops have no time of their own; they are instants.
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "GgmlFormats.h"
#include "TraceBuilder.h"
#include "llvm/Support/JSON.h"

#include <unordered_map>

using namespace mlir;
using namespace mlir::llm;

static constexpr ::llvm::StringLiteral magic = "GGMLVIZ1";
static constexpr uint32_t version = 1;
static constexpr size_t headBytes = 8 + 4;
static constexpr size_t recordBytes = 1 + 8 + 4 + 32 + 1;
/// Names of tensors have less than 64 bytes, so a longer label is broken.
static constexpr uint32_t maxLabelBytes = 1 << 16;

bool mlir::llm::isGgmlViz(StringRef beginning) {
  return beginning.starts_with(magic);
}

namespace {
enum class Kind : uint8_t {
  GraphBegin,
  GraphEnd,
  OpBegin,
  OpEnd,
  Alloc,
  Free,
  BarrierWait,
  ThreadBegin,
  ThreadEnd,
  BufferAlloc,
  BufferFree
};
constexpr uint8_t lastKind = uint8_t(Kind::BufferFree);

struct VizRecord {
  uint64_t offsetBytes = 0; ///< in the file
  Kind kind = Kind::GraphBegin;
  int64_t nanoseconds = 0;
  uint32_t thread = 0;
  StringRef data;
  StringRef label; ///< may be empty
};

/// What a thread has begun and not ended.
struct VizThread {
  struct Op {
    int64_t start;
    std::string name;
    uint32_t args;
    bool isMeasured; ///< no other op begins before it ends
  };
  uint32_t lane = 0;
  std::vector<std::pair<uint64_t, uint32_t>> graphs; ///< address, event
  std::unordered_map<uint64_t, Op> ops;
  Op *last = nullptr; ///< the op that began last, if no other runs
};

class VizReader {
public:
  explicit VizReader(TraceInput &input) : input(input) {}
  ::llvm::Expected<ImportedTrace> read();

private:
  ::llvm::Error readHead();
  /// Returns false at the end.
  ::llvm::Expected<bool> readRecord();
  ::llvm::Expected<bool> readLabel(uint64_t recordOffset);
  bool noteCut(uint64_t recordOffset);

  VizThread &threadOf(const VizRecord &record);
  void add(const VizRecord &record);
  void beginGraph(const VizRecord &record);
  void endGraph(const VizRecord &record);
  void beginOp(const VizRecord &record);
  void endOp(const VizRecord &record);
  void addMemory(const VizRecord &record);
  void countUnpaired(const VizRecord &record) {
    builder.countNote("Ends without a beginning, or beginnings without an end",
                      "byte " + Twine(record.offsetBytes));
  }

  BinaryInput input;
  TraceBuilder builder;
  std::unordered_map<uint32_t, VizThread> threads;
  std::string label;
  std::unordered_map<uint64_t, uint64_t> allocatedBytes; ///< by address
  uint64_t allocatedSum = 0;
  std::optional<uint32_t> memoryCounter;
};
} // namespace

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

::llvm::Error VizReader::readHead() {
  ::llvm::Expected<StringRef> head = input.take(headBytes);
  if (!head)
    return head.takeError();
  if (head->size() < headBytes || !isGgmlViz(*head))
    return input.failAt(0, "the head of a trace of ggml-viz is missing");
  RecordFields fields(head->drop_front(magic.size()));
  if (uint32_t found = fields.take<uint32_t>(); found != version)
    return input.failAt(magic.size(), "a trace of ggml-viz in version " +
                                          Twine(found) + "; version " +
                                          Twine(version) + " is read");
  return ::llvm::Error::success();
}

bool VizReader::noteCut(uint64_t recordOffset) {
  builder.addNote("The file ends in the middle of a record, at byte " +
                  Twine(recordOffset) + ". What is before is there.");
  return false;
}

/// Returns false if the file ends in it.
::llvm::Expected<bool> VizReader::readLabel(uint64_t recordOffset) {
  ::llvm::Expected<StringRef> size = input.take(sizeof(uint32_t));
  if (!size)
    return size.takeError();
  if (size->size() < sizeof(uint32_t))
    return noteCut(recordOffset);
  uint32_t bytes = RecordFields(*size).take<uint32_t>();
  if (bytes > maxLabelBytes)
    return input.failAt(recordOffset, "a label of " + Twine(bytes) +
                                          " bytes, which is no name of a "
                                          "tensor: is the file damaged?");
  ::llvm::Expected<StringRef> text = input.take(bytes);
  if (!text)
    return text.takeError();
  if (text->size() < bytes)
    return noteCut(recordOffset);
  label = ::llvm::json::fixUTF8(*text);
  return true;
}

::llvm::Expected<bool> VizReader::readRecord() {
  VizRecord record;
  record.offsetBytes = input.offsetBytes();
  ::llvm::Expected<StringRef> bytes = input.take(recordBytes);
  if (!bytes)
    return bytes.takeError();
  if (bytes->empty())
    return false;
  if (bytes->size() < recordBytes)
    return noteCut(record.offsetBytes);
  std::string own = bytes->str(); // a copy, as the label takes more input
  RecordFields fields(own);
  uint8_t kind = fields.take<uint8_t>();
  uint64_t time = fields.take<uint64_t>();
  record.thread = fields.take<uint32_t>();
  record.data = fields.takeBytes(32);
  uint8_t hasLabel = fields.take<uint8_t>();
  if (kind > lastKind || hasLabel > 1 ||
      time > uint64_t(TraceBuilder::maxNanoseconds))
    return input.failAt(
        record.offsetBytes,
        "expected a record of 46 bytes with a kind up to " +
            Twine(unsigned(lastKind)) +
            ", a time, and 0 or 1 for its label; got kind " +
            Twine(unsigned(kind)) + ", time " + Twine(time) + " and " +
            Twine(unsigned(hasLabel)) +
            ": is the file damaged, or of the first ggml-viz, whose records "
            "have 38 bytes?");
  record.kind = Kind(kind);
  record.nanoseconds = int64_t(time);
  label.clear();
  if (hasLabel) {
    ::llvm::Expected<bool> isWhole = readLabel(record.offsetBytes);
    if (!isWhole || !*isWhole)
      return isWhole;
  }
  record.label = label;
  add(record);
  return true;
}

//===----------------------------------------------------------------------===//
// What they mean
//===----------------------------------------------------------------------===//

VizThread &VizReader::threadOf(const VizRecord &record) {
  auto [entry, isNew] = threads.try_emplace(record.thread);
  if (isNew) {
    TraceLane lane;
    lane.process = 1; // the file has no number of the process
    lane.thread = record.thread;
    entry->second.lane = builder.addLane(lane);
  }
  return entry->second;
}

void VizReader::beginGraph(const VizRecord &record) {
  RecordFields fields(record.data);
  uint64_t graph = fields.take<uint64_t>();
  int64_t nodes = fields.take<uint32_t>(),
          threadCount = fields.take<uint32_t>();
  VizThread &thread = threadOf(record);
  std::string args;
  ::llvm::raw_string_ostream(args) << ::llvm::json::Value(
      ::llvm::json::Object{{"nodes", nodes}, {"threads", threadCount}});
  TraceEvent event;
  event.kind = TraceEventKind::Range;
  event.lane = thread.lane;
  event.name = builder.addText("graph");
  event.args = builder.addArgs(args);
  event.startNanoseconds = event.endNanoseconds = record.nanoseconds;
  thread.graphs.push_back({graph, builder.addEvent(event)});
}

void VizReader::endGraph(const VizRecord &record) {
  VizThread &thread = threadOf(record);
  uint64_t graph = RecordFields(record.data).take<uint64_t>();
  if (thread.graphs.empty() || thread.graphs.back().first != graph)
    return countUnpaired(record);
  TraceEvent &event = builder.event(thread.graphs.back().second);
  event.endNanoseconds = std::max(event.startNanoseconds, record.nanoseconds);
  thread.graphs.pop_back();
}

void VizReader::beginOp(const VizRecord &record) {
  RecordFields fields(record.data);
  uint64_t tensor = fields.take<uint64_t>();
  int64_t op = fields.take<uint32_t>();
  fields.take<uint32_t>();
  uint64_t bytes = fields.take<uint64_t>();
  VizThread &thread = threadOf(record);
  std::string args;
  ::llvm::raw_string_ostream(args) << ::llvm::json::Value(
      ::llvm::json::Object{{"op", op}, {"bytes", bytes}});
  std::string name =
      record.label.empty() ? "op " + std::to_string(op) : record.label.str();
  bool isAlone = thread.ops.empty();
  if (thread.last)
    thread.last->isMeasured = false;
  auto [entry, isNew] = thread.ops.insert_or_assign(
      tensor, VizThread::Op{record.nanoseconds, std::move(name),
                            builder.addArgs(args), isAlone});
  if (!isNew)
    countUnpaired(record);
  thread.last = isAlone ? &entry->second : nullptr;
}

void VizReader::endOp(const VizRecord &record) {
  VizThread &thread = threadOf(record);
  auto found = thread.ops.find(RecordFields(record.data).take<uint64_t>());
  if (found == thread.ops.end())
    return countUnpaired(record);
  const VizThread::Op &op = found->second;
  TraceEvent event;
  event.kind = op.isMeasured ? TraceEventKind::Op : TraceEventKind::Other;
  event.lane = thread.lane;
  event.name = builder.addText(op.name);
  event.args = op.args;
  event.startNanoseconds = event.endNanoseconds = op.start;
  if (op.isMeasured)
    event.endNanoseconds = std::max(op.start, record.nanoseconds);
  else
    builder.countNote("Ops without a time of their own, shown as instants: "
                      "ggml-viz lets all ops of a graph begin before it is "
                      "computed and end behind it, so that their times in the "
                      "file are the graph's",
                      "byte " + Twine(record.offsetBytes));
  builder.addEvent(event);
  if (thread.last == &op)
    thread.last = nullptr;
  thread.ops.erase(found);
}

void VizReader::addMemory(const VizRecord &record) {
  RecordFields fields(record.data);
  uint64_t address = fields.take<uint64_t>(), bytes = fields.take<uint64_t>();
  auto known = allocatedBytes.find(address);
  if (known != allocatedBytes.end()) {
    allocatedSum -= known->second;
    allocatedBytes.erase(known);
  }
  if (record.kind == Kind::Alloc || record.kind == Kind::BufferAlloc) {
    allocatedBytes[address] = bytes;
    allocatedSum += bytes;
  }
  if (!memoryCounter)
    memoryCounter = builder.addCounter("allocated", "bytes");
  builder.addSample(*memoryCounter, record.nanoseconds, double(allocatedSum));
}

void VizReader::add(const VizRecord &record) {
  switch (record.kind) {
  case Kind::GraphBegin:
    return beginGraph(record);
  case Kind::GraphEnd:
    return endGraph(record);
  case Kind::OpBegin:
    return beginOp(record);
  case Kind::OpEnd:
    return endOp(record);
  case Kind::Alloc:
  case Kind::Free:
  case Kind::BufferAlloc:
  case Kind::BufferFree:
    return addMemory(record);
  case Kind::BarrierWait:
  case Kind::ThreadBegin:
  case Kind::ThreadEnd:
    builder.countNote("Records of threads and barriers, which are not shown",
                      "byte " + Twine(record.offsetBytes));
  }
}

::llvm::Expected<ImportedTrace> VizReader::read() {
  builder.trace().format = "ggml-viz";
  if (::llvm::Error error = readHead())
    return error;
  while (true) {
    ::llvm::Expected<bool> more = readRecord();
    if (!more)
      return more.takeError();
    if (!*more)
      break;
  }
  size_t unended = 0;
  for (const auto &[id, thread] : threads)
    unended += thread.graphs.size() + thread.ops.size();
  if (unended)
    builder.addNote(Twine(unended) +
                    " graphs and ops have no end in the file; such a graph is "
                    "shown as an instant, such an op not at all.");
  return std::move(builder).finish();
}

::llvm::Expected<ImportedTrace> mlir::llm::readGgmlViz(TraceInput &input) {
  return VizReader(input).read();
}
