//===- GgmlCaptureReader.cpp - Records of a ggml capture ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgmlCaptureReader.h"
#include "TraceBuilder.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::llm;
using namespace mlir::llm::ggmlCapture;

/// No graph that runs has a longer record. In a broken file the length may be
/// any number.
static constexpr uint32_t maxRecordBytes = 256u << 20;

bool mlir::llm::isGgmlCapture(StringRef beginning) {
  return beginning.starts_with(StringRef(magic, magicBytes));
}

//===----------------------------------------------------------------------===//
// Bodies of records. Each returns what is wrong, or an empty text.
//===----------------------------------------------------------------------===//

/// Takes a name as UTF-8, because names are written again as JSON and as names
/// of ops.
static std::string takeName(RecordFields &fields) {
  return ::llvm::json::fixUTF8(fields.takeText());
}

static bool isInterval(int64_t start, int64_t end) {
  return TraceBuilder::isTime(start) && TraceBuilder::isTime(end) &&
         start <= end;
}

static CapturedProcess takeProcess(RecordFields &fields) {
  CapturedProcess process;
  process.id = fields.take<uint32_t>();
  fields.take<int64_t>(); // time 0 since 1970, since traces start at 0
  process.timesOps = fields.take<uint8_t>();
  process.program = takeName(fields);
  process.ggmlVersion = takeName(fields);
  return process;
}

namespace {
/// Takes a graph, and says what is wrong in it.
class GraphTaker {
public:
  explicit GraphTaker(RecordFields &fields) : fields(fields) {}
  std::string take(uint32_t expectedNumber);

  CapturedGraph graph;

private:
  std::string takeTables(uint32_t types, uint32_t backends, uint32_t buffers);
  std::string takeTensor(CapturedTensor &tensor);
  /// Returns what is wrong with a tensor, as a phrase behind its subject.
  std::string check(const CapturedTensor &tensor) const;

  RecordFields &fields;
};
} // namespace

std::string GraphTaker::takeTables(uint32_t types, uint32_t backends,
                                   uint32_t buffers) {
  // An item of a table has a text and, unless it is a backend, more.
  if (!fields.hasRoomFor(uint64_t(types) + backends + buffers, 4))
    return "";
  for (uint32_t i = 0; i < types; ++i) {
    CapturedType &type = graph.types.emplace_back();
    type.name = takeName(fields);
    type.blockElements = fields.take<uint32_t>();
    type.blockBytes = fields.take<uint32_t>();
    if (!fields.isTooShort() && (!type.blockElements || !type.blockBytes))
      return "type " + std::to_string(i) + " has blocks of nothing";
  }
  for (uint32_t i = 0; i < backends; ++i) {
    CapturedBackend &backend = graph.backends.emplace_back();
    backend.name = takeName(fields);
    backend.device = takeName(fields);
  }
  for (uint32_t i = 0; i < buffers; ++i) {
    CapturedBuffer &buffer = graph.buffers.emplace_back();
    buffer.kind = takeName(fields);
    uint8_t usage = fields.take<uint8_t>();
    if (usage > uint8_t(BufferUsage::Compute))
      return "a buffer is for use " + std::to_string(usage) +
             ", which is not known";
    buffer.usage = BufferUsage(usage);
    buffer.isOnHost = fields.take<uint8_t>();
    buffer.bytes = fields.take<uint64_t>();
  }
  return "";
}

std::string GraphTaker::takeTensor(CapturedTensor &tensor) {
  tensor.name = takeName(fields);
  tensor.op = takeName(fields);
  for (uint32_t *number : {&tensor.type, &tensor.flags, &tensor.backend,
                           &tensor.buffer, &tensor.view})
    *number = fields.take<uint32_t>();
  for (int64_t &size : tensor.sizes)
    size = fields.take<int64_t>();
  for (uint64_t &stride : tensor.strideBytes)
    stride = fields.take<uint64_t>();
  for (SmallVector<uint32_t, 4> *words :
       {&tensor.parameters, &tensor.sources}) {
    uint8_t count = fields.take<uint8_t>();
    for (unsigned i = 0; i < count; ++i)
      words->push_back(fields.take<uint32_t>());
  }
  return fields.isTooShort() ? "" : check(tensor);
}

