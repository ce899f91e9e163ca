//===- OrderAlignment.cpp - Work beside ops by their order ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderAlignment.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::llm;

// These are the scores of a walk. A name tells more than sizes, and sizes tell
// more than a kind. A step without work costs less than a piece without a step,
// because traces leave out what runs as one with something else. An extra piece
// must cost less than leaving out the rest of a layer.
// An op whose sizes contradict the trace is hardly better than none: the trace
// may be of another context length.
static constexpr int named = 10, alikeInSizes = 6, alikeInKind = 4, unlike = 1;
static constexpr int continued = 1, continuedByRule = 3;
static constexpr int leftOut = -2, extra = -3;
static constexpr int unreachable = -(1 << 29);

// The state of a walk is the step that it took last, and whether a piece was
// that step. If it was, the next piece may go on with the step.
static uint32_t stateOf(unsigned step, bool isTaken) {
  return 2 * step + isTaken;
}
static unsigned stepOf(uint32_t state) { return state / 2; }
static bool isTaken(uint32_t state) { return state % 2; }

OrderAlignment::OrderAlignment(const ProgramPattern &pattern,
                               ArrayRef<unsigned> order)
    : pattern(pattern), order(order), successors(order.size()),
      predecessors(order.size()) {
  size_t count = successors.size();
  auto connect = [&](unsigned from, unsigned into) {
    if (llvm::is_contained(successors[from], into))
      return;
    successors[from].push_back(into);
    predecessors[into].push_back(from);
  };
  for (unsigned place = 0; place < count; ++place) // behind the last: a pass
    connect(order[place], order[(place + 1) % count]);
  for (const PatternLoop &loop : pattern.loops())
    connect(order[loop.endStep - 1], order[loop.firstStep]);
}

//===----------------------------------------------------------------------===//
// What a piece may be
//===----------------------------------------------------------------------===//

bool OrderAlignment::hasKind(unsigned step, StringRef kind) const {
  return pattern.ops()[pattern.steps()[step].firstOp].hasKind(kind);
}

/// Whether the module that is named around the piece allows the step.
bool OrderAlignment::isAllowed(const WorkPiece &piece, unsigned step) const {
  if (piece.inside.empty())
    return true;
  PatternStep own = pattern.steps()[step];
  return llvm::any_of(piece.inside, [&](unsigned op) {
    return own.firstOp <= op && op < own.endOp;
  });
}

/// Whether sizes agree. They do not if the trace does not tell them.
bool OrderAlignment::areSizesAlike(const WorkPiece &piece,
                                   unsigned step) const {
  PatternStep own = pattern.steps()[step];
  bool isWhole = !piece.rule->several;
  return piece.operands &&
         llvm::any_of(pattern.ops().slice(own.firstOp, own.endOp - own.firstOp),
                      [&](const PatternOp &op) {
                        return op.extents.explain(*piece.operands, isWhole);
                      });
}

void OrderAlignment::addNamed(const WorkPiece &piece, PieceClass &made) const {
  SmallVector<unsigned, 3> steps;
  for (unsigned op : piece.ops)
    if (unsigned step = pattern.ops()[op].step;
        !llvm::is_contained(steps, step))
      steps.push_back(step);
  llvm::sort(steps);
  bool isRow = steps.back() - steps.front() + 1 == steps.size();
  made.extraScore = 0; // an op that is known by name needs no place
  made.continueScore = named;
  if (isRow)
    made.options.push_back({steps, named});
  for (unsigned step : steps)
    made.continuesAt[step] = true;
}

/// Adds an option for products of one input from `step` on, which may run as
/// one.
void OrderAlignment::addProducts(const WorkPiece &piece, unsigned step,
                                 PieceClass &made) const {
  const PatternOp &first = pattern.ops()[pattern.steps()[step].firstOp];
  SmallVector<unsigned, 3> steps;
  int64_t columns = 0;
  for (unsigned last = step; last < pattern.steps().size(); ++last) {
    const PatternOp &op = pattern.ops()[pattern.steps()[last].firstOp];
    bool isSibling = last == step || (op.product && op.input == first.input);
    if (!isSibling || !isAllowed(piece, last))
      break;
    steps.push_back(last);
    columns += op.product->n;
    if (!piece.product)
      made.options.push_back({steps, alikeInKind});
    else if (piece.product->k == first.product->k &&
             piece.product->n == columns)
      made.options.push_back({steps, alikeInSizes, true});
  }
}

