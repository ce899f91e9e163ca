//===- WorkMeaning.cpp - What a trace says of a piece of work -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkMeaning.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir;
using namespace mlir::llm;

WorkMeanings::WorkMeanings(const ImportedTrace &trace,
                           const ProgramPattern &pattern,
                           const MatchRules &rules)
    : trace(trace), pattern(pattern), rules(rules), names(pattern),
      meanings(trace.texts.size()) {}

//===----------------------------------------------------------------------===//
// One text
//===----------------------------------------------------------------------===//

void WorkMeanings::applyRules(StringRef name, TextMeaning &meaning) const {
  for (const MatchRule &rule : rules.rules()) {
    bool isNeeded =
        rule.saysWhichOp() ? meaning.named.ops.empty() : !meaning.kindRule;
    if (!isNeeded || !rule.name.match(name))
      continue;
    if (!rule.saysWhichOp()) {
      meaning.kindRule = &rule;
      continue;
    }
    meaning.isByRule = !rule.ops.empty();
    if (!rule.path.empty()) {
      SmallVector<StringRef> groups;
      rule.name.match(name, &groups);
      std::string path = ::llvm::Regex(rule.text, ::llvm::Regex::IgnoreCase)
                             .sub(rule.path, groups.front());
      meaning.named = names.find(path);
      meaning.layer = findLayer(path);
    }
    for (const std::string &op : rule.ops)
      llvm::append_range(meaning.named.ops, names.find(op).ops);
    llvm::sort(meaning.named.ops);
    meaning.named.ops.erase(llvm::unique(meaning.named.ops),
                            meaning.named.ops.end());
  }
}

const WorkMeanings::TextMeaning &WorkMeanings::meaningOf(uint32_t text) {
  TextMeaning &meaning = meanings[text];
  if (meaning.isKnown)
    return meaning;
  meaning.isKnown = true;
  StringRef name = trace.texts[text];
  meaning.layer = findLayer(name);
  applyRules(name, meaning);
  if (meaning.named.ops.empty()) {
    meaning.isByRule = false;
    NamedOps named = names.find(name);
    if (!named.ops.empty() || meaning.named.inside.empty())
      meaning.named = std::move(named);
  }
  return meaning;
}

//===----------------------------------------------------------------------===//
// One piece
//===----------------------------------------------------------------------===//

static bool isProduct(const MatchRule *rule) {
  return rule && !rule->several && llvm::is_contained(rule->kinds, "matmul");
}

/// Returns the rule for the kind of the innermost name that has one. Names of
/// ranges do not count, as they name whole modules.
static const MatchRule *
findKindRule(const ImportedTrace &trace, ArrayRef<uint32_t> chain,
             function_ref<const MatchRule *(uint32_t)> ruleOf) {
  for (uint32_t number : llvm::reverse(chain)) {
    const TraceEvent &event = trace.events[number];
    bool isRange =
        event.kind == TraceEventKind::Range && number != chain.back();
    if (const MatchRule *rule = isRange ? nullptr : ruleOf(event.name))
      return rule;
  }
  return nullptr;
}

void WorkMeanings::noteProducts(ArrayRef<uint32_t> chain) {
  auto ruleOf = [&](uint32_t text) { return meaningOf(text).kindRule; };
  bool hasProduct = isProduct(findKindRule(trace, chain, ruleOf));
  for (uint32_t number : chain.drop_back()) { // the work is no module
    uint32_t text = trace.events[number].name;
    (void)meaningOf(text);
    meanings[text].hasProducts |= hasProduct;
  }
}

/// Whether a range is a module, although an op has its name. A range "attn"
/// with products in it is the module with the projections, and not the op
/// `self_attn.attn`.
bool WorkMeanings::isModule(const TextMeaning &meaning) const {
  if (meaning.isByRule || meaning.named.parts > 1 || !meaning.hasProducts)
    return false;
  return llvm::none_of(meaning.named.ops, [&](unsigned op) {
    return llvm::any_of(pattern.ops()[op].kinds, [](StringRef kind) {
      return kind.ends_with("matmul");
    });
  });
}

/// If a name is of several ops, keeps those in a module that is named around
/// it.
void WorkMeanings::chooseByModules(WorkPiece &piece, ArrayRef<uint32_t> outer) {
  for (uint32_t number : llvm::reverse(outer)) {
    const PatternOps &inside =
        meaningOf(trace.events[number].name).named.inside;
    PatternOps both;
    std::set_intersection(piece.ops.begin(), piece.ops.end(), inside.begin(),
                          inside.end(), std::back_inserter(both));
    if (!both.empty())
      piece.ops = std::move(both);
  }
}

