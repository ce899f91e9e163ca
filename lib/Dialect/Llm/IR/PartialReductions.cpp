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

#include "Selection.h"
#include "Sums.h"
#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

/// The loop over the parts whose results are joined. It is the last loop.
static constexpr StringLiteral partsLoop = "part";

/// Returns the buffer of the first result, which parts leave as sums.
template <typename WorkloadT>
static auto &outOf(WorkloadT &workload) {
  return *llvm::find_if(workload.buffers, [](const Buffer &buffer) {
    return buffer.role == Buffer::Role::Write;
  });
}

/// Returns the buffer over the loops of a step that has one loop more.
static Buffer overLoops(Buffer buffer, unsigned loopCount) {
  buffer.map = AffineMap::get(loopCount, 0, buffer.map.getResults(),
                              buffer.map.getContext());
  return buffer;
}

/// Starts the step with the loops of the op, and the loop over parts behind
/// them. Loops that the results do not have stay, with one iteration, so that
/// maps mean the same.
static Workload startCombine(const Workload &workload, const Buffer &out,
                             int64_t parts) {
  Workload combine;
  llvm::SmallBitVector kept = workload.loopsOf(out);
  for (auto [index, loop] : llvm::enumerate(workload.loops)) {
    int64_t extent = kept[index] ? loop.extent : 1;
    combine.loops.push_back(
        {loop.name, IteratorType::parallel, extent, loop.tiles});
  }
  combine.loops.push_back({partsLoop.str(), IteratorType::reduction, parts});
  return combine;
}

/// The step reads what each part has written. The buffer has one more
/// dimension, in front.
static void readPartials(Workload &combine, const Buffer &written) {
  unsigned loops = combine.loops.size();
  Buffer partials = overLoops(written, loops);
  partials.role = Buffer::Role::Read;
  partials.name = "partial_" + written.name;
  partials.map = partials.map.insertResult(
      getAffineDimExpr(loops - 1, partials.map.getContext()), 0);
  combine.buffers.push_back(std::move(partials));
}

/// Makes parts that leave sums instead of `out`, and a step that reads them.
static PartialReduction startReduction(const Workload &workload,
                                       int64_t parts) {
  PartialReduction reduction{workload, {}};
  Buffer &out = outOf(reduction.part);
  reduction.combine = startCombine(workload, out, parts);
  out.elementType = sumTypeOf(out.elementType);
  readPartials(reduction.combine, out);
  return reduction;
}

/// Moves a buffer that counts once from the parts to the step.
static void moveBuffer(PartialReduction &reduction, StringRef name) {
  Workload &part = reduction.part, &combine = reduction.combine;
  auto isNamed = [&](const Buffer &buffer) { return buffer.name == name; };
  for (const Buffer &buffer : llvm::make_filter_range(part.buffers, isNamed))
    combine.buffers.push_back(overLoops(buffer, combine.loops.size()));
  llvm::erase_if(part.buffers, isNamed);
}

static void moveStage(PartialReduction &reduction, StringRef name) {
  Workload &part = reduction.part, &combine = reduction.combine;
  auto isNamed = [&](const Stage &stage) { return stage.name == name; };
  for (Stage stage : llvm::make_filter_range(part.stages, isNamed)) {
    stage.loops.resize(combine.loops.size());
    combine.stages.push_back(std::move(stage));
  }
  llvm::erase_if(part.stages, isNamed);
}

/// Adds a stage on the elements of a buffer.
static void addStage(Workload &combine, StringRef name, const Buffer &elements,
                     ArrayRef<std::pair<WorkKind, int64_t>> workPerPoint) {
  combine.addStage(name, EngineKind::Vector, {}, workPerPoint).loops =
      combine.loopsOf(elements);
}

