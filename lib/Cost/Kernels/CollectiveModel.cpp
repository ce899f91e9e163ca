//===- CollectiveModel.cpp - The time of collectives over links -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

constexpr double perSecond = 1e9; // nanoseconds

FailureOr<int64_t> CollectiveTime::countSentBytes(int64_t bytes) const {
  std::optional<int64_t> sent = ceilMulDiv(bytes, sentShares, 1, shares);
  if (!sent)
    return failure();
  return *sent;
}

/// How often each piece passes a chip's link.
static int64_t countPasses(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce ? 2 : 1;
}

/// Whether each chip has something else for each other one.
static bool isExchange(CollectiveKind kind) {
  return kind == CollectiveKind::AllToAll || isOfExperts(kind);
}

//===----------------------------------------------------------------------===//
// Wires
//===----------------------------------------------------------------------===//

/// Returns the chips of the group along each dimension of a torus, and how many
/// there are in all.
static SmallVector<std::pair<int64_t, int64_t>, 3>
dimensionsOf(const Collective &collective, const Link &link) {
  SmallVector<std::pair<int64_t, int64_t>, 3> dimensions;
  int64_t neighbours = 1, inside = 1;
  for (std::optional<int64_t> size : {link.torusX, link.torusY, link.torusZ}) {
    if (!size)
      continue;
    neighbours *= *size;
    int64_t members = collective.countAmong(neighbours);
    dimensions.push_back({members / inside, *size});
    inside = members;
  }
  return dimensions;
}

/// In a torus of D dimensions a chip has 1 / (2 D) of its rate on each wire. A
/// group that has all chips along a dimension is a ring there, which passes on
/// values in both directions. Fewer are a line, whose last chips have one wire.
static double stretchInTorus(const Collective &collective, const Link &link) {
  SmallVector<std::pair<int64_t, int64_t>, 3> dimensions =
      dimensionsOf(collective, link);
  double wires = 2 * double(dimensions.size()), used = 0, longest = 0;
  for (auto [chips, size] : dimensions) {
    if (chips < 2)
      continue;
    bool isRing = chips == size;
    used += isRing ? 2 : 1;
    // Half of what the chips of a line have crosses its middle wire, and an
    // eighth of n S each wire of a ring, as a piece goes n / 4 wires far.
    longest = std::max(longest, double(chips) / (isRing ? 8 : 4));
  }
  if (used == 0)
    return 1;
  if (!isExchange(collective.kind))
    return wires / used;
  double passed = double(collective.chips - 1) / double(collective.chips);
  return std::max(wires / used, wires * longest / passed);
}

double mlir::llm::stretchOf(const Collective &collective, const Link &link) {
  if (link.fullyConnected == 1)
    return double(link.devices - 1) / double(collective.chips - 1);
  if (link.torusX)
    return std::max(1.0, stretchInTorus(collective, link));
  return 1;
}

Link mlir::llm::withRates(Link link, double factor) {
  auto scaled = [&](int64_t rate) {
    return std::max<int64_t>(1, std::llround(double(rate) * factor));
  };
  link.bytesPerSecond = scaled(link.bytesPerSecond);
  for (std::optional<int64_t> Link::*rate :
       {&Link::sustainedBytesPerSecond, &Link::lowLatencyBytesPerSecond,
        &Link::ll128BytesPerSecond, &Link::inSwitchBytesPerSecond,
        &Link::exchangeLowLatencyBytesPerSecond, &Link::exchangeBytesPerSecond,
        &Link::oneShotBytesPerSecond, &Link::twoShotBytesPerSecond,
        &Link::expertDispatchBytesPerSecond,
        &Link::expertCombineBytesPerSecond})
    if (link.*rate)
      link.*rate = scaled(*(link.*rate));
  return link;
}

//===----------------------------------------------------------------------===//
// One link
//===----------------------------------------------------------------------===//

