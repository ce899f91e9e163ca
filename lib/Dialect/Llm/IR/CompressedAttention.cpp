//===- CompressedAttention.cpp - Tokens and entries in one softmax --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop t is over the latents of tokens and, behind them, over entries, or
// as many of them as a query has selected. Each of the two has a mask.
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "Visibility.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;
using Role = Buffer::Role;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// How many entries a query reads at most.
static int64_t countEntries(CompressedAttnOp op) {
  if (!op.getEntries())
    return 0;
  int64_t entries = shapeOf(op.getEntries())[1];
  return op.getSelected()
             ? countSelectedKeys(op.getSelected(), /*block=*/1, entries)
             : entries;
}

static bool isRagged(CompressedAttnOp op) {
  return !op.getMask().getLengths().empty() ||
         (op.getSees() && !op.getSees()->getLengths().empty());
}

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

/// What all heads share: the third dimension is of one head.
static Buffer &addShared(Workload &workload, StringRef name, Value value,
                         ArrayRef<StringRef> loops) {
  Buffer &buffer = workload.addBuffer(Role::Read, name, value, loops);
  buffer.map =
      buffer.map.insertResult(getAffineConstantExpr(0, value.getContext()), 2);
  return buffer;
}

static void addBuffers(CompressedAttnOp op, Workload &workload) {
  workload.addBuffer(Role::Read, "query", op.getQuery(), {"b", "s", "h", "d"});
  addShared(workload, "latents", op.getLatents(), {"b", "t", "d"});
  if (Value sinks = op.getSinks())
    workload.addBuffer(Role::Read, "sinks", sinks, {"h"});
  if (Value entries = op.getEntries())
    addShared(workload, "entries", entries, {"b", "t", "d"});
  if (Value selected = op.getSelected()) {
    gatherSelected(workload, "entries", selected);
    addSelection(workload, selected);
  }
  workload.addBuffer(Role::Write, "out", op.getOut(), {"b", "s", "h", "c"});
  workload.addBuffer(Role::Temporary, "scores", op.getOut(),
                     Float32Type::get(op.getContext()), {"b", "h", "s", "t"});
}

FailureOr<Workload> CompressedAttnOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  ArrayRef<int64_t> query = shapeOf(getQuery());
  int64_t vectors = shapeOf(getLatents())[1] + countEntries(*this);
  constexpr Loop::Tiles whole = Loop::Tiles::Whole;
  Workload workload;
  workload.loops = {{"b", IteratorType::parallel, query[0]},
                    {"h", IteratorType::parallel, query[2]},
                    {"s", IteratorType::parallel, query[1]},
                    {"t", IteratorType::reduction, vectors},
                    {"d", IteratorType::reduction, query[3], whole},
                    {"c", IteratorType::parallel, query[3], whole}};
  workload.maskedLoops.resize(workload.loops.size());
  workload.maskedLoops.set(2, 4);
  workload.maskedLoops[0] = isRagged(*this);
  addBuffers(*this, workload);
  SmallVector<StringRef> rows = {"b", "h", "s"}, pairs = {"b", "h", "s", "t"};
  workload.addStage("qk", EngineKind::Matrix, {"b", "h", "s", "t", "d"},
                    {{WorkKind::Mac, 1}});
  addSoftmaxStages(workload, pairs, rows, /*hasSoftCap=*/false,
                   bool(getSinks()));
  workload.addStage("pv", EngineKind::Matrix, {"b", "h", "s", "t", "c"},
                    {{WorkKind::Mac, 1}});
  workload.addStage("normalize", EngineKind::Vector, {"b", "h", "s", "c"},
                    {{WorkKind::Alu, 1}});
  return workload;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

namespace {
/// What one sequence sees of the latents and of the entries.
struct Sights {
  Visibility tokens;
  std::optional<Visibility> entries;
  int64_t tokenCount;

  Interval tokensIn(Interval t) const {
    return {std::min(t.begin, tokenCount), std::min(t.end, tokenCount)};
  }
  Interval entriesIn(Interval t) const {
    return {std::max(t.begin, tokenCount) - tokenCount,
            std::max(t.end, tokenCount) - tokenCount};
  }
};

/// Which vectors a count is of.
enum class Of { Tokens, Entries, Both };
} // namespace

