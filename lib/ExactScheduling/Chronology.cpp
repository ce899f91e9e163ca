//===- Chronology.cpp - Branching that fills time from the left -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chronology.h"
#include "DecidedUse.h"

#include <algorithm>

using namespace Gecode;

namespace mlir::llm::scheduling::exact {

namespace {

/// One of the ways to go on.
struct Branch {
  enum Kind {
    Cut,    ///< the task of the activity is cut as `value` says
    Place,  ///< the activity starts now, as `placing` says
    Absent, ///< the fetch does not take place
    Later,  ///< the activity starts at `value` or later
    None,   ///< there is no way to go on
  } kind;
  int value = 0;
  Placing placing = {};
};

class Branches : public Choice {
public:
  Branches(const Brancher &brancher, const Model &model, unsigned activity,
           int now, std::vector<Branch> branches)
      : Choice(brancher, branches.size()), activity(activity), now(now),
        branches(std::move(branches)) {
    for (unsigned i = 0; i < model.instance.size(); ++i)
      if (!model.isDecided(i))
        undecided.push_back(i);
  }

  unsigned activity;
  int now; ///< undecided activities do not start earlier
  /// The undecided activities when the choice was made. Gecode may commit to
  /// the choice once more to recompute a space. It does not propagate in
  /// between, so less is decided then.
  std::vector<unsigned> undecided;
  std::vector<Branch> branches;
};

class Chronology : public Brancher {
public:
  explicit Chronology(Home home) : Brancher(home) {}
  Chronology(Space &home, Chronology &other) : Brancher(home, other) {}
  Actor *copy(Space &home) override {
    return new (home) Chronology(home, *this);
  }
  size_t dispose(Space &home) override {
    (void)Brancher::dispose(home);
    return sizeof(*this);
  }

