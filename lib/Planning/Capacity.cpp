//===- Capacity.cpp - Whether a program fits into memory ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/Capacity.h"
#include "llm/Support/Units.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// What would fit
//===----------------------------------------------------------------------===//

namespace {
/// Sequences that are alike, and a program whose caches are theirs.
struct AlikeSequences {
  int64_t batch = 0, seq = 0, keys = 0;
  bool isPrompt = false; ///< each key is of a new token

  static std::optional<AlikeSequences> of(const Program &program);
};

/// Finds the longest sequences for which everything fits at every moment.
class LongestContext {
public:
  LongestContext(const Capacity &capacity, int64_t keys)
      : capacity(capacity), keys(keys) {}

  void visit(const Moment &moment);
  int64_t get() const { return longest; }

private:
  bool fits(const Moment &moment, int64_t context) const;

  const Capacity &capacity;
  int64_t keys;
  int64_t longest = maxCount;
};
} // namespace

static bool areCachesOf(const Program &program, int64_t batch, int64_t keys) {
  auto isOf = [&](Type type) {
    auto cache = dyn_cast<KvCacheType>(type);
    return !cache || (cache.getBatch() == batch && cache.getCapacity() == keys);
  };
  FunctionOpInterface function = program.function();
  return llvm::all_of(function.getArgumentTypes(), isOf) &&
         llvm::all_of(program.sources(), [&](auto source) {
           return llvm::all_of(source.first->getResultTypes(), isOf);
         });
}

std::optional<AlikeSequences> AlikeSequences::of(const Program &program) {
  FunctionOpInterface function = program.function();
  auto imported =
      function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  if (!imported || imported.getGroups().size() != 1)
    return std::nullopt;
  SequencesAttr group = imported.getGroups().front();
  AlikeSequences alike{group.getBatch(), group.getSeq(), group.getMaxKvLen()};
  if (alike.batch < 1 || alike.seq < 1 || alike.keys < 1 ||
      !areCachesOf(program, alike.batch, alike.keys))
    return std::nullopt; // a size may be open
  alike.isPrompt =
      imported.getPhase() == Phase::Prefill && alike.seq == alike.keys;
  return alike;
}

/// Returns ceil(bytes * context / keys). If that does not fit into 64 bits, it
/// fits into no memory.
static int64_t scale(int64_t bytes, int64_t context, int64_t keys) {
  return ceilMulDiv(bytes, context, 1, keys).value_or(maxCount);
}

bool LongestContext::fits(const Moment &moment, int64_t context) const {
  const GrowingBytes &values = moment.values;
  int64_t scores = scale(values.byDegree[2], context, keys);
  std::optional<int64_t> needed = capacity.weightBytes;
  for (int64_t bytes :
       {moment.workspaceBytes, values.byDegree[0], capacity.stateBytes,
        scale(values.byDegree[1], context, keys), scale(scores, context, keys),
        scale(capacity.cacheBytes, context, keys)})
    needed = needed ? checkedAdd(*needed, bytes) : std::nullopt;
  return needed && *needed <= capacity.memory().capacityBytes;
}

void LongestContext::visit(const Moment &moment) {
  if (fits(moment, longest))
    return;
  int64_t fitting = 0, tooLong = longest;
  while (tooLong - fitting > 1) {
    int64_t middle = fitting + (tooLong - fitting) / 2;
    (fits(moment, middle) ? fitting : tooLong) = middle;
  }
  longest = fitting;
}

/// Returns the largest batch that fits, since all but the weights grows with
/// the batch.
static int64_t findLargestBatch(const Capacity &capacity, int64_t batch) {
  int64_t growing = capacity.neededBytes() - capacity.weightBytes;
  int64_t room = capacity.memory().capacityBytes - capacity.weightBytes;
  __extension__ using Wide = unsigned __int128;
  if (room <= 0 || growing == 0)
    return 0;
  return int64_t(
      std::min(Wide(room) * Wide(batch) / Wide(growing), Wide(maxCount)));
}

//===----------------------------------------------------------------------===//
// What it holds
//===----------------------------------------------------------------------===//

static InFlightDiagnostic emitOverflow(const Program &program) {
  return emitFunctionError(program.function())
         << "holds more than 2^61 - 1 bytes";
}

