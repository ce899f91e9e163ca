//===- RecordTrace.cpp - A trace and its prediction on one clock ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/CompareTrace.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

using Json = nlohmann::ordered_json;

/// Gives each piece of work the name of its group, and the reason for the
/// match.
static void nameMatches(ImportedTrace &trace, const TraceAlignment &alignment,
                        const Report &predicted) {
  std::map<std::pair<uint32_t, unsigned>, uint32_t> known; ///< texts of args
  for (const AlignedPiece &piece : alignment.pieces) {
    if (piece.group == AlignedPiece::none)
      continue;
    TraceEvent &event = trace.events[piece.event];
    auto [args, isNew] = known.try_emplace({event.args, piece.group}, 0);
    if (isNew) {
      StringRef before = trace.argsOf(event);
      Json object = Json::parse(before.begin(), before.end(), nullptr,
                                /*allow_exceptions=*/false);
      if (!object.is_object())
        object = Json::object();
      Json &ops = object["llm_ops"] = Json::array();
      for (unsigned op : alignment.groups[piece.group].ops)
        ops.push_back(predicted.ops[op].name.str());
      args->second = trace.texts.add(
          object.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    event.args = args->second;
  }
}

/// Adds the predicted schedule as lanes behind those of the trace, in a process
/// that no other lane has.
static void addSchedule(ImportedTrace &trace, const Report &predicted,
                        int64_t startNanoseconds) {
  int64_t process = 1;
  for (const TraceLane &lane : trace.lanes)
    process = std::max(process, lane.process + 1);
  std::map<std::string, uint32_t> lanes;
  std::vector<uint32_t> argsOf;
  for (unsigned op = 0; op < predicted.ops.size(); ++op)
    argsOf.push_back(trace.texts.add(describeRun(predicted, op).dump()));
  std::vector<TraceEvent> events;
  forEachSlice(predicted, [&](PredictedSlice slice) {
    auto [lane, isNew] = lanes.try_emplace(slice.engine, trace.lanes.size());
    if (isNew)
      trace.lanes.push_back(
          {/*isDevice=*/false, process, static_cast<int64_t>(lanes.size()),
           "predicted: " + predicted.target->name, slice.engine});
    TraceEvent event;
    event.startNanoseconds = startNanoseconds + slice.startNanoseconds;
    event.endNanoseconds = startNanoseconds + slice.endNanoseconds;
    event.lane = lane->second;
    event.name = trace.texts.add(slice.name);
    event.args = argsOf[slice.op];
    events.push_back(event);
  });
  llvm::stable_sort(events, [](const TraceEvent &a, const TraceEvent &b) {
    return std::tuple(a.lane, a.startNanoseconds, b.endNanoseconds) <
           std::tuple(b.lane, b.startNanoseconds, a.endNanoseconds);
  });
  trace.events.insert(trace.events.end(), events.begin(), events.end());
}

ImportedTrace mlir::llm::addPrediction(ImportedTrace trace,
                                       const TraceAlignment &alignment,
                                       const Report &predicted) {
  std::vector<unsigned> passes = alignment.comparedPasses();
  int64_t start =
      passes.empty() ? 0 : alignment.passes[passes.front()].startNanoseconds;
  nameMatches(trace, alignment, predicted);
  addSchedule(trace, predicted, start);
  return trace;
}
