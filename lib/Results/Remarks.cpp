//===- Remarks.cpp - What is to be known of the first figures -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Remarks.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Results/Report.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Sharding/Summands.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::llm;

/// Says that several whole devices have one memory.
static void addSharedDram(const Target &target,
                          std::vector<std::string> &remarks) {
  for (const Engine &engine : target.engines)
    if (engine.hasUnitTiles() && engine.count > 1)
      remarks.push_back(describeSharedDram(target, engine));
}

/// Returns the object's name in the program, or its op's name.
static std::string nameOf(SourceOpInterface source) {
  auto name = source->getAttrOfType<StringAttr>("name");
  return name ? name.str() : source->getName().getStringRef().str();
}

/// Says how chips could share what they have copies of, if they do not yet.
static StringRef adviceOn(SourceOpInterface source, GridAttr grid) {
  return isa<KvCacheOp>(source) && AxisRoles::get(grid).keys.empty()
             ? ", whose positions 'cp' of --llm-shard has chips share"
             : "";
}

/// Returns the sum of the bytes of these sources, and the source that has most
/// of them; null if there is none.
template <typename Bytes>
static std::pair<double, SourceOpInterface>
sumUp(ArrayRef<std::pair<SourceOpInterface, Bytes>> sources) {
  double sum = 0;
  for (const auto &[source, bytes] : sources)
    sum += double(bytes);
  auto most = ::llvm::max_element(sources, ::llvm::less_second());
  return {sum, sources.empty() ? SourceOpInterface() : most->first};
}

/// Says what chips have copies of, if that is more than a tenth of what each
/// holds. Small weights, as those of norms, are copied by every cut.
static void addNotCut(const Report &report, std::vector<std::string> &remarks) {
  auto [extra, largest] = sumUp(ArrayRef(report.totals.notCut));
  const Capacity &capacity = report.capacity;
  double held = double(capacity.weightBytes) + double(capacity.cacheBytes) +
                double(capacity.stateBytes);
  GridAttr grid = GridAttr::ofModule(report.program->function());
  if (!grid || extra <= 0.1 * held)
    return;
  int64_t chips = grid.countChips();
  if (report.pipeline) // the others have other layers
    chips /= report.pipeline->stage.countPlaces();
  bool isSmall = held < 1e9;
  double unit = isSmall ? 1e6 : 1e9;
  remarks.push_back(
      ::llvm::formatv(
          "not all is cut: of its {0:f1} {3} of weights, caches and states, "
          "each of the {1} chips holds {2:f1} {3} more than an equal share, "
          "most of it of '{4}'{5}",
          held / unit, withThousandsSeparators(chips), extra / unit,
          isSmall ? "MB" : "GB", nameOf(largest), adviceOn(largest, grid))
          .str());
}

/// Says how much of the weights is zeros that stand behind others so that chips
/// divide them.
static void addPadding(const Report &report,
                       std::vector<std::string> &remarks) {
  auto [zeros, largest] = sumUp(ArrayRef(report.totals.padded));
  if (!largest)
    return;
  size_t others = report.totals.padded.size() - 1;
  remarks.push_back(
      ::llvm::formatv("chips do not divide '{0}'{1}: zeros behind make the "
                      "pieces equal, and are {2:f1} % of the weights",
                      nameOf(largest),
                      others ? ::llvm::formatv(" and {0} more", others).str()
                             : std::string(),
                      100 * zeros / double(report.capacity.weightBytes))
          .str());
}

/// Returns how many choices all tokens have, of which a chip has received some.
static double countChoices(Value choice, GridAttr grid) {
  double chips = 1;
  if (auto dispatch = choice.getDefiningOp<ExpertDispatchOp>()) {
    choice = dispatch.getExperts();
    chips = double(grid.countChips(dispatch.getAxes()));
  }
  return chips *
         double(cast<RankedTensorType>(choice.getType()).getNumElements());
}

