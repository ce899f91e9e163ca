//===- Fuse.cpp - Ops that run as one kernel ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grows kernels in program order. Each op is joined with the kernels whose
// values it reads, as long as they have a workload together that takes less
// time on the target, and that delays no op that could run beside it. No op is
// known by name.
//
//===----------------------------------------------------------------------===//

#include "BlockGraph.h"
#include "KernelPrice.h"
#include "ProgramPass.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/Composition.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMFUSEPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// The most ops of a kernel. Each time it grows, all of it is priced.
static constexpr size_t maxOps = 16;

/// The most users that are followed from a kernel to an op that may join it.
/// With `maxOps` this bounds the work for each op by a constant, so that the
/// time of the pass grows with the number of ops.
static constexpr size_t maxSteps = 1024;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static std::string nameOf(Operation *op) {
  auto work = dyn_cast<WorkloadOpInterface>(op);
  StringRef name = work ? work.getWorkloadName() : "";
  return name.empty() ? op->getName().getStringRef().str() : name.str();
}

/// Joins names: "layers.0.mlp.down_proj" and "layers.0.mlp_residual" become
/// "layers.0.mlp.down_proj+mlp_residual".
static StringAttr joinNames(ArrayRef<Operation *> ops) {
  std::string joined;
  StringRef first = cast<WorkloadOpInterface>(ops.front()).getWorkloadName();
  for (Operation *op : ops) {
    StringRef name = cast<WorkloadOpInterface>(op).getWorkloadName();
    if (name.empty())
      return {};
    size_t same = 0;
    for (size_t i = 0; i < std::min(name.size(), first.size()) &&
                       name[i] == first[i] && !joined.empty();
         ++i)
      same = name[i] == '.' ? i + 1 : same;
    // The prefix "layers." alone says little, so the name of another layer
    // stays whole.
    StringRef rest = name.drop_front(same);
    bool isNumber = !rest.empty() && (llvm::isDigit(rest[0]) || rest[0] == '{');
    joined += (joined.empty() ? "" : "+") + (isNumber ? name : rest).str();
  }
  return StringAttr::get(ops.front()->getContext(), joined);
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

namespace {
struct Kernel {
  SmallVector<Operation *> ops; ///< in program order
  Price price, apart;           ///< as one, and op by op
};

/// When an op starts and ends if each has an engine of its own.
struct Time {
  int64_t barrier = 0; ///< the end of the loop before it
  int64_t start = 0, end = 0;
  int64_t deadline = 0; ///< the start of the loop behind it
};

class BlockFuser {
public:
  BlockFuser(Block &block, Prices &prices, bool isAlways)
      : block(block), graph(block), prices(prices), isAlways(isAlways) {}
  /// Whether any ops were joined.
  bool run();

private:
  using Ops = llvm::SetVector<Operation *>;

  void addOps();
  /// Returns the price of the op. Adds a kernel of it, if it can be joined with
  /// others.
  Price addOp(Operation *op);
  /// Notes when the op would run.
  void addTime(const BlockGraph::Node &node, Price price);
  /// The kernels whose values an op reads, those with most bytes first.
  SmallVector<unsigned> producersOf(Operation *op) const;
  void join(unsigned producer, unsigned consumer);
  /// Returns why the ops cannot run as one: one outside needs a value of
  /// theirs, and one of them needs it. Empty if there is no such op.
  std::string findBetween(const Ops &ops) const;
  /// Fails with the reason in `problem`.
  FailureOr<Price> priceOf(const Ops &ops, std::string &problem) const;
  /// Returns when the ops would run as one.
  Time timeOf(const Ops &ops, Price price) const;
  /// Returns which op would start or end later than it could before; empty if
  /// none would. Then the block takes no longer with an engine for each op.
  /// With one engine it takes the sum, which does not grow either.
  std::string findDelay(const Ops &ops, Time time) const;
  /// A copy of the ops as a kernel that is in no block. `yielded` gets the
  /// values that it returns, in the order of its results.
  FusedOp build(const Ops &ops, SmallVectorImpl<Value> &yielded) const;
  void materialize(const Kernel &kernel);

  Block &block;
  BlockGraph graph;
  Prices &prices;
  bool isAlways;
  /// Views that were erased with the kernel that they belonged to.
  llvm::SmallPtrSet<Operation *, 8> erased;
  std::vector<Kernel> kernels; ///< empty if it was joined to another one
  DenseMap<Operation *, unsigned> kernelOf;
  std::vector<Time> times; ///< by position; ops of a kernel have one time
  int64_t latest = 0;      ///< the end of the last one
};
} // namespace

static remark::RemarkOpts remarkOptions() {
  return remark::RemarkOpts::name("fuse").category("llm-fuse");
}

Price BlockFuser::addOp(Operation *op) {
  if (!isa<WorkloadOpInterface>(op))
    return {};
  // An op without a workload or a tile stays as it is; llm-tile says why.
  auto work = cast<WorkloadOpInterface>(op);
  FailureOr<Workload> workload = work.getWorkload([] { return Refusal(); });
  if (failed(workload))
    return {};
  FailureOr<Price> price = prices.get(work, Reasons::unsaid());
  if (failed(price))
    return {};
  if (!workload->composition) {
    kernelOf[op] = kernels.size();
    kernels.push_back({{op}, *price, *price});
  }
  return *price;
}

/// Whether all ops before it end before it starts, and all ops behind it wait.
static bool isBarrier(Operation *op) {
  return isa<LoopLikeOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>();
}

void BlockFuser::addTime(const BlockGraph::Node &node, Price price) {
  Time time = times.empty() ? Time{} : Time{times.back().barrier};
  if (isBarrier(node.op))
    time.barrier = latest;
  time.start = time.barrier;
  for (Operation *source : node.sources)
    time.start = std::max(time.start, times[graph.positionOf(source)].end);
  time.end = addBounded(time.start, price.cycles);
  latest = std::max(latest, time.end);
  times.push_back(time);
}

void BlockFuser::addOps() {
  for (const BlockGraph::Node &node : graph.nodes())
    addTime(node, addOp(node.op));
  int64_t deadline = latest;
  for (const BlockGraph::Node &node : llvm::reverse(graph.nodes())) {
    Time &time = times[graph.positionOf(node.op)];
    time.deadline = deadline;
    if (isBarrier(node.op))
      deadline = time.start;
  }
}

SmallVector<unsigned> BlockFuser::producersOf(Operation *op) const {
  SmallVector<std::pair<int64_t, unsigned>> found;
  for (Value read : valuesReadBy(op)) {
    llvm::SmallSetVector<Value, 4> worklist;
    worklist.insert(read);
    for (size_t next = 0; next < worklist.size(); ++next) {
      Operation *behind = worklist[next].getDefiningOp();
      if (!behind || behind->getBlock() != &block)
        continue;
      Count bytes = storageBytes(read.getType());
      if (auto kernel = kernelOf.find(behind); kernel != kernelOf.end())
        found.push_back({succeeded(bytes) ? *bytes : 0, kernel->second});
      else if (isView(behind)) {
        SmallVector<Value> values =
            cast<TransparentOpInterface>(behind).getForwardedValues();
        worklist.insert(values.begin(), values.end());
      }
    }
  }
  llvm::stable_sort(found, [](auto a, auto b) { return a.first > b.first; });
  llvm::SmallSetVector<unsigned, 4> producers;
  for (auto [bytes, kernel] : found)
    producers.insert(kernel);
  return producers.takeVector();
}

/// Walks over all ops that follow these, kernels as a whole. Kernels grow in
/// program order, so an op behind the last of these is in none, and leads to
/// nothing before it.
std::string BlockFuser::findBetween(const Ops &ops) const {
  unsigned last = graph.positionOf(ops.back());
  size_t steps = 0;
  // Each entry is an op, and the one outside by which it was reached.
  SmallVector<std::pair<Operation *, Operation *>> pending;
  llvm::SmallPtrSet<Operation *, 16> seen;
  auto reach = [&](Operation *op, Operation *by) {
    ++steps;
    if ((by || !ops.contains(op)) && graph.positionOf(op) <= last &&
        seen.insert(op).second)
      pending.push_back({op, by ? by : op});
  };
  auto expand = [&](Operation *op, Operation *by) {
    const BlockGraph::Node &node = graph.at(op);
    if (steps + node.users.size() > maxSteps) {
      steps = maxSteps + 1;
      return;
    }
    for (Operation *user : node.users)
      reach(user, by);
    if (node.nextEffect)
      reach(node.nextEffect, by);
  };
  for (Operation *op : ops)
    expand(op, nullptr);
  while (!pending.empty() && steps <= maxSteps) {
    auto [op, by] = pending.pop_back_val();
    if (ops.contains(op))
      return "'" + nameOf(by) + "' runs between them";
    auto kernel = kernelOf.find(op);
    if (kernel == kernelOf.end())
      expand(op, by);
    else
      for (Operation *member : kernels[kernel->second].ops)
        expand(member, by);
  }
  if (steps > maxSteps)
    return "more than " + std::to_string(maxSteps) +
           " uses would have to be followed to see what runs between them";
  return {};
}

FailureOr<Price> BlockFuser::priceOf(const Ops &ops,
                                     std::string &problem) const {
  SmallVector<Value> yielded;
  OwningOpRef<FusedOp> whole = build(ops, yielded);
  FailureOr<Price> price = prices.get(
      cast<WorkloadOpInterface>(whole->getOperation()), Reasons::into(problem));
  StringRef text = problem;
  if (text.consume_front("'llm.fused' op "))
    problem = text.str();
  return price;
}

Time BlockFuser::timeOf(const Ops &ops, Price price) const {
  Time time;
  for (Operation *op : ops) {
    time.barrier = times[graph.positionOf(op)].barrier;
    time.deadline = times[graph.positionOf(op)].deadline;
    for (Operation *source : graph.at(op).sources)
      if (!ops.contains(source))
        time.start = std::max(time.start, times[graph.positionOf(source)].end);
  }
  time.start = std::max(time.start, time.barrier);
  time.end = addBounded(time.start, price.cycles);
  return time;
}

std::string BlockFuser::findDelay(const Ops &ops, Time time) const {
  for (Operation *op : ops)
    for (Operation *user : graph.at(op).users)
      if (!ops.contains(user) && times[graph.positionOf(user)].start < time.end)
        return "'" + nameOf(user) + "' would start later";
  return time.end > time.deadline ? "they would be the last to end" : "";
}

FusedOp BlockFuser::build(const Ops &ops,
                          SmallVectorImpl<Value> &yielded) const {
  SmallVector<Operation *> inside = graph.findViewsInside(ops);
  SmallVector<Location> locs;
  for (Operation *op : ops) {
    inside.push_back(op);
    locs.push_back(op->getLoc());
    auto update = dyn_cast<StateUpdateOpInterface>(op);
    for (Value result : op->getResults()) {
      // The next step needs what a cache or a recurrent layer keeps, though no
      // op of this step reads it.
      bool isState = update && update.getNewState() == result;
      if (isState || graph.isNeededOutside(result, ops))
        yielded.push_back(result);
    }
  }
  graph.sort(inside);

  OpBuilder builder(block.getParentOp()->getContext());
  auto fused = FusedOp::create(builder, builder.getFusedLoc(locs),
                               ValueRange(yielded).getTypes(),
                               joinNames(ops.getArrayRef()));
  builder.createBlock(&fused.getBody());
  IRMapping mapping;
  for (Operation *op : inside) {
    Operation *clone = builder.clone(*op, mapping);
    for (StringRef name : {LlmDialect::tileAttrName, LlmDialect::costAttrName,
                           LlmDialect::slotsAttrName})
      clone->removeDiscardableAttr(name);
  }
  SmallVector<Value> values;
  for (Value value : yielded)
    values.push_back(mapping.lookup(value));
  YieldOp::create(builder, fused.getLoc(), values);
  return fused;
}

void BlockFuser::join(unsigned producer, unsigned consumer) {
  SmallVector<Operation *> sorted(kernels[producer].ops);
  llvm::append_range(sorted, kernels[consumer].ops);
  graph.sort(sorted);
  Ops ops(sorted.begin(), sorted.end());
  Operation *reader = kernels[consumer].ops.back();
  auto miss = [&](const Twine &reason) {
    RemarkLock oneAtATime;
    remark::missed(reader->getLoc(), remarkOptions())
        << remark::reason("'{0}' stays apart from '{1}': {2}", nameOf(reader),
                          nameOf(kernels[producer].ops.back()), reason.str());
  };
  if (ops.size() > maxOps)
    return miss("a kernel has at most " + Twine(maxOps) + " ops");
  std::string problem = findBetween(ops);
  if (!problem.empty())
    return miss(problem);
  FailureOr<Price> price = priceOf(ops, problem);
  if (failed(price))
    return miss(problem);
  Price apart = kernels[producer].price + kernels[consumer].price;
  if (!isAlways && !price->isBelow(apart))
    return miss("as one they take " + Twine(price->cycles) + " cycles and " +
                Twine(price->bytes) + " bytes, apart " + Twine(apart.cycles) +
                " and " + Twine(apart.bytes));
  Time time = timeOf(ops, *price);
  if (!isAlways && prices.hasSeveralEngines())
    if (std::string delay = findDelay(ops, time); !delay.empty())
      return miss(delay + ", where engines work side by side");
  kernels[consumer] = {sorted, *price,
                       kernels[producer].apart + kernels[consumer].apart};
  kernels[producer].ops.clear();
  for (Operation *op : sorted) {
    kernelOf[op] = consumer;
    times[graph.positionOf(op)] = time;
  }
}

/// Replaces the ops by a kernel. `run` must restore the order of the block.
void BlockFuser::materialize(const Kernel &kernel) {
  Ops ops(kernel.ops.begin(), kernel.ops.end());
  SmallVector<Value> yielded;
  FusedOp fused = build(ops, yielded);
  block.getOperations().insert(kernel.ops.back()->getIterator(), fused);
  for (auto [value, result] : llvm::zip_equal(yielded, fused.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      return user != fused && !ops.contains(user);
    });
  SmallVector<Operation *> dead(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Operation *view : graph.at(op).views)
      if (!erased.contains(view) && !llvm::is_contained(dead, view))
        dead.push_back(view);
  graph.sort(dead);
  for (Operation *op : llvm::reverse(dead))
    if (ops.contains(op) || op->use_empty()) {
      graph.replace(op, fused);
      erased.insert(op);
      op->erase();
    }
  RemarkLock oneAtATime;
  remark::passed(fused.getLoc(), remarkOptions()) << remark::reason(
      "{0} ops are now '{1}': {2} bytes and {3} cycles fewer",
      kernel.ops.size(), nameOf(fused), kernel.apart.bytes - kernel.price.bytes,
      kernel.apart.cycles - kernel.price.cycles);
}

bool BlockFuser::run() {
  addOps();
  SmallVector<Operation *> order;
  for (const Kernel &kernel : kernels)
    order.push_back(kernel.ops.front());
  for (Operation *op : order)
    for (unsigned producer : producersOf(op)) {
      // Either kernel may have been joined with others meanwhile.
      unsigned consumer = kernelOf.lookup(op);
      if (!kernels[producer].ops.empty() && producer != consumer)
        join(producer, consumer);
    }
  llvm::erase_if(kernels,
                 [](const Kernel &kernel) { return kernel.ops.size() < 2; });
  llvm::sort(kernels, [&](const Kernel &a, const Kernel &b) {
    return graph.positionOf(a.ops.back()) < graph.positionOf(b.ops.back());
  });
  for (const Kernel &kernel : kernels)
    materialize(kernel);
  // A kernel stands where its last op was, so ops that need an earlier one of
  // its values must move behind it.
  if (!kernels.empty())
    graph.restoreOrder();
  return !kernels.empty();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LlmFusePass : ProgramPass<llm::impl::LlmFusePassBase<LlmFusePass>> {
  using ProgramPass::ProgramPass;

  ::llvm::cl::Option *getAnyOption() override { return &when; }

  void runOnOperation() override {
    FailureOr<Target> target = getOrWriteTarget(*this, getOperation());
    if (failed(target))
      return signalPassFailure();
    Prices prices(*target);
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<WorkloadOpInterface>(op))
        return WalkResult::skip();
      if (!isa<ModuleOp>(op))
        for (Region &region : op->getRegions())
          if (!mayBeGraphRegion(region))
            for (Block &block : region)
              blocks.push_back(&block);
      return WalkResult::advance();
    });
    bool isChanged = false;
    for (Block *block : blocks)
      isChanged |= BlockFuser(*block, prices, when == FusionRule::Legal).run();
    if (isChanged)
      dropSchedules(getOperation());
  }
};
} // namespace