/// Adds what an event says of the work. This is the work itself or an event
/// around it, from inside out.
void WorkMeanings::addMeaning(ArrayRef<uint32_t> chain, WorkPiece &piece) {
  const TraceEvent &event = trace.events[chain.back()];
  const TextMeaning &meaning = meaningOf(event.name);
  bool isWork = event.kind == TraceEventKind::Kernel ||
                event.kind == TraceEventKind::Copy;
  if (piece.layer < 0 && !isWork)
    piece.layer = meaning.layer;
  const OperandMeaning &operands = operandsOf(event);
  if (!piece.product)
    piece.product = operands.product;
  if (!piece.operands)
    piece.operands = operands.operands;
  if (!piece.ops.empty())
    return;
  if (!meaning.named.ops.empty() && !isModule(meaning)) {
    piece.ops = meaning.named.ops;
    piece.namedBy = chain.back();
    piece.isByRule = meaning.isByRule;
    if (!meaning.isByRule)
      chooseByModules(piece, chain.drop_back());
  } else if (piece.inside.empty()) {
    piece.inside = meaning.named.inside;
  }
}

WorkPiece WorkMeanings::describeOne(const TraceWork &work) {
  WorkPiece piece;
  piece.event = work.event;
  piece.nanoseconds = work.nanoseconds;
  piece.isAround = work.isAround;
  if (piece.isAround)
    return piece;
  if (trace.recordedIn.contains(work.event))
    piece.replay = trace.events[work.event].launchedBy;
  SmallVector<uint32_t> chain = chainOf(work.event);
  auto ruleOf = [&](uint32_t text) { return meaningOf(text).kindRule; };
  piece.rule = findKindRule(trace, chain, ruleOf);
  for (size_t length = chain.size(); length > 0; --length)
    addMeaning(ArrayRef(chain).take_front(length), piece);
  keepLayer(piece);
  keepKinds(piece);
  leaveUnclear(piece);
  return piece;
}

/// Keeps those ops of a name that are in its layer.
void WorkMeanings::keepLayer(WorkPiece &piece) const {
  bool isNamed = !piece.ops.empty();
  llvm::erase_if(piece.ops,
                 [&](unsigned op) { return !pattern.isIn(op, piece.layer); });
  piece.isOfOtherLayer = isNamed && piece.ops.empty();
}

/// Keeps those of several ops with one name that have the kinds of a rule.
void WorkMeanings::keepKinds(WorkPiece &piece) const {
  if (piece.ops.size() < 2 || !piece.rule || piece.isByRule)
    return;
  PatternOps kept;
  llvm::copy_if(piece.ops, std::back_inserter(kept), [&](unsigned op) {
    return llvm::any_of(piece.rule->kinds, [&](const std::string &kind) {
      return pattern.ops()[op].hasKind(kind);
    });
  });
  if (!kept.empty())
    piece.ops = std::move(kept);
}

/// Leaves work that may still be several ops to their order.
void WorkMeanings::leaveUnclear(WorkPiece &piece) const {
  std::set<StringRef> different;
  for (unsigned op : piece.ops)
    different.insert(pattern.ops()[op].name);
  bool isClear = piece.isByRule ? different.size() == piece.ops.size()
                                : piece.ops.size() <= 1;
  if (!isClear)
    piece.inside = std::exchange(piece.ops, {});
}

const TracedOperands *WorkMeanings::intern(TracedOperands operands) {
  std::vector<int64_t> sizes;
  for (const TracedTensor &tensor : operands.tensors) {
    sizes.push_back(tensor.sizes.size());
    llvm::append_range(sizes, tensor.sizes);
  }
  return &knownOperands.try_emplace(std::move(sizes), std::move(operands))
              .first->second;
}

const WorkMeanings::OperandMeaning &
WorkMeanings::operandsOf(const TraceEvent &event) {
  auto [known, isNew] =
      operandMeanings.try_emplace({event.name, event.args}, OperandMeaning());
  if (isNew && event.args)
    if (auto operands = TracedOperands::read(trace.argsOf(event))) {
      known->second.product = readProduct(trace.nameOf(event), *operands).sizes;
      known->second.operands = intern(std::move(*operands));
    }
  return known->second;
}

//===----------------------------------------------------------------------===//
// All pieces
//===----------------------------------------------------------------------===//

/// Lists the events around one and the event itself, outermost first.
SmallVector<uint32_t> WorkMeanings::chainOf(uint32_t event) const {
  SmallVector<uint32_t> chain = eventsAround(trace, event);
  chain.push_back(event);
  return chain;
}

/// Returns when the work was launched. Work around other pieces comes behind
/// them.
static int64_t momentOf(const ImportedTrace &trace, const TraceWork &work) {
  const TraceEvent &event = trace.events[work.event];
  if (work.isAround)
    return event.endNanoseconds;
  return event.launchedBy == TraceEvent::none
             ? event.startNanoseconds
             : trace.events[event.launchedBy].startNanoseconds;
}

std::vector<WorkPiece> WorkMeanings::describe(ArrayRef<TraceWork> work) {
  std::vector<TraceWork> ordered(work.begin(), work.end());
  llvm::stable_sort(ordered, [&](const TraceWork &a, const TraceWork &b) {
    return momentOf(trace, a) < momentOf(trace, b);
  });
  for (const TraceWork &piece : ordered)
    if (!piece.isAround)
      noteProducts(chainOf(piece.event));
  std::vector<WorkPiece> pieces;
  pieces.reserve(ordered.size());
  for (const TraceWork &piece : ordered)
    pieces.push_back(describeOne(piece));
  return pieces;
}