static void writeResults(Workload &combine, const Workload &workload) {
  for (const Buffer &buffer : workload.buffers)
    if (buffer.role == Buffer::Role::Write)
      combine.buffers.push_back(overLoops(buffer, combine.loops.size()));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Each part sums over some of k. The step adds the sums up, beginning with the
/// bias if there is one.
static std::optional<PartialReduction>
reduceProduct(const Workload &workload, unsigned loop, int64_t parts) {
  if (workload.loops[loop].name != "k")
    return std::nullopt;
  PartialReduction reduction = startReduction(workload, parts);
  Workload &combine = reduction.combine;
  addStage(combine, "add", combine.buffers.back(), {{WorkKind::Alu, 1}});
  moveBuffer(reduction, "bias");
  writeResults(combine, workload);
  return reduction;
}

std::optional<PartialReduction>
MatmulOp::getPartialReduction(const Workload &workload, unsigned loop,
                              int64_t parts) {
  return reduceProduct(workload, loop, parts);
}

std::optional<PartialReduction>
BatchMatmulOp::getPartialReduction(const Workload &workload, unsigned loop,
                                   int64_t parts) {
  return reduceProduct(workload, loop, parts);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Each part has the results of some of the keys. The step scales them to the
/// greatest score of all before it adds them up. It also counts a sink once,
/// and divides by the sum.
static std::optional<PartialReduction>
reduceKeys(const Workload &workload, unsigned loop, int64_t parts) {
  if (workload.loops[loop].name != "t")
    return std::nullopt;
  PartialReduction reduction = startReduction(workload, parts);
  Workload &part = reduction.part, &combine = reduction.combine;
  Buffer sums = combine.buffers.back();
  llvm::erase_if(part.buffers, [](const Buffer &buffer) {
    return buffer.role == Buffer::Role::Write && buffer.name == "lse";
  });
  // A buffer of one number for each row has all but the last dimension.
  Buffer ofRows = outOf(part);
  ofRows.map = ofRows.map.dropResult(ofRows.map.getNumResults() - 1);
  for (const char *name : {"max", "sum"}) {
    ofRows.name = name;
    part.buffers.push_back(ofRows);
    readPartials(combine, ofRows);
  }
  Buffer rows = combine.buffers.back();
  moveBuffer(reduction, "sinks");
  writeResults(combine, workload);

  addStage(combine, "max", rows, {{WorkKind::Compare, 1}});
  addStage(combine, "exp_sum", rows,
           {{WorkKind::Alu, 2}, {WorkKind::Special, 1}});
  moveStage(reduction, "sink");
  addStage(combine, "add", sums, {{WorkKind::Alu, 1}});
  moveStage(reduction, "normalize");
  return reduction;
}

std::optional<PartialReduction>
GqaAttnOp::getPartialReduction(const Workload &workload, unsigned loop,
                               int64_t parts) {
  return reduceKeys(workload, loop, parts);
}

std::optional<PartialReduction>
MlaAttnOp::getPartialReduction(const Workload &workload, unsigned loop,
                               int64_t parts) {
  return reduceKeys(workload, loop, parts);
}

std::optional<PartialReduction>
CompressedAttnOp::getPartialReduction(const Workload &workload, unsigned loop,
                                      int64_t parts) {
  return reduceKeys(workload, loop, parts);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

/// Each part leaves its best keys with their scores. The step finds the best of
/// all among them.
static PartialReduction reduceBestKeys(const Workload &workload,
                                       int64_t parts) {
  PartialReduction reduction = startReduction(workload, parts);
  Workload &part = reduction.part, &combine = reduction.combine;
  Buffer scores = outOf(part);
  scores.name = "score";
  scores.elementType = Float32Type::get(scores.map.getContext());
  part.buffers.push_back(scores);
  readPartials(combine, scores);
  writeResults(combine, workload);
  addStage(combine, "select", combine.buffers.front(),
           {{WorkKind::Compare, selectionPasses}});
  return reduction;
}

/// Each part leaves the scores of blocks. The largest score of a block over all
/// parts is that over all keys.
static PartialReduction reduceBlocks(const Workload &workload, int64_t parts) {
  PartialReduction reduction{workload,
                             startCombine(workload, outOf(workload), parts)};
  Workload &part = reduction.part, &combine = reduction.combine;
  unsigned n = *workload.findLoop("n");
  combine.loops[n].extent = workload.loops[n].extent;
  llvm::erase_if(part.buffers, [](const Buffer &buffer) {
    return buffer.role == Buffer::Role::Write;
  });
  Buffer &scores = *llvm::find_if(part.buffers, [](const Buffer &buffer) {
    return buffer.name == "block_scores";
  });
  scores.role = Buffer::Role::Write;
  readPartials(combine, scores);
  writeResults(combine, workload);
  addStage(combine, "max", combine.buffers.front(), {{WorkKind::Compare, 1}});
  moveStage(reduction, "select");
  return reduction;
}

std::optional<PartialReduction>
SelectKeysOp::getPartialReduction(const Workload &workload, unsigned loop,
                                  int64_t parts) {
  if (workload.loops[loop].name != "t")
    return std::nullopt;
  return getBlock() ? reduceBlocks(workload, parts)
                    : reduceBestKeys(workload, parts);
}