static Sights sightsOf(CompressedAttnOp op, int64_t sequence) {
  int64_t queries = shapeOf(op.getQuery())[1],
          tokens = shapeOf(op.getLatents())[1];
  Sights sights{
      Visibility(op.getMask(), sequence, queries, tokens), {}, tokens};
  if (op.getEntries())
    sights.entries.emplace(*op.getSees(), sequence, queries,
                           shapeOf(op.getEntries())[1]);
  return sights;
}

static int64_t sizeOf(Interval interval) {
  return std::max<int64_t>(0, interval.size());
}

/// Queries that see some of the vectors.
static int64_t countQueries(const Sights &sights, Interval queries,
                            Interval tokens, Interval entries) {
  Interval one = sights.tokens.findQueries(queries, tokens), other;
  if (sights.entries)
    other = sights.entries->findQueries(queries, entries);
  Interval both = {std::max(one.begin, other.begin),
                   std::min(one.end, other.end)};
  return sizeOf(one) + sizeOf(other) - sizeOf(both);
}

static Count countOfSequence(const Sights &sights, Interval queries, Interval t,
                             bool hasQueries, bool hasKeys, Of of) {
  Interval tokens = sights.tokensIn(t), entries = sights.entriesIn(t);
  if (of == Of::Entries)
    tokens = {};
  if (of == Of::Tokens || !sights.entries)
    entries = {};
  if (!hasKeys) {
    int64_t seeing = countQueries(sights, queries, tokens, entries);
    return hasQueries ? seeing : int64_t(seeing > 0);
  }
  auto count = [&](const Visibility &visible, Interval keys) -> Count {
    if (hasQueries)
      return visible.countPairs(queries, keys);
    return visible.countKeys(queries, keys);
  };
  Count sum = count(sights.tokens, tokens);
  return entries.size() > 0 ? plus(sum, count(*sights.entries, entries)) : sum;
}

static Count countVisible(CompressedAttnOp op,
                          const llvm::SmallBitVector &loops, Of of, Box box) {
  constexpr unsigned b = 0, s = 2, t = 3;
  auto countOf = [&](int64_t sequence) {
    return countOfSequence(sightsOf(op, sequence), box[s], box[t], loops[s],
                           loops[t], of);
  };
  Count count = int64_t(0);
  if (!isRagged(op))
    count = times(countOf(0), loops[b] ? box[b].size() : 1);
  else if (loops[b])
    for (int64_t sequence = box[b].begin; sequence < box[b].end; ++sequence)
      count = plus(count, countOf(sequence));
  else // of what all sequences share
    for (int64_t sequence = box[b].begin; sequence < box[b].end; ++sequence)
      if (Count ofOne = countOf(sequence); succeeded(count))
        count = succeeded(ofOne) ? Count(std::max(*count, *ofOne)) : ofOne;
  for (unsigned loop : loops.set_bits())
    if (loop != b && loop != s && loop != t)
      count = times(count, box[loop].size());
  return count;
}

/// A step that joins parts has their loops, of which none is masked.
static bool joinsParts(const Workload &workload) {
  return workload.maskedLoops.none();
}

Count CompressedAttnOp::countPoints(const Workload &workload, unsigned stage,
                                    Box box) {
  if (joinsParts(workload))
    return countPointsOfProduct(workload, stage, box);
  return countVisible(*this, workload.stages[stage].loops, Of::Both, box);
}

Count CompressedAttnOp::countElements(const Workload &workload, unsigned buffer,
                                      Box box) {
  const Buffer &counted = workload.buffers[buffer];
  if (joinsParts(workload))
    return countElementsOfProduct(workload, buffer, box);
  Of of = counted.name == "latents" ? Of::Tokens
          : counted.name == "entries" || counted.name == selectionName
              ? Of::Entries
              : Of::Both;
  return countVisible(*this, workload.loopsOf(counted), of, box);
}