std::string GraphTaker::check(const CapturedTensor &tensor) const {
  auto isIn = [](uint32_t number, size_t count) {
    return number == none || number < count;
  };
  bool areNumbersKnown =
      tensor.type < graph.types.size() &&
      isIn(tensor.backend, graph.backends.size()) &&
      isIn(tensor.buffer, graph.buffers.size()) &&
      isIn(tensor.view, graph.tensors.size()) &&
      ::llvm::all_of(
          tensor.sources,
          [&](uint32_t source) { return isIn(source, graph.tensors.size()); });
  if (!areNumbersKnown)
    return "has the number of a type, backend, buffer or tensor that is not "
           "there";
  // This bound keeps products of sizes and bytes within 64 bits.
  __int128 elements = 1;
  for (int64_t size : tensor.sizes) {
    elements *= size;
    if (size < 0 || elements >= (int64_t(1) << 53))
      return "has sizes that cannot be";
  }
  return "";
}

std::string GraphTaker::take(uint32_t expectedNumber) {
  uint32_t number = fields.take<uint32_t>();
  if (!fields.isTooShort() && number != expectedNumber)
    return "expected graph " + std::to_string(expectedNumber) + ", got graph " +
           std::to_string(number);
  graph.nodes = fields.take<uint32_t>();
  uint32_t tensors = fields.take<uint32_t>(), types = fields.take<uint32_t>(),
           backends = fields.take<uint32_t>(),
           buffers = fields.take<uint32_t>();
  if (graph.nodes > tensors)
    return "there are more nodes than tensors";
  if (std::string wrong = takeTables(types, backends, buffers); !wrong.empty())
    return wrong;
  // A tensor has two texts, five numbers, sizes and strides, two counts, and an
  // offset.
  constexpr uint64_t leastTensorBytes = 2 * 2 + 5 * 4 + 2 * 4 * 8 + 2 + 8;
  if (!fields.hasRoomFor(tensors, leastTensorBytes))
    return "";
  graph.tensors.resize(tensors);
  for (auto [number, tensor] : ::llvm::enumerate(graph.tensors))
    if (std::string wrong = takeTensor(tensor); !wrong.empty())
      return "tensor " + std::to_string(number) + " " + wrong;
  for (CapturedTensor &tensor : graph.tensors)
    tensor.viewOffsetBytes = fields.take<uint64_t>();
  return "";
}

namespace {
/// What later records of a graph are checked against.
struct GraphSizes {
  explicit GraphSizes(const CapturedGraph &graph) : nodes(graph.nodes) {
    for (const CapturedTensor &tensor : graph.tensors) {
      int64_t count = 1;
      for (int64_t size : tensor.sizes)
        count *= size;
      elements.push_back(count);
    }
  }
  uint32_t nodes;
  std::vector<int64_t> elements; ///< of each tensor
};
} // namespace

/// Returns what is wrong with the numbers of a graph and one of its tensors.
static std::string findUnknown(StringRef what, uint32_t graph, uint32_t tensor,
                               ArrayRef<GraphSizes> graphs) {
  if (graph >= graphs.size())
    return (what + " of graph " + Twine(graph) + ", which is not there so far")
        .str();
  if (tensor >= graphs[graph].elements.size())
    return (what + " of tensor " + Twine(tensor) + ", which graph " +
            Twine(graph) + " does not have")
        .str();
  return "";
}

static std::string takeNumbers(RecordFields &fields,
                               ArrayRef<GraphSizes> graphs,
                               CapturedNumbers &found) {
  found.graph = fields.take<uint32_t>();
  found.tensor = fields.take<uint32_t>();
  uint32_t count = fields.take<uint32_t>();
  if (!fields.hasRoomFor(count, sizeof(float)))
    return "";
  if (std::string wrong =
          findUnknown("numbers", found.graph, found.tensor, graphs);
      !wrong.empty())
    return wrong;
  if (count != graphs[found.graph].elements[found.tensor])
    return std::to_string(count) + " numbers of a tensor of " +
           std::to_string(graphs[found.graph].elements[found.tensor]);
  for (uint32_t i = 0; i < count; ++i)
    found.numbers.push_back(::llvm::bit_cast<float>(fields.take<uint32_t>()));
  return "";
}