namespace {
/// What a chip passes on, in how many steps, and what it keeps of its own.
struct Passed {
  double bytes, steps, keptBytes;
};

/// Figures of a protocol. It is there if it has a rate.
struct Protocol {
  std::optional<int64_t> startNanoseconds, stepNanoseconds, bytesPerSecond;
};
} // namespace

/// Replaces the time by that of a protocol that is faster.
static void consider(CollectiveTime &time, const Passed &passed,
                     const Protocol &protocol) {
  if (!protocol.bytesPerSecond)
    return;
  int64_t start = protocol.startNanoseconds.value_or(0);
  double nanoseconds =
      double(start) +
      passed.steps * double(protocol.stepNanoseconds.value_or(0)) +
      passed.bytes * perSecond / double(*protocol.bytesPerSecond);
  if (nanoseconds < time.nanoseconds)
    time = {start, nanoseconds, 0, 1};
}

/// The time of the protocol of high bandwidth, in which the memory moves what a
/// chip keeps.
static CollectiveTime timeAtHighBandwidth(const Passed &passed, int64_t start,
                                          int64_t bytesPerSecond,
                                          double memoryBytesPerSecond) {
  return {start,
          double(start) + passed.bytes * perSecond / double(bytesPerSecond) +
              2 * passed.keptBytes * perSecond / memoryBytesPerSecond,
          0, 1};
}

/// The time of the fastest of the protocols that the link has for a ring.
static CollectiveTime timeInRing(const Passed &passed, const Link &link,
                                 double memoryBytesPerSecond) {
  CollectiveTime time = timeAtHighBandwidth(
      passed, link.bandwidthNanoseconds.value_or(0),
      link.sustainedBytesPerSecond.value_or(link.bytesPerSecond),
      memoryBytesPerSecond);
  consider(time, passed,
           {link.lowLatencyNanoseconds, link.stepNanoseconds,
            link.lowLatencyBytesPerSecond});
  consider(
      time, passed,
      {link.ll128Nanoseconds, link.stepNanoseconds, link.ll128BytesPerSecond});
  return time;
}

/// The time in which each chip sends something else to each other one.
static CollectiveTime timeOfExchange(const Passed &passed, const Link &link,
                                     double memoryBytesPerSecond) {
  if (!link.exchangeBytesPerSecond)
    return timeInRing(passed, link, memoryBytesPerSecond);
  CollectiveTime time =
      timeAtHighBandwidth(passed, link.exchangeBandwidthNanoseconds.value_or(0),
                          *link.exchangeBytesPerSecond, memoryBytesPerSecond);
  consider(time, passed,
           {link.exchangeNanoseconds, link.exchangePeerNanoseconds,
            link.exchangeLowLatencyBytesPerSecond});
  return time;
}

/// The ways to add up among `chips` that are no ring.
namespace {
class OtherAllReduces {
public:
  OtherAllReduces(int64_t chips, int64_t bytes, const Link &link)
      : chips(chips), bytes(bytes), link(link) {}

  /// Replaces the time by that of a way which is faster.
  void improve(CollectiveTime &time) const {
    if (chips > 2 && link.inSwitchBytesPerSecond)
      consider(time, link.inSwitchNanoseconds, {},
               {chips + 1, chips, *link.inSwitchBytesPerSecond});
    if (bytes > link.shotMostBytes.value_or(bytes))
      return;
    if (link.oneShotBytesPerSecond)
      consider(time, link.oneShotNanoseconds, link.oneShotPeerNanoseconds,
               {chips - 1, 1, *link.oneShotBytesPerSecond});
    if (link.twoShotBytesPerSecond)
      consider(time, link.twoShotNanoseconds, link.twoShotPeerNanoseconds,
               {2 * (chips - 1), chips, *link.twoShotBytesPerSecond});
  }

private:
  struct Sent {
    int64_t sentShares, shares, bytesPerSecond;
  };