  bool status(const Space &home) const override;
  const Choice *choice(Space &home) override;
  /// Only searches on several threads ask for this.
  const Choice *choice(const Space &, Archive &) override { return nullptr; }
  ExecStatus commit(Space &home, const Choice &choice,
                    unsigned alternative) override;
};

} // namespace

bool Chronology::status(const Space &home) const {
  const Model &model = static_cast<const Model &>(home);
  for (unsigned i = 0; i < model.instance.size(); ++i)
    if (!model.isDecided(i))
      return true;
  return false;
}

/// Whether a part may take no time once its sources were fetched. Its end then
/// makes room for what starts at the same time.
static bool canGiveWay(const Activity &activity) {
  return !activity.isFetch() &&
         std::any_of(activity.ways.begin(), activity.ways.end(),
                     [](const Way &way) {
                       return way.fetched != 0 && way.length == 0;
                     });
}

/// Selects the undecided activity that can start first. Of several, it is one
/// that can give way to the others, with the least time to spare.
static unsigned selectActivity(const Model &model, int now) {
  std::optional<unsigned> best;
  auto key = [&](unsigned index) {
    return std::make_tuple(std::max(model.start[index].min(), now),
                           !canGiveWay(model.instance[index]),
                           model.start[index].max(), index);
  };
  for (unsigned i = 0; i < model.instance.size(); ++i)
    if (!model.isDecided(i) && (!best || key(i) < key(*best)))
      best = i;
  return *best;
}

/// Returns the machines of a domain that belong to the group, if one is given.
/// Blank machines are equal, so only the first of them is tried. `taken` is not
/// one of them.
static std::vector<int> machinesToTry(const Model &model,
                                      const DecidedUse &profile, IntVar machine,
                                      int now, std::optional<unsigned> group,
                                      int taken = -1) {
  const Instance &instance = model.instance;
  std::vector<int> found;
  std::vector<bool> hasBlank(instance.machinesOfGroup.size(), false);
  for (IntVarValues value(machine); value(); ++value) {
    if (value.val() == instance.nowhere())
      continue;
    const Machine &each = instance.machines[value.val()];
    if (group && each.group != *group)
      continue;
    if (each.isToldApart && value.val() != taken &&
        profile.isBlank(value.val(), now)) {
      if (hasBlank[each.group])
        continue;
      hasBlank[each.group] = true;
    }
    found.push_back(value.val());
  }
  return found;
}

/// Returns the machines into whose memory an activity on `machine` can fetch;
/// -1 for a part.
static std::vector<int> consumersToTry(const Model &model,
                                       const DecidedUse &profile,
                                       unsigned index, int now, int machine) {
  std::optional<unsigned> consumer = model.instance[index].consumer;
  if (!consumer)
    return {-1};
  return machinesToTry(model, profile, model.machine[*consumer], now,
                       std::nullopt, machine);
}

static std::vector<Branch> placings(const Model &model,
                                    const DecidedUse &profile, unsigned index,
                                    int now) {
  const Activity &activity = model.instance[index];
  std::vector<Branch> found;
  for (IntVarValues way(model.way[index]); way(); ++way) {
    if (way.val() == model.instance.absent(index))
      continue;
    for (int machine : machinesToTry(model, profile, model.machine[index], now,
                                     activity.ways[way.val()].group))
      for (int consumer : consumersToTry(model, profile, index, now, machine)) {
        Placing placing = {index, way.val(), machine, consumer};
        if (profile.fits(placing, now) && !profile.fitsBefore(placing, now))
          found.push_back({Branch::Place, 0, placing});
      }
  }
  return found;
}

/// Whether the activity takes no time in any way, and nothing that it waits for
/// is undecided. It may then be where it can be now.
static bool canJustEnd(const Model &model, unsigned index) {
  const Activity &activity = model.instance[index];
  const Task &task = model.instance.problem->tasks[activity.task];
  for (const Way &way : activity.ways)
    if (activity.isFetch() || way.length > 0 || way.fetched)
      return false;
  for (unsigned i = 0; i < model.instance.size(); ++i) {
    unsigned other = model.instance[i].task;
    if (i != index && !model.isDecided(i) &&
        (other == activity.task ||
         std::find(task.predecessors.begin(), task.predecessors.end(), other) !=
             task.predecessors.end()))
      return false;
  }
  return true;
}

/// The first time behind now at which another activity can end.
static int nextEnd(const Model &model, unsigned index, int now) {
  int next = INT_MAX;
  for (unsigned i = 0; i < model.instance.size(); ++i) {
    if (i == index || model.isAbsent(i))
      continue;
    int end = model.end[i].min();
    if (end <= now && !model.isDecided(i))
      end = now + 1;
    if (end > now)
      next = std::min(next, end);
  }
  return next;
}

const Choice *Chronology::choice(Space &home) {
  const Model &model = static_cast<const Model &>(home);
  DecidedUse profile(model);
  unsigned index = selectActivity(model, 0);
  int now = model.start[index].min();
  if (!profile.isEvent(now)) {
    // The first undecided activity starts where a decided one ends.
    now = profile.nextEvent(now);
    if (now < 0)
      return new Branches(*this, model, index, 0, {{Branch::None}});
    index = selectActivity(model, now);
  }

  const Activity &activity = model.instance[index];
  IntVar cut = model.choice[activity.task];
  std::vector<Branch> branches;
  if (!cut.assigned()) {
    for (IntVarValues value(cut); value(); ++value)
      branches.push_back({Branch::Cut, value.val()});
    return new Branches(*this, model, index, now, std::move(branches));
  }
  branches = placings(model, profile, index, now);
  if (canJustEnd(model, index)) {
    branches.resize(std::min<size_t>(branches.size(), 1));
  } else {
    if (activity.isFetch() && model.way[index].in(model.instance.absent(index)))
      branches.push_back({Branch::Absent});
    int next = nextEnd(model, index, now);
    if (next != INT_MAX)
      branches.push_back({Branch::Later, next});
  }
  if (branches.empty())
    branches.push_back({Branch::None});
  return new Branches(*this, model, index, now, std::move(branches));
}

/// Posts the decision. No undecided activity starts before now.
static ExecStatus decide(Model &model, const Branches &branches,
                         const Branch &branch) {
  auto failed = [&](IntVar variable, bool atLeast, int value) {
    Int::IntView view(variable);
    return me_failed(atLeast ? view.gq(model, value) : view.eq(model, value));
  };
  unsigned index = branches.activity;
  for (unsigned i : branches.undecided)
    if (failed(model.start[i], true, branches.now))
      return ES_FAILED;
  int absent = model.instance.absent(index);
  switch (branch.kind) {
  case Branch::Cut:
    return failed(model.choice[model.instance[index].task], false, branch.value)
               ? ES_FAILED
               : ES_OK;
  case Branch::Place: {
    const Placing &placing = branch.placing;
    if (failed(model.way[index], false, placing.way) ||
        failed(model.machine[index], false, placing.machine) ||
        failed(model.start[index], false, branches.now))
      return ES_FAILED;
    if (placing.consumerMachine < 0)
      return ES_OK;
    unsigned consumer = *model.instance[index].consumer;
    return failed(model.machine[consumer], false, placing.consumerMachine)
               ? ES_FAILED
               : ES_OK;
  }
  case Branch::Absent:
    return failed(model.way[index], false, absent) ? ES_FAILED : ES_OK;
  case Branch::Later: {
    Int::IntView way(model.way[index]);
    return failed(model.start[index], true, branch.value) ||
                   me_failed(way.nq(model, absent))
               ? ES_FAILED
               : ES_OK;
  }
  case Branch::None:
    return ES_FAILED;
  }
  return ES_FAILED;
}

ExecStatus Chronology::commit(Space &home, const Choice &choice,
                              unsigned alternative) {
  const Branches &branches = static_cast<const Branches &>(choice);
  return decide(static_cast<Model &>(home), branches,
                branches.branches[alternative]);
}

void branchInTime(Model &model) { (void)new (model) Chronology(model); }

} // namespace mlir::llm::scheduling::exact