static std::string takeChoice(RecordFields &fields, uint32_t graph,
                              ArrayRef<GraphSizes> graphs,
                              CapturedChoice &choice) {
  choice.tensor = fields.take<uint32_t>();
  uint32_t experts = fields.take<uint32_t>();
  constexpr uint64_t expertBytes = 2 * 4;
  if (!fields.hasRoomFor(experts, expertBytes))
    return "";
  if (std::string wrong = findUnknown("experts", graph, choice.tensor, graphs);
      !wrong.empty())
    return wrong;
  int64_t rows = 0;
  for (uint32_t i = 0; i < experts; ++i) {
    CapturedChoice::Rows next;
    next.expert = fields.take<uint32_t>();
    next.count = fields.take<uint32_t>();
    if (i > 0 && next.expert <= choice.rows.back().expert)
      return "experts are not in rising order";
    rows += next.count;
    choice.rows.push_back(next);
  }
  int64_t most = graphs[graph].elements[choice.tensor];
  if (rows > most)
    return std::to_string(rows) + " rows chose experts by a tensor of " +
           std::to_string(most);
  return "";
}

static std::string takeChoices(RecordFields &fields,
                               ArrayRef<GraphSizes> graphs,
                               CapturedChoices &found) {
  found.run = fields.take<uint32_t>();
  found.graph = fields.take<uint32_t>();
  uint32_t count = fields.take<uint32_t>();
  constexpr uint64_t leastChoiceBytes = 2 * 4;
  if (!fields.hasRoomFor(count, leastChoiceBytes))
    return "";
  found.choices.resize(count);
  for (CapturedChoice &choice : found.choices)
    if (std::string wrong = takeChoice(fields, found.graph, graphs, choice);
        !wrong.empty())
      return wrong;
  return "";
}

static std::string takeRun(RecordFields &fields, ArrayRef<GraphSizes> graphs,
                           CapturedRun &run) {
  run.number = fields.take<uint32_t>();
  run.graph = fields.take<uint32_t>();
  run.thread = fields.take<uint32_t>();
  uint8_t state = fields.take<uint8_t>();
  run.startNanoseconds = fields.take<int64_t>();
  run.endNanoseconds = fields.take<int64_t>();
  uint32_t ops = fields.take<uint32_t>();
  constexpr uint64_t opBytes = 4 + 2 * 8;
  if (!fields.hasRoomFor(ops, opBytes))
    return "";
  if (run.graph >= graphs.size())
    return "a run of graph " + std::to_string(run.graph) +
           ", which is not there so far";
  if (state > uint8_t(RunState::Failed))
    return "a run is in state " + std::to_string(state) +
           ", which is not known";
  run.state = RunState(state);
  if (!isInterval(run.startNanoseconds, run.endNanoseconds))
    return "a run ends before it starts, or at a time that cannot be";
  for (uint32_t i = 0; i < ops; ++i) {
    CapturedOp op;
    op.node = fields.take<uint32_t>();
    op.startNanoseconds = fields.take<int64_t>();
    op.endNanoseconds = fields.take<int64_t>();
    if (op.node >= graphs[run.graph].nodes)
      return "node " + std::to_string(op.node) + " has run, which graph " +
             std::to_string(run.graph) + " does not have";
    if (!isInterval(op.startNanoseconds, op.endNanoseconds))
      return "an op ends before it starts, or at a time that cannot be";
    run.ops.push_back(op);
  }
  return "";
}

static std::string takeWait(RecordFields &fields, CapturedWait &wait) {
  wait.thread = fields.take<uint32_t>();
  wait.startNanoseconds = fields.take<int64_t>();
  wait.endNanoseconds = fields.take<int64_t>();
  return isInterval(wait.startNanoseconds, wait.endNanoseconds)
             ? ""
             : "a wait ends before it starts, or at a time that cannot be";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
class CaptureReader {
public:
  CaptureReader(TraceInput &input, GgmlCaptureVisitor &visitor)
      : input(input), visitor(visitor) {}
  ::llvm::Error read();

private:
  ::llvm::Error readHead();
  /// Returns false at the end.
  ::llvm::Expected<bool> readRecord();
  /// Shows a record to the visitor unless something is wrong with it.
  std::string visit(uint32_t kind, RecordFields &fields, uint64_t offset);
  /// Version 1 has no records behind waits.
  bool isKnownKind(uint32_t kind) const {
    return fileVersion > 1 || kind <= uint32_t(Record::Wait);
  }

  BinaryInput input;
  GgmlCaptureVisitor &visitor;
  std::vector<GraphSizes> graphs;
  uint32_t fileVersion = 0;
};
} // namespace