  void consider(CollectiveTime &time, std::optional<int64_t> startNanoseconds,
                std::optional<int64_t> peerNanoseconds, Sent sent) const {
    int64_t start = startNanoseconds.value_or(0);
    double nanoseconds =
        double(start) +
        double(chips - 1) * double(peerNanoseconds.value_or(0)) +
        double(bytes) * double(sent.sentShares) / double(sent.shares) *
            perSecond / double(sent.bytesPerSecond);
    if (nanoseconds < time.nanoseconds)
      time = {start, nanoseconds, sent.sentShares, sent.shares};
  }

  int64_t chips, bytes;
  const Link &link;
};
} // namespace

/// The figures of a link for rows that go to experts, or come back.
namespace {
struct ExpertFigures {
  std::optional<int64_t> startNanoseconds, peerNanoseconds, bytesPerSecond;
};
} // namespace

static ExpertFigures expertFiguresOf(CollectiveKind kind, const Link &link) {
  if (kind == CollectiveKind::ExpertDispatch)
    return {link.expertDispatchNanoseconds, link.expertDispatchPeerNanoseconds,
            link.expertDispatchBytesPerSecond};
  return {link.expertCombineNanoseconds, link.expertCombinePeerNanoseconds,
          link.expertCombineBytesPerSecond};
}

/// Times rows of experts by the figures of the link. Returns nothing if it has
/// none.
static std::optional<CollectiveTime> timeExpertRows(CollectiveKind kind,
                                                    int64_t chips,
                                                    int64_t bytes,
                                                    const Link &link) {
  ExpertFigures figures = expertFiguresOf(kind, link);
  if (!figures.bytesPerSecond)
    return std::nullopt;
  int64_t start = figures.startNanoseconds.value_or(0);
  double peers = double(chips - 1),
         nanoseconds = double(start) +
                       peers * double(figures.peerNanoseconds.value_or(0)) +
                       peers / double(chips) * double(bytes) * perSecond /
                           double(*figures.bytesPerSecond);
  return CollectiveTime{start, nanoseconds, chips - 1, chips};
}

/// Times a collective over a link whose rates are those of the group.
static CollectiveTime timeOverWires(CollectiveKind kind, int64_t chips,
                                    int64_t bytes, const Link &link,
                                    double memoryBytesPerSecond) {
  if (isOfExperts(kind))
    if (auto time = timeExpertRows(kind, chips, bytes, link))
      return *time;
  // Each chip of a fully connected link reaches all others in one step.
  int64_t hops = link.fullyConnected == 1 ? 1 : chips - 1;
  double share = double(bytes) / double(chips);
  Passed passed{double(countPasses(kind) * (chips - 1)) * share,
                double(countPasses(kind) * hops), share};
  CollectiveTime time = isExchange(kind)
                            ? timeOfExchange(passed, link, memoryBytesPerSecond)
                            : timeInRing(passed, link, memoryBytesPerSecond);
  time.sentShares = countPasses(kind) * (chips - 1);
  time.shares = chips;
  if (kind == CollectiveKind::AllReduce)
    OtherAllReduces(chips, bytes, link).improve(time);
  return time;
}

CollectiveTime mlir::llm::timeCollective(CollectiveKind kind, int64_t chips,
                                         int64_t bytes, const Link &link,
                                         double memoryBytesPerSecond) {
  Collective neighbours{kind, chips, chips, bytes};
  return timeOverWires(kind, chips, bytes,
                       withRates(link, 1 / stretchOf(neighbours, link)),
                       memoryBytesPerSecond);
}

//===----------------------------------------------------------------------===//
// Several links
//===----------------------------------------------------------------------===//

namespace {
/// A link, and how many chips or groups of nearer chips meet over it.
struct Level {
  Link link;
  int64_t chips;
};

/// A collective over links from near to far.
class ByLevels {
public:
  ByLevels(const Collective &collective, const Target &target, int64_t faster);

  CollectiveTime time() const;

private:
  void add(const Link &link, int64_t chips);
  CollectiveTime timeFlat() const;
  CollectiveTime timeExchange() const;
  CollectiveTime timeFrom(size_t level, CollectiveKind kind,
                          int64_t bytes) const;
  CollectiveTime timeOne(size_t level, CollectiveKind kind,
                         int64_t bytes) const {
    return timeOverWires(kind, levels[level].chips, bytes, levels[level].link,
                         memoryBytesPerSecond);
  }