/// Says how many more rows than the others the chip has that all wait for.
static void addUnevenExperts(const Report &report,
                             std::vector<std::string> &remarks) {
  Operation *function = report.program->function();
  GridAttr grid = GridAttr::ofModule(function);
  double most = 0;
  int64_t sharing = 0;
  function->walk([&](ExpertsOpInterface op) {
    if (!op.getOwnAxes() || op.getRowsOperand())
      return;
    auto rows = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t chips = grid.countChips(op.getOwnAxes());
    double ofMean = double(rows.getDimSize(0)) * double(chips) /
                    countChoices(op.getChoice(), grid);
    if (ofMean > most) {
      most = ofMean;
      sharing = chips;
    }
  });
  if (sharing)
    remarks.push_back(
        ::llvm::formatv(
            "{0} chips share the experts: the times are those of the "
            "one with most rows, which has {1:f2} times the mean. Rows of "
            "experts are what the routing gives on average: the tokens of one "
            "step may give one chip more",
            sharing, most)
            .str());
}

/// Says which links start an exchange in no time, because nobody gave their
/// figures: small exchanges then look much cheaper than they are.
static void addLinksWithoutLatency(const Report &report,
                                   std::vector<std::string> &remarks) {
  ::llvm::SmallSetVector<StringRef, 2> names;
  for (const ProgramOp &entry : report.program->ops()) {
    auto cost = entry.op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
    auto link = ::llvm::find_if(report.target->links, [&](const Link &link) {
      return link.name == cost.getEngine().getValue();
    });
    if (link != report.target->links.end() &&
        link->lowLatencyNanoseconds.value_or(0) == 0)
      names.insert(link->name);
  }
  for (StringRef name : names)
    remarks.push_back(
        ::llvm::formatv("link '{0}' has no latency (links.{0}."
                        "low_latency_nanoseconds, step_nanoseconds), so that "
                        "an exchange takes no longer than its bytes; on real "
                        "machines, small ones take several microseconds",
                        name)
            .str());
}

/// Says that each op is a kernel of its own, which no serving stack does, and
/// what joins them. How much that saves is known only when it is done.
static void addUnfused(const Report &report,
                       std::vector<std::string> &remarks) {
  ArrayRef<ProgramOp> ops = report.program->ops();
  bool hasKernels =
      ::llvm::any_of(report.target->engines, [](const Engine &engine) {
        return engine.hasUnitTiles();
      });
  bool isFused = ::llvm::any_of(
      ops, [](const ProgramOp &op) { return isa<FusedOp>(op.op); });
  if (!hasKernels || isFused || ops.size() < 2 ||
      report.timeline.schedule().isMeasured())
    return;
  remarks.push_back(
      ::llvm::formatv("each op is a kernel of its own, and their launches take "
                      "{0:f1} % of the time. \"fuse=true "
                      "fuse-projections=true\" of --llm-pipeline "
                      "(--llm-fuse-projections and --llm-fuse before "
                      "--llm-tile) join ops into fewer kernels",
                      report.whatBinds.percentOf("overhead"))
          .str());
}

/// Says that a run was faster than the figures of its target allow.
static void addFasterThanMachine(const Report &report,
                                 std::vector<std::string> &remarks) {
  std::optional<double> gap = report.gapPercent();
  bool exceedsRate = report.mbuPercent > 100;
  if (!report.timeline.schedule().isMeasured() ||
      (!exceedsRate && (!gap || *gap >= 0)))
    return;
  std::string text = "it ran faster than the figures of its target allow";
  if (const Memory &dram = report.target->dram(); exceedsRate) {
    double rate = 1e-9 * double(dram.bytesPerSecond);
    text += ::llvm::formatv(
        ": it moved {0:f2} GB/s, and '{1}' of '{2}' has {3:f2} GB/s",
        rate * report.mbuPercent / 100, dram.name, report.target->name, rate);
  } else {
    text +=
        ::llvm::formatv(": it took {0:f1} % less than the lower bound", -*gap);
  }
  if (report.target->name == hostPresetName)
    text += ". The rate of memory was measured just before, and this machine "
            "was busy then: run it again";
  remarks.push_back(text);
}

std::vector<std::string> mlir::llm::findRemarks(const Report &report) {
  std::vector<std::string> remarks;
  addSharedDram(*report.target, remarks);
  addNotCut(report, remarks);
  addPadding(report, remarks);
  addUnevenExperts(report, remarks);
  addLinksWithoutLatency(report, remarks);
  addUnfused(report, remarks);
  addFasterThanMachine(report, remarks);
  return remarks;
}