static std::optional<int64_t> countAllLayers(const Program &program,
                                             const Capacity &capacity) {
  FunctionOpInterface function = program.function();
  auto imported =
      function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  if (!imported || imported.getLayers() == imported.getModelLayers())
    return std::nullopt;
  int64_t own =
      capacity.weightBytes + capacity.cacheBytes + capacity.stateBytes;
  std::optional<int64_t> ofLayers =
      ceilMulDiv(own, imported.getModelLayers(), 1, imported.getLayers());
  return ofLayers ? checkedAdd(*ofLayers,
                               capacity.valueBytes + capacity.workspaceBytes)
                  : std::nullopt;
}

/// Adds what a stage holds beside its values: its weights, and the caches and
/// states of all microbatches.
static LogicalResult addHeld(Capacity &capacity, const Totals &totals,
                             const Program &program) {
  for (auto [held, bytes, times] :
       {std::tuple<int64_t *, int64_t, int64_t>{&capacity.weightBytes,
                                                totals.weightBytes, 1},
        {&capacity.cacheBytes, totals.cacheBytes, capacity.microbatches},
        {&capacity.stateBytes, totals.stateBytes, capacity.microbatches}}) {
    std::optional<int64_t> all = checkedMul(bytes, times),
                           sum = all ? checkedAdd(*held, *all) : std::nullopt;
    if (!sum)
      return emitOverflow(program);
    *held = *sum;
  }
  return success();
}

/// Adds what the other stages on the same chips hold.
static LogicalResult addOtherStages(Capacity &capacity, StageAttr stage,
                                    FunctionOpInterface function) {
  auto module = function->getParentOfType<ModuleOp>();
  for (FunctionOpInterface other : functionsWithBody(module)) {
    auto own = other->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
    if (other == function || !own || own.countPlaces() != stage.countPlaces() ||
        own.getPlace() != stage.getPlace())
      continue;
    FailureOr<Program> program = Program::analyze(other);
    if (failed(program))
      return failure();
    FailureOr<Totals> totals = computeTotals(*program);
    if (failed(totals) || failed(addHeld(capacity, *totals, *program)))
      return failure();
  }
  return success();
}

FailureOr<Capacity> Capacity::compute(const Program &program,
                                      const Totals &totals,
                                      const Target &target) {
  Capacity capacity;
  capacity.target = &target;
  FunctionOpInterface function = program.function();
  auto stage = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
  if (stage)
    capacity.microbatches = stage.getMicrobatches();
  if (failed(addHeld(capacity, totals, program)) ||
      (stage && stage.getRounds() > 1 &&
       failed(addOtherStages(capacity, stage, function))))
    return failure();
  if (GridAttr grid = GridAttr::ofModule(program.function()))
    capacity.chips = grid.countChips();

  std::optional<AlikeSequences> alike = AlikeSequences::of(program);
  Growth growth;
  if (alike)
    growth = {alike->keys, alike->isPrompt};
  LongestContext longest(capacity, growth.keys);
  int64_t most = -1;
  if (failed(forEachMoment(program, target, growth,
                           [&](const Moment &moment, const MomentPlace &) {
                             if (moment.totalBytes() > most) {
                               most = moment.totalBytes();
                               capacity.valueBytes = moment.values.total();
                               capacity.workspaceBytes = moment.workspaceBytes;
                             }
                             if (alike && capacity.isChecked())
                               longest.visit(moment);
                           })))
    return failure();
  std::optional<int64_t> constant =
      checkedAdd(capacity.weightBytes, capacity.cacheBytes);
  if (constant)
    constant = checkedAdd(*constant, capacity.stateBytes);
  if (!constant || !checkedAdd(*constant, most))
    return emitOverflow(program);

  capacity.allLayersBytes = countAllLayers(program, capacity);
  if (!alike || !capacity.isChecked())
    return capacity;
  capacity.largestBatch = findLargestBatch(capacity, alike->batch);
  int64_t context = longest.get();
  if (context < maxCount) // at the most, nothing grows
    capacity.largestContext =
        !alike->isPrompt && context < alike->seq ? 0 : context;
  return capacity;
}

//===----------------------------------------------------------------------===//
// What is said of it
//===----------------------------------------------------------------------===//