  const Collective &collective;
  const Target &target;
  double memoryBytesPerSecond;
  int64_t faster;
  SmallVector<Level, 2> levels;
};
} // namespace

ByLevels::ByLevels(const Collective &collective, const Target &target,
                   int64_t faster)
    : collective(collective), target(target),
      memoryBytesPerSecond(double(target.dram().usableBytesPerSecond())),
      faster(faster) {
  const Link &last = *target.findLink(collective.span);
  int64_t inside = 1;
  for (const Link &link : target.links) {
    if (StringRef(link.name).contains('@'))
      continue;
    int64_t members =
        &link == &last ? collective.chips : collective.countAmong(link.devices);
    if (int64_t chips = llvm::divideCeilSigned(members, inside); chips > 1) {
      add(link, chips);
      inside *= chips;
    }
    if (&link == &last)
      break;
  }
}

/// Adds a level. The chips along the dimensions of a link without switches are
/// those of the whole group, as it is the first link.
void ByLevels::add(const Link &link, int64_t chips) {
  Collective group = collective;
  group.chips = chips;
  Link figures = target.withDefaultLibrary(link);
  levels.push_back(
      {withRates(figures, double(faster) / stretchOf(group, link)), chips});
}

/// All chips meet over the link that joins them.
CollectiveTime ByLevels::timeFlat() const {
  const Link &link = *target.findLink(collective.span);
  Link wires = withRates(target.withDefaultLibrary(link),
                         double(faster) / stretchOf(collective, link));
  return timeOverWires(collective.kind, collective.chips, collective.bytes,
                       wires, memoryBytesPerSecond);
}

/// Each link carries what goes to the chips that it is the first
/// to join.
CollectiveTime ByLevels::timeExchange() const {
  double chips = double(collective.chips), bytes = double(collective.bytes);
  CollectiveTime slowest{0, 0, 0, 1};
  int64_t inside = 1;
  for (const Level &level : levels) {
    int64_t members = std::min(collective.chips, inside * level.chips);
    double others = double(members - inside);
    CollectiveTime time =
        timeOfExchange({others * bytes / chips, others, bytes / chips},
                       level.link, memoryBytesPerSecond);
    if (time.nanoseconds > slowest.nanoseconds)
      slowest = time;
    slowest.sentShares = members - inside; // over the last one
    inside = members;
  }
  slowest.shares = collective.chips;
  return slowest;
}

/// Adds what comes before or after over a nearer link.
static void addNear(CollectiveTime &time, const CollectiveTime &near) {
  time.startNanoseconds += near.startNanoseconds;
  time.nanoseconds += near.nanoseconds;
}

CollectiveTime ByLevels::timeFrom(size_t level, CollectiveKind kind,
                                  int64_t bytes) const {
  if (level + 1 == levels.size())
    return timeOne(level, kind, bytes);
  int64_t inside = levels[level].chips;
  CollectiveTime time =
      timeFrom(level + 1, kind, llvm::divideCeilSigned(bytes, inside));
  time.shares *= inside;
  if (kind != CollectiveKind::AllGather)
    addNear(time, timeOne(level, CollectiveKind::ReduceScatter, bytes));
  if (kind != CollectiveKind::ReduceScatter)
    addNear(time, timeOne(level, CollectiveKind::AllGather, bytes));
  return time;
}

CollectiveTime ByLevels::time() const {
  CollectiveTime flat = timeFlat();
  if (levels.size() < 2)
    return flat;
  CollectiveTime time = isExchange(collective.kind)
                            ? timeExchange()
                            : timeFrom(0, collective.kind, collective.bytes);
  return time.nanoseconds < flat.nanoseconds ? time : flat;
}

CollectiveTime mlir::llm::timeCollective(const Collective &collective,
                                         const Target &target, int64_t faster) {
  return ByLevels(collective, target, faster).time();
}
