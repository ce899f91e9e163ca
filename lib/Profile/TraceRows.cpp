//===- TraceRows.cpp - Ops of a foreign trace as measured rows ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/TraceRows.h"
#include "TracedOps.h"
#include "llm/Support/Median.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

static constexpr uint32_t none = TraceEvent::none;

/// Returns the sizes of a row. Equal sizes may come with different args:
/// strides, and operands that are no tensors.
static auto sizesOf(const MeasuredRow &row) {
  return std::tuple(row.opKind, row.dtype, row.m, row.n, row.k, row.batch,
                    row.heads, row.kvHeads, row.headDim, row.qLen, row.kvLen,
                    row.causal, row.rows, row.cols);
}
using RowSizes = decltype(sizesOf(std::declval<MeasuredRow>()));

namespace {
class RowMaker {
public:
  RowMaker(const ImportedTrace &trace, Location location)
      : trace(trace), location(location), ownerOf(trace.events.size(), none),
        nanosecondsOf(trace.events.size()),
        deviceOf(trace.events.size(), none) {}
  TraceRows make() &&;

private:
  const TracedOp &read(const TraceEvent &event);
  void findOwners();
  void addKernels();
  void addRun(uint32_t number, int64_t nanoseconds, StringRef device);
  void addRuns();
  void leaveOut(StringRef name, StringRef reason);
  std::string deviceName(uint32_t lane) const;

  struct Runs {
    MeasuredRow row;
    std::vector<int64_t> nanoseconds;
  };
  const ImportedTrace &trace;
  Location location;
  /// For each event, the outermost op with a row that is around it, or the
  /// event itself.
  std::vector<uint32_t> ownerOf;
  std::vector<int64_t> nanosecondsOf; ///< of kernels, of each owner
  std::vector<uint32_t> deviceOf;     ///< the lane of each owner
  std::map<std::pair<uint32_t, uint32_t>, TracedOp> ops; ///< by name and args
  /// The key is the device and what the op is.
  std::map<std::pair<std::string, RowSizes>, size_t> runsOf;
  std::vector<Runs> all;
  std::map<std::pair<std::string, std::string>, uint64_t> leftOut;
  bool hasDevice = false;
};
} // namespace

const TracedOp &RowMaker::read(const TraceEvent &event) {
  auto [op, isNew] = ops.try_emplace(
      {event.name, event.args},
      TracedOp{TracedOp::Kind::Other, MeasuredRow(location), ""});
  if (isNew)
    op->second =
        TracedOp::read(trace.nameOf(event), trace.argsOf(event), location);
  return op->second;
}

void RowMaker::leaveOut(StringRef name, StringRef reason) {
  // ggml's names have the op first, and then the name of a node.
  ++leftOut[{name.split(' ').first.str(), reason.str()}];
}

void RowMaker::findOwners() {
  for (auto [number, event] : ::llvm::enumerate(trace.events)) {
    if (event.parent != none)
      ownerOf[number] = ownerOf[event.parent];
    if (ownerOf[number] != none || event.kind != TraceEventKind::Op)
      continue;
    const TracedOp &op = read(event);
    if (op.kind == TracedOp::Kind::Row)
      ownerOf[number] = number;
    else if (op.kind == TracedOp::Kind::NoRow)
      leaveOut(trace.nameOf(event), op.reason);
  }
}

void RowMaker::addKernels() {
  for (const TraceEvent &event : trace.events) {
    if (event.kind != TraceEventKind::Kernel)
      continue;
    hasDevice = true;
    uint32_t owner =
        event.launchedBy == none ? none : ownerOf[event.launchedBy];
    if (owner == none)
      continue;
    nanosecondsOf[owner] += event.endNanoseconds - event.startNanoseconds;
    deviceOf[owner] = event.lane;
  }
}

std::string RowMaker::deviceName(uint32_t lane) const {
  if (trace.devices.size() == 1)
    return trace.devices.front();
  const TraceLane &stream = trace.lanes[lane];
  return stream.processName.empty() ? "device " + std::to_string(stream.process)
                                    : stream.processName;
}

void RowMaker::addRun(uint32_t number, int64_t nanoseconds, StringRef device) {
  const TracedOp &op = read(trace.events[number]);
  auto [found, isNew] =
      runsOf.try_emplace({device.str(), sizesOf(op.row)}, all.size());
  if (isNew) {
    MeasuredRow row = op.row;
    row.device = device.str();
    row.source = trace.format;
    all.push_back({std::move(row), {}});
  }
  all[found->second].nanoseconds.push_back(nanoseconds);
}

void RowMaker::addRuns() {
  std::vector<uint32_t> owners;
  for (auto [number, owner] : ::llvm::enumerate(ownerOf))
    if (owner == number)
      owners.push_back(number);
  ::llvm::sort(owners, [&](uint32_t a, uint32_t b) {
    return std::pair(trace.events[a].startNanoseconds, a) <
           std::pair(trace.events[b].startNanoseconds, b);
  });
  for (uint32_t owner : owners) {
    const TraceEvent &event = trace.events[owner];
    int64_t nanoseconds = hasDevice
                              ? nanosecondsOf[owner]
                              : event.endNanoseconds - event.startNanoseconds;
    if (nanoseconds <= 0)
      leaveOut(trace.nameOf(event),
               hasDevice ? "no kernel was launched in it" : "it took no time");
    else
      addRun(owner, nanoseconds,
             hasDevice ? deviceName(deviceOf[owner]) : "cpu");
  }
}

TraceRows RowMaker::make() && {
  findOwners();
  addKernels();
  addRuns();
  TraceRows made;
  for (auto [number, runs] : ::llvm::enumerate(all)) {
    MeasuredRow row = runs.row;
    row.id = "trace-" + std::to_string(number);
    row.microseconds = medianOf(runs.nanoseconds) / 1000;
    made.rows.push_back(std::move(row));
  }
  for (const auto &[what, count] : leftOut)
    made.notes.push_back(what.first + ", without a row " +
                         std::to_string(count) + " times: " + what.second +
                         ".");
  return made;
}

TraceRows mlir::llm::makeTraceRows(const ImportedTrace &trace,
                                   Location location) {
  return RowMaker(trace, location).make();
}
