//===- ChromeLanes.cpp - Threads of a trace in Chrome's JSON --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChromeLanes.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Lanes by what events say
//===----------------------------------------------------------------------===//

uint32_t ChromeLanes::addLane(const Key &key, std::string threadName) {
  TraceLane lane;
  lane.threadName = std::move(threadName);
  states.emplace_back();
  keys.push_back(key);
  return builder.addLane(std::move(lane));
}

uint32_t ChromeLanes::laneOf(const ChromeId &process, const ChromeId &thread) {
  auto [entry, isNew] = laneOfKey.try_emplace({process, thread}, 0);
  if (isNew)
    entry->second = addLane(entry->first, textOf(thread).str());
  return entry->second;
}

uint32_t ChromeLanes::asyncLaneOf(const ChromeEvent &event) {
  AsyncLanes &lanes = asyncLanesOf(event);
  auto [entry, isNew] = lanes.laneOfId.try_emplace(event.id, 0);
  if (!isNew)
    return entry->second;
  if (lanes.unused.empty()) {
    std::string name = event.category.empty() ? "async" : event.category;
    if (++lanes.count > 1)
      name += " " + std::to_string(lanes.count);
    entry->second = addLane({event.process, ChromeId()}, std::move(name));
  } else {
    entry->second = lanes.unused.back();
    lanes.unused.pop_back();
  }
  return entry->second;
}

void ChromeLanes::releaseAsync(const ChromeEvent &event, uint32_t lane) {
  AsyncLanes &lanes = asyncLanesOf(event);
  if (states[lane].open.empty() && lanes.laneOfId.erase(event.id))
    lanes.unused.push_back(lane);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

int64_t ChromeLanes::numberText(StringRef text) {
  auto [entry, isNew] = numberOfText.try_emplace(text, texts.size());
  if (isNew)
    texts.push_back(text.str());
  return entry->second;
}

/// Sets a name. "process_labels" has its text in `labels`, and the other events
/// have it in `name`.
void ChromeLanes::setName(const ChromeEvent &event) {
  auto args = nlohmann::json::parse(event.args.begin(), event.args.end(),
                                    nullptr, /*allow_exceptions=*/false);
  auto textOf = [&](const char *key) -> std::string {
    if (!args.is_object() || !args.contains(key) || !args[key].is_string())
      return "";
    return args[key].get<std::string>();
  };
  if (event.name == "process_name")
    processNames[event.process] = textOf("name");
  else if (event.name == "thread_name")
    threadNames[{event.process, event.thread}] = textOf("name");
  else if (event.name == "process_labels")
    labels[event.process] = textOf("labels");
}

std::string ChromeLanes::nameOf(const ChromeId &process) const {
  auto named = processNames.find(process);
  if (named != processNames.end())
    return named->second;
  return textOf(process).str();
}

/// Returns a number for a pid or tid. Texts get numbers behind those of the
/// file.
int64_t ChromeLanes::toNumber(const ChromeId &id) const {
  if (id.kind == ChromeId::Text)
    return largestNumber + 1 + id.value;
  return id.value;
}

void ChromeLanes::nameLanes() {
  constexpr int64_t mostNumbers = int64_t(1) << 62; // the rest is for texts
  for (const auto &[process, thread] : keys)
    for (const ChromeId &id : {process, thread})
      if (id.kind == ChromeId::Number && id.value < mostNumbers)
        largestNumber = std::max(largestNumber, id.value);
  for (auto [number, key] : ::llvm::enumerate(keys)) {
    TraceLane &lane = builder.lane(number);
    lane.process = toNumber(key.first);
    lane.thread = toNumber(key.second);
    lane.processName = nameOf(key.first);
    auto label = labels.find(key.first);
    // Kineto gives all processes one name, but labels devices.
    if (lane.isDevice && label != labels.end() && !label->second.empty())
      lane.processName = label->second;
    auto name = threadNames.find(key);
    if (name != threadNames.end() && key.second.isThere() &&
        !name->second.empty())
      lane.threadName = name->second;
  }
}
