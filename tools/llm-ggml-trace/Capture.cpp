//===- Capture.cpp - What is captured of a program ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Capture.h"

#include <map>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace llmGgml {

static uint32_t threadId() { return uint32_t(syscall(SYS_gettid)); }

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

Capture &Capture::get() {
  // This is never destroyed, because threads may compute until the very end.
  static Capture &capture = *new Capture;
  return capture;
}

Capture::Capture() {
  pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                 [] {
                   get().beginAsChild();
                   get().mutex.unlock();
                 });
}

void Capture::beginAsChild() {
  file.leaveToParent();
  numbers.clear();
  runs = 0;
  for (auto &[scheduler, state] : schedulers)
    state.number = format::none;
}

Scheduler &Capture::of(ggml_backend_sched *scheduler) {
  std::lock_guard<std::mutex> lock(mutex);
  return schedulers[scheduler];
}

void Capture::forget(ggml_backend_sched *scheduler) {
  std::lock_guard<std::mutex> lock(mutex);
  schedulers.erase(scheduler);
}

uint32_t Capture::numberOf(const GraphStructure &structure,
                           const GraphStructure::BackendOf &backendOf) {
  Body body = structure.encode(backendOf);
  std::vector<Body> ofTensors = structure.encodeNumbers();
  uint64_t hash = structure.hash(body);
  for (const Body &ofTensor : ofTensors)
    hash = hashBytes(ofTensor, ofTensor.bytes.size(), hash);
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = numbers.try_emplace(hash, uint32_t(numbers.size()));
  if (!isNew)
    return entry->second;
  body.set(0, entry->second);
  file.append(format::Record::Graph, body);
  for (Body &ofTensor : ofTensors) {
    ofTensor.set(0, entry->second);
    file.append(format::Record::Numbers, ofTensor);
  }
  return entry->second;
}

uint32_t Capture::nextRun() {
  std::lock_guard<std::mutex> lock(mutex);
  return runs++;
}

void Capture::append(format::Record kind, const Body &body) {
  std::lock_guard<std::mutex> lock(mutex);
  file.append(kind, body);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

void Run::addOp(size_t node, int64_t opStart, int64_t opEnd) {
  times.add(uint32_t(node));
  times.add(opStart);
  times.add(opEnd);
  ++ops;
}

/// Adds a choice. The tensor is [experts of a token, tokens], and may be a part
/// of a larger one.
void Run::addChoice(uint32_t number, const ggml_tensor &chosen,
                    int64_t experts) {
  if (!seenChoices.insert(number).second)
    return;
  std::string content(ggml().ggml_nbytes(&chosen), '\0');
  ggml().ggml_backend_tensor_get(&chosen, content.data(), 0, content.size());
  std::map<uint32_t, uint32_t> rows;
  for (int64_t token = 0; token < chosen.ne[1]; ++token)
    for (int64_t i = 0; i < chosen.ne[0]; ++i) {
      int32_t expert;
      memcpy(&expert, &content[token * chosen.nb[1] + i * chosen.nb[0]],
             sizeof(expert));
      if (0 <= expert && expert < experts)
        ++rows[uint32_t(expert)];
    }
  choices.add(number);
  choices.add(uint32_t(rows.size()));
  for (auto [expert, count] : rows) {
    choices.add(expert);
    choices.add(count);
  }
  ++choiceCount;
}

void Run::writeSometimes(uint32_t graph, int64_t now) {
  constexpr uint32_t many = 512;
  constexpr int64_t longAgoNanoseconds = 100'000'000;
  if (ops >= many || now - written >= longAgoNanoseconds)
    write(graph, format::RunState::GoesOn, now);
}

void Run::finish(uint32_t graph, int64_t end, int status) {
  using format::RunState;
  write(graph, status == 0 ? RunState::Done : RunState::Failed, end);
}

void Run::write(uint32_t graph, format::RunState state, int64_t end) {
  if (number == format::none)
    number = Capture::get().nextRun();
  writeChoices(graph);
  Body body;
  body.add(number);
  body.add(graph);
  body.add(threadId());
  body.add(state);
  body.add(startTime);
  body.add(end);
  body.add(ops);
  body.bytes += times.bytes;
  Capture::get().append(format::Record::Run, body);
  ops = 0;
  times.bytes.clear();
  written = end;
}

void Run::writeChoices(uint32_t graph) {
  if (choiceCount == 0)
    return;
  Body body;
  body.add(number);
  body.add(graph);
  body.add(choiceCount);
  body.bytes += choices.bytes;
  Capture::get().append(format::Record::Experts, body);
  choiceCount = 0;
  choices.bytes.clear();
}

void writeWait(int64_t start, int64_t end) {
  Body body;
  body.add(threadId());
  body.add(start);
  body.add(end);
  Capture::get().append(format::Record::Wait, body);
}

} // namespace llmGgml