/// Adds an option for each walk through steps of these kinds.
void OrderAlignment::addSequence(ArrayRef<std::string> kinds,
                                 PieceClass &made) const {
  auto extend = [&](auto &self, SmallVector<unsigned, 3> steps) -> void {
    if (steps.size() == kinds.size()) {
      made.options.push_back({steps, alikeInKind});
      return;
    }
    for (unsigned next : successors[steps.back()])
      if (hasKind(next, kinds[steps.size()])) {
        SmallVector<unsigned, 3> longer(steps);
        longer.push_back(next);
        self(self, std::move(longer));
      }
  };
  for (unsigned step = 0; step < successors.size(); ++step)
    if (hasKind(step, kinds.front()))
      extend(extend, {step});
}

void OrderAlignment::addByKind(const WorkPiece &piece, PieceClass &made) const {
  const MatchRule &rule = *piece.rule;
  if (!rule.sequence.empty())
    return addSequence(rule.sequence, made);
  made.continueScore = rule.continues ? continuedByRule : continued;
  for (unsigned step = 0; step < successors.size(); ++step) {
    auto isOneOf = [&](ArrayRef<std::string> kinds) {
      return llvm::any_of(
          kinds, [&](const std::string &kind) { return hasKind(step, kind); });
    };
    bool isKind = isOneOf(rule.kinds);
    made.continuesAt[step] = rule.continues || (rule.several && isKind) ||
                             isOneOf(rule.partOf);
    if (!isKind || !isAllowed(piece, step))
      continue;
    if (pattern.ops()[pattern.steps()[step].firstOp].product)
      addProducts(piece, step, made);
    else if (areSizesAlike(piece, step))
      made.options.push_back({{step}, alikeInSizes, true});
    else
      made.options.push_back({{step}, piece.operands ? unlike : alikeInKind});
  }
}

OrderAlignment::PieceClass
OrderAlignment::makeClass(const WorkPiece &piece) const {
  PieceClass made;
  made.continuesAt.resize(successors.size());
  made.extraScore = extra;
  if (!piece.ops.empty())
    addNamed(piece, made);
  else if (piece.rule && !piece.isOfOtherLayer)
    addByKind(piece, made);
  return made;
}

const OrderAlignment::PieceClass &
OrderAlignment::classOf(const WorkPiece &piece) {
  std::vector<int64_t> key = {reinterpret_cast<int64_t>(piece.rule),
                              piece.isOfOtherLayer,
                              static_cast<int64_t>(piece.ops.size())};
  llvm::append_range(key, piece.ops);
  llvm::append_range(key, piece.inside);
  if (piece.product)
    llvm::append_range(
        key, ArrayRef<int64_t>{-1, piece.product->n, piece.product->k});
  else if (piece.operands)
    llvm::append_range(
        key, ArrayRef<int64_t>{-2, reinterpret_cast<int64_t>(piece.operands)});
  auto known = classes.find(key);
  if (known == classes.end())
    known = classes.emplace(std::move(key), makeClass(piece)).first;
  return known->second;
}

//===----------------------------------------------------------------------===//
// The best walk
//===----------------------------------------------------------------------===//

/// Goes on over steps without any piece. `skips` gets the state from which each
/// state is reached, which is the state itself if none is skipped.
void OrderAlignment::skipSteps(std::vector<int> &scores,
                               MutableArrayRef<uint32_t> skips) {
  for (uint32_t state = 0; state < scores.size(); ++state)
    skips[state] = state;
  // This goes around twice, since the walk may begin behind the step where the
  // first round begins.
  for (int round = 0; round < 2; ++round)
    for (unsigned step : order) {
      uint32_t from = scores[stateOf(step, true)] > scores[stateOf(step, false)]
                          ? stateOf(step, true)
                          : stateOf(step, false);
      for (unsigned next : successors[step])
        if (uint32_t into = stateOf(next, false);
            scores[from] + leftOut > scores[into]) {
          scores[into] = scores[from] + leftOut;
          skips[into] = from;
        }
    }
}

