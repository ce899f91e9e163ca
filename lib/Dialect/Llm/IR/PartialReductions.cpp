//===- PartialReductions.cpp - Reductions in parts that are joined --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each part leaves its partial results in memory, as sums that are not
// complete; one step reads all of them and writes the result. Products: split
// k. Attention: split keys, as in FlashDecoding (Dao et al., 2023), where a
// part also leaves the greatest score and the sum of exponentials of each row.
//
//===----------------------------------------------------------------------===//

#include "Sums.h"
#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

static Type sumTypeOf(Value result) {
  return llm::sumTypeOf(
      cast<RankedTensorType>(result.getType()).getElementType());
}

/// The loop over the parts whose results are joined, behind all others.
static constexpr StringLiteral partsLoop = "part";

static void dropBuffer(Workload &workload, StringRef name) {
  llvm::erase_if(workload.buffers,
                 [&](const Buffer &buffer) { return buffer.name == name; });
}

static void dropStage(Workload &workload, StringRef name) {
  llvm::erase_if(workload.stages,
                 [&](const Stage &stage) { return stage.name == name; });
}

static Buffer &findBuffer(Workload &workload, StringRef name) {
  return *llvm::find_if(workload.buffers, [&](const Buffer &buffer) {
    return buffer.name == name;
  });
}

/// What `written` of a part is where all parts are read: one more dimension, in
/// front. The loops that it has keep their numbers.
static Buffer readPartials(const Buffer &written, const Twine &name,
                           unsigned loopCount) {
  Buffer partials = written;
  partials.role = Buffer::Role::Read;
  partials.name = name.str();
  partials.map =
      AffineMap::get(loopCount, 0, written.map.getResults(),
                     written.map.getContext())
          .insertResult(
              getAffineDimExpr(loopCount - 1, written.map.getContext()), 0);
  return partials;
}

/// The loops of the op with that over parts behind them. Those that the results
/// do not have stay, with one iteration, so that maps mean the same.
static Workload startCombine(const Workload &workload, const Buffer &out,
                             int64_t parts) {
  Workload combine;
  llvm::SmallBitVector kept = workload.loopsOf(out);
  for (auto [index, loop] : llvm::enumerate(workload.loops)) {
    int64_t extent = kept[index] ? loop.extent : 1;
    combine.loops.push_back(
        {loop.name, IteratorType::parallel, extent, loop.isTileable});
  }
  combine.loops.push_back({partsLoop.str(), IteratorType::reduction, parts});
  return combine;
}

/// The same buffer over the loops of a step that has one more of them.
static Buffer overLoops(Buffer buffer, unsigned loopCount) {
  buffer.map = AffineMap::get(loopCount, 0, buffer.map.getResults(),
                              buffer.map.getContext());
  return buffer;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Sums over some of k, which are added up, from the bias on if there is one.
static PartialReduction reduceProduct(const Workload &workload, Value out,
                                      int64_t parts) {
  PartialReduction reduction{workload, {}};
  Workload &part = reduction.part, &combine = reduction.combine;
  Buffer whole = findBuffer(part, "out");
  combine = startCombine(workload, whole, parts);
  unsigned loops = combine.loops.size();
  Buffer &sums = findBuffer(part, "out");
  sums.elementType = sumTypeOf(out);
  combine.buffers.push_back(readPartials(sums, "partial_out", loops));
  for (const Buffer &buffer : part.buffers)
    if (buffer.name == "bias")
      combine.buffers.push_back(overLoops(buffer, loops));
  dropBuffer(part, "bias");
  combine.buffers.push_back(overLoops(whole, loops));
  SmallVector<StringRef> points;
  for (const Loop &loop : combine.loops)
    points.push_back(loop.name);
  combine.addStage("add", EngineKind::Vector, points, {{WorkKind::Alu, 1}});
  return reduction;
}

std::optional<PartialReduction>
MatmulOp::getPartialReduction(const Workload &workload, unsigned loop,
                              int64_t parts) {
  if (workload.loops[loop].name != "k")
    return std::nullopt;
  return reduceProduct(workload, getOut(), parts);
}

std::optional<PartialReduction>
BatchMatmulOp::getPartialReduction(const Workload &workload, unsigned loop,
                                   int64_t parts) {
  if (workload.loops[loop].name != "k")
    return std::nullopt;
  return reduceProduct(workload, getOut(), parts);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Results over some of the keys, which are scaled to the greatest score of all
/// before they are added up. A sink counts once, and so does the division by
/// the sum.
static PartialReduction reduceKeys(const Workload &workload, Value out,
                                   ArrayRef<StringRef> rowLoops,
                                   StringRef valueLoop, int64_t parts) {
  PartialReduction reduction{workload, {}};
  Workload &part = reduction.part, &combine = reduction.combine;
  Buffer whole = findBuffer(part, "out");
  combine = startCombine(workload, whole, parts);
  unsigned loops = combine.loops.size();

  Buffer &sums = findBuffer(part, "out");
  sums.elementType = sumTypeOf(out);
  combine.buffers.push_back(readPartials(sums, "partial_out", loops));
  Buffer ofRows = sums; // one number for each row: all but the last dimension
  ofRows.map = ofRows.map.dropResult(ofRows.map.getNumResults() - 1);
  for (StringRef name : {"max", "sum"}) {
    ofRows.name = name.str();
    part.buffers.push_back(ofRows);
    combine.buffers.push_back(readPartials(ofRows, "partial_" + name, loops));
  }
  bool hasSinks = false;
  for (const Buffer &buffer : workload.buffers)
    if (buffer.name == "sinks") {
      combine.buffers.push_back(overLoops(buffer, loops));
      hasSinks = true;
    }
  dropBuffer(part, "sinks");
  combine.buffers.push_back(overLoops(whole, loops));
  dropStage(part, "sink");
  dropStage(part, "normalize");

  auto over = [&](std::initializer_list<StringRef> more) {
    SmallVector<StringRef> all(rowLoops);
    all.append(more);
    return all;
  };
  constexpr EngineKind vector = EngineKind::Vector;
  combine.addStage("max", vector, over({partsLoop}), {{WorkKind::Compare, 1}});
  combine.addStage("exp_sum", vector, over({partsLoop}),
                   {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  if (hasSinks)
    combine.addStage(
        "sink", vector, rowLoops,
        {{WorkKind::Compare, 1}, {WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  combine.addStage("add", vector, over({valueLoop, partsLoop}),
                   {{WorkKind::Alu, 1}});
  combine.addStage("normalize", vector, over({valueLoop}),
                   {{WorkKind::Alu, 1}});
  return reduction;
}

std::optional<PartialReduction>
GqaAttnOp::getPartialReduction(const Workload &workload, unsigned loop,
                               int64_t parts) {
  if (workload.loops[loop].name != "t")
    return std::nullopt;
  return reduceKeys(workload, getOut(), {"b", "h", "g", "s"},
                    workload.findLoop("c") ? "c" : "d", parts);
}

std::optional<PartialReduction>
MlaAttnOp::getPartialReduction(const Workload &workload, unsigned loop,
                               int64_t parts) {
  if (workload.loops[loop].name != "t")
    return std::nullopt;
  return reduceKeys(workload, getOut(), {"b", "h", "s"}, "c", parts);
}