::llvm::Error CaptureReader::readHead() {
  ::llvm::Expected<StringRef> head = input.take(headBytes);
  if (!head)
    return head.takeError();
  if (!isGgmlCapture(*head) || head->size() < headBytes)
    return input.failAt(0, "the head of a ggml capture is missing");
  RecordFields fields(head->drop_front(magicBytes));
  fileVersion = fields.take<uint32_t>();
  if (fileVersion == 0 || fileVersion > version)
    return input.failAt(magicBytes,
                        "a capture of version " + Twine(fileVersion) +
                            "; versions 1 to " + Twine(version) +
                            " are read: capture with the libllm-ggml-trace.so "
                            "that came with this program");
  return ::llvm::Error::success();
}

std::string CaptureReader::visit(uint32_t kind, RecordFields &fields,
                                 uint64_t offset) {
  std::string wrong;
  auto isWhole = [&] {
    if (wrong.empty() && fields.isTooShort())
      wrong = "the record is too short for what it holds";
    else if (wrong.empty() && fields.bytesLeft())
      wrong = "the record has " + std::to_string(fields.bytesLeft()) +
              " bytes behind what it holds";
    return wrong.empty();
  };
  switch (Record(isKnownKind(kind) ? kind : 0)) {
  case Record::Process: {
    CapturedProcess process = takeProcess(fields);
    if (isWhole())
      visitor.visit(process);
    break;
  }
  case Record::Graph: {
    GraphTaker taker(fields);
    wrong = taker.take(uint32_t(graphs.size()));
    if (!isWhole())
      break;
    graphs.emplace_back(taker.graph);
    visitor.visit(std::move(taker.graph));
    break;
  }
  case Record::Run: {
    CapturedRun run;
    run.offsetBytes = offset;
    wrong = takeRun(fields, graphs, run);
    if (isWhole())
      visitor.visit(run);
    break;
  }
  case Record::Wait: {
    CapturedWait wait;
    wrong = takeWait(fields, wait);
    if (isWhole())
      visitor.visit(wait);
    break;
  }
  case Record::Numbers: {
    CapturedNumbers numbers;
    wrong = takeNumbers(fields, graphs, numbers);
    if (isWhole())
      visitor.visit(std::move(numbers));
    break;
  }
  case Record::Experts: {
    CapturedChoices choices;
    wrong = takeChoices(fields, graphs, choices);
    if (isWhole())
      visitor.visit(std::move(choices));
    break;
  }
  default:
    wrong = "a record of kind " + std::to_string(kind) +
            ", which is not known: is the file damaged?";
  }
  return wrong;
}

::llvm::Expected<bool> CaptureReader::readRecord() {
  uint64_t offset = input.offsetBytes();
  auto cut = [&] {
    visitor.visitCut(offset);
    return false;
  };
  ::llvm::Expected<StringRef> head = input.take(recordHeadBytes);
  if (!head)
    return head.takeError();
  if (head->empty())
    return false;
  if (head->size() < recordHeadBytes)
    return cut();
  RecordFields headFields(*head);
  uint32_t kind = headFields.take<uint32_t>(),
           bytes = headFields.take<uint32_t>();
  if (bytes > maxRecordBytes)
    return input.failAt(offset, "a record of " + Twine(bytes) +
                                    " bytes, which is more than any has: is "
                                    "the file damaged?");
  ::llvm::Expected<StringRef> body = input.take(bytes);
  if (!body)
    return body.takeError();
  if (body->size() < bytes)
    return cut();
  RecordFields fields(*body);
  std::string wrong = visit(kind, fields, offset);
  if (!wrong.empty())
    return input.failAt(offset, wrong);
  return true;
}

::llvm::Error CaptureReader::read() {
  if (::llvm::Error error = readHead())
    return error;
  while (true) {
    ::llvm::Expected<bool> more = readRecord();
    if (!more)
      return more.takeError();
    if (!*more)
      return ::llvm::Error::success();
  }
}

::llvm::Error mlir::llm::readGgmlCapture(TraceInput &input,
                                         GgmlCaptureVisitor &visitor) {
  return CaptureReader(input, visitor).read();
}