int OrderAlignment::takePiece(const PieceClass &piece,
                              std::vector<int> &scores,
                              MutableArrayRef<Trail> trails) {
  std::vector<int> next(scores.size(), unreachable);
  auto offer = [&](uint32_t into, int score, Trail trail) {
    if (score <= next[into])
      return;
    next[into] = score;
    trails[into] = trail;
  };
  for (uint32_t state = 0; state < scores.size(); ++state) {
    offer(state, scores[state] + piece.extraScore, {state, isExtra});
    if (isTaken(state) && piece.continuesAt[stepOf(state)])
      offer(state, scores[state] + piece.continueScore, {state, goesOn});
  }
  for (auto [number, option] : llvm::enumerate(piece.options))
    for (unsigned before : predecessors[option.steps.front()])
      for (uint32_t from : {stateOf(before, true), stateOf(before, false)})
        offer(stateOf(option.steps.back(), true), scores[from] + option.score,
              {from, int32_t(number)});
  // Only differences of scores matter, so this keeps them small.
  int best = *std::max_element(next.begin(), next.end());
  for (int &score : next)
    score = std::max(score - best, unreachable);
  scores = std::move(next);
  return best;
}

/// Places the first `commit` of the pieces. `scores` are those before these
/// pieces and, when it returns, those behind them.
void OrderAlignment::placeWindow(ArrayRef<WorkPiece> pieces, size_t commit,
                                 std::vector<int> &scores,
                                 std::vector<PlacedPiece> &placed) {
  size_t states = scores.size();
  std::vector<Trail> trails(pieces.size() * states);
  std::vector<uint32_t> skips(pieces.size() * states);
  std::vector<const PieceClass *> classesOf;
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    classesOf.push_back(&classOf(piece));
    skipSteps(scores, MutableArrayRef(skips).slice(i * states, states));
    takePiece(*classesOf.back(), scores,
              MutableArrayRef(trails).slice(i * states, states));
  }
  uint32_t state =
      std::max_element(scores.begin(), scores.end()) - scores.begin();
  size_t first = placed.size();
  placed.resize(first + commit);
  for (size_t i = pieces.size(); i-- > 0;) {
    if (i + 1 == commit) { // the next window goes on here
      scores.assign(states, unreachable);
      scores[state] = 0;
    }
    Trail trail = trails[i * states + state];
    if (i < commit && trail.option != isExtra) {
      PlacedPiece &own = placed[first + i];
      own.continues = trail.option == goesOn;
      if (own.continues) {
        own.steps = {stepOf(state)};
      } else {
        const Option &option = classesOf[i]->options[trail.option];
        own.steps = option.steps;
        own.isBySizes = option.isBySizes;
      }
    }
    for (state = trail.from; skips[i * states + state] != state;)
      state = skips[i * states + state];
  }
}

std::vector<int> OrderAlignment::startScores() const {
  std::vector<int> scores(2 * successors.size(), 0);
  for (unsigned step = 0; step < successors.size(); ++step)
    scores[stateOf(step, true)] = unreachable;
  return scores;
}

int64_t OrderAlignment::scoreOf(ArrayRef<WorkPiece> pieces) {
  if (successors.empty())
    return 0;
  std::vector<int> scores = startScores();
  std::vector<Trail> trails(scores.size());
  std::vector<uint32_t> skips(scores.size());
  int64_t all = 0;
  for (const WorkPiece &piece : pieces) {
    skipSteps(scores, skips);
    all += takePiece(classOf(piece), scores, trails);
  }
  return all;
}

std::vector<PlacedPiece> OrderAlignment::place(ArrayRef<WorkPiece> pieces) {
  std::vector<PlacedPiece> placed;
  if (successors.empty()) {
    placed.resize(pieces.size());
    return placed;
  }
  std::vector<int> scores = startScores();
  // A window has several layers, and a size that hardly takes memory. What is
  // decided early in it does not depend on what comes behind it.
  size_t window = std::clamp<size_t>((1 << 20) / successors.size(), 64, 8192);
  while (!pieces.empty()) {
    bool isLast = pieces.size() <= window;
    ArrayRef<WorkPiece> now = isLast ? pieces : pieces.take_front(window);
    size_t commit = isLast ? pieces.size() : window / 4 * 3;
    placeWindow(now, commit, scores, placed);
    pieces = pieces.drop_front(commit);
  }
  return placed;
}