/// Returns the number of chips on which a program would fit if its weights,
/// caches and states were shared evenly, twice as many as now or four times, or
/// so. Values are not cut as far.
static std::optional<int64_t> findFittingChips(const Capacity &capacity) {
  constexpr int64_t mostTimes = 4096;
  int64_t kept =
      capacity.weightBytes + capacity.cacheBytes + capacity.stateBytes;
  int64_t room = capacity.memory().capacityBytes - capacity.valueBytes -
                 capacity.workspaceBytes;
  for (int64_t times = 2; times <= mostTimes; times *= 2)
    if (llvm::divideCeilSigned(kept, times) <= room)
      return checkedMul(capacity.chips, times);
  return std::nullopt;
}

static std::string describeFitting(const Capacity &capacity) {
  if (capacity.weightBytes > capacity.memory().capacityBytes)
    return "the weights alone do not fit";
  std::string text;
  llvm::raw_string_ostream os(text);
  if (capacity.largestBatch) {
    if (*capacity.largestBatch > 0)
      os << "with as many keys a batch of "
         << withThousandsSeparators(*capacity.largestBatch) << " fits";
    else
      os << "with as many keys not even a batch of 1 fits";
  }
  if (capacity.largestContext) {
    os << (text.empty() ? "" : ", ") << "with this batch ";
    if (*capacity.largestContext > 0)
      os << withThousandsSeparators(*capacity.largestContext)
         << " keys for each sequence";
    else
      os << "no number of keys";
  }
  return text;
}

/// Says what is missing if no link joins so many chips.
static std::string describeLinks(Target target, int64_t chips) {
  // Those of the program's own grid say nothing of a larger one.
  target.network.clear();
  llvm::erase_if(target.engines,
                 [](const Engine &engine) { return engine.isLink; });
  std::string problem = target.connect(chips);
  return problem.empty() ? "" : "; then " + problem;
}

std::string Capacity::describeExcess() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "does not fit into '" << memory().name << "' of target '"
     << target->name << "': it holds " << withThousandsSeparators(neededBytes())
     << " bytes, and there are "
     << withThousandsSeparators(memory().capacityBytes) << " (weights "
     << withThousandsSeparators(weightBytes) << ", KV caches "
     << (microbatches > 1
             ? "of " + std::to_string(microbatches) + " microbatches "
             : "")
     << withThousandsSeparators(cacheBytes);
  if (stateBytes > 0)
    os << ", states " << withThousandsSeparators(stateBytes);
  os << ", values alive at once " << withThousandsSeparators(valueBytes)
     << ", workspace " << withThousandsSeparators(workspaceBytes) << ")";
  if (std::string fitting = describeFitting(*this); !fitting.empty())
    os << "; " << fitting;
  if (std::optional<int64_t> fitting = findFittingChips(*this))
    os << "; " << *fitting << " chips would hold it, if all of it is cut evenly"
       << describeLinks(*target, *fitting);
  return text;
}

/// Returns what the program holds if that does not fit. Returns nothing if it
/// fits, or if the target gives no capacity.
static FailureOr<std::optional<Capacity>> findExcess(const Program &program,
                                                     const Target &target) {
  if (target.dram().capacityBytes == 0)
    return std::optional<Capacity>();
  FailureOr<Totals> totals = computeTotals(program);
  if (failed(totals))
    return failure();
  FailureOr<Capacity> capacity = Capacity::compute(program, *totals, target);
  if (failed(capacity))
    return failure();
  return capacity->fits() ? std::optional<Capacity>()
                          : std::optional(*capacity);
}

LogicalResult mlir::llm::warnOfExcess(const Program &program,
                                      const Target &target) {
  FailureOr<std::optional<Capacity>> excess = findExcess(program, target);
  if (failed(excess))
    return failure();
  FunctionOpInterface function = program.function();
  if (*excess)
    emitWarning(function.getLoc()) << "function '" << symbolOf(function) << "' "
                                   << (*excess)->describeExcess();
  return success();
}

LogicalResult mlir::llm::checkCapacity(const Program &program,
                                       const Target &target) {
  FailureOr<std::optional<Capacity>> excess = findExcess(program, target);
  if (failed(excess))
    return failure();
  if (!*excess)
    return success();
  return emitFunctionError(program.function())
         << "S10: " << (*excess)->describeExcess()
         << ". With capacity=false this is not checked";
}
