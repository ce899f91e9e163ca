//===- Fuse.cpp - Ops that run as one kernel ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grows kernels in program order: each op is joined with the kernels whose
// values it reads, as long as the workload of all of them together exists and,
// on the target, takes less time. No op is known by name.
//
//===----------------------------------------------------------------------===//

#include "ModuleTarget.h"
#include "llm/Analysis/TileSearch.h"
#include "llm/Interfaces/Composition.h"
#include "llm/Interfaces/ExternalModels.h"
#include "llm/Transforms/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMFUSEPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// A kernel is not grown beyond this, so that the time of the pass is linear in
/// the number of ops.
static constexpr size_t maxOps = 16;

//===----------------------------------------------------------------------===//
// What a kernel costs
//===----------------------------------------------------------------------===//

namespace {
struct Price {
  int64_t cycles = 0, bytes = 0;
  /// Fewer bytes, which all engines share, in no more time of one of them.
  bool isBelow(const Price &other) const {
    return bytes < other.bytes && cycles <= other.cycles;
  }
  Price operator+(const Price &other) const {
    return {cycles + other.cycles, bytes + other.bytes};
  }
};

/// Costs with the best tile; equal ops are searched once.
class Prices {
public:
  explicit Prices(const Target &target) : target(target) {}
  FailureOr<Price> get(WorkloadOpInterface op);

private:
  const Target &target;
  DenseMap<StringAttr, Price> known;
};
} // namespace

FailureOr<Price> Prices::get(WorkloadOpInterface op) {
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target);
  if (failed(context))
    return failure();
  StringAttr stamp = computeStamp(
      *context, TileAttr::get(op->getContext(), TileStrategy::Search, {}, {}));
  if (auto found = known.find(stamp); found != known.end())
    return found->second;
  FailureOr<TileAttr> tile = searchTile(*context);
  if (failed(tile))
    return failure();
  FailureOr<CostAttr> cost = computeCost(*context, *tile);
  if (failed(cost))
    return failure();
  PartCostAttr part = cost->getParts().front();
  Price price{part.getCycles(), part.getBytes(target.dram().name)};
  known[stamp] = price;
  return price;
}

//===----------------------------------------------------------------------===//
// Values between ops
//===----------------------------------------------------------------------===//

static bool isView(Operation *op) {
  return isa<TransparentOpInterface, SourceOpInterface>(op);
}

namespace {
/// The ops of a block that need a value, and the views through which they see
/// it.
struct Users {
  llvm::SmallSetVector<Operation *, 8> ops, views;
};
} // namespace

static Users usersOf(ValueRange values, Block &block) {
  Users users;
  SmallVector<Value> pending(values);
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!inBlock || !isView(inBlock))
        users.ops.insert(inBlock ? inBlock : user);
      else if (users.views.insert(inBlock))
        llvm::append_range(pending, inBlock->getResults());
    }
  return users;
}

/// Operands, and what regions of the op read of the values around it.
static SetVector<Value> valuesReadBy(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

static std::string nameOf(Operation *op) {
  auto work = dyn_cast<WorkloadOpInterface>(op);
  StringRef name = work ? work.getWorkloadName() : "";
  return name.empty() ? op->getName().getStringRef().str() : name.str();
}

/// "layers.0.mlp.down_proj" and "layers.0.mlp_residual" as
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
    // "layers." alone says little: the name of another layer stays whole.
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

class BlockFuser {
public:
  BlockFuser(Block &block, Prices &prices, bool isAlways)
      : block(block), prices(prices), isAlways(isAlways) {}
  /// Whether any ops were joined.
  bool run();

private:
  void addOps();
  /// The kernels whose values an op reads, those with most bytes first.
  SmallVector<unsigned> producersOf(Operation *op) const;
  void join(unsigned producer, unsigned consumer);
  /// An op outside that needs a value of `ops` and that one of them needs, so
  /// that they cannot run as one; null if there is none.
  Operation *findBetween(const llvm::SetVector<Operation *> &ops) const;
  /// The first place from `position` on that no kernel spans: what comes behind
  /// it is needed by nothing before it.
  unsigned findBoundary(unsigned position) const;
  /// Notes that a kernel spans its ops, or no longer does.
  void span(const Kernel &kernel, int count);
  /// A copy of the ops as a kernel, before the last of them. `yielded`: what it
  /// hands on, in the order of its results.
  FusedOp build(const llvm::SetVector<Operation *> &ops,
                SmallVectorImpl<Value> &yielded) const;
  void materialize(const Kernel &kernel);
  void sort(SmallVectorImpl<Operation *> &ops) const {
    llvm::sort(ops, [&](Operation *a, Operation *b) {
      return positions.lookup(a) < positions.lookup(b);
    });
  }

  Block &block;
  Prices &prices;
  bool isAlways;
  DenseMap<Operation *, unsigned> positions;
  /// How many kernels have ops both before and behind a position.
  std::vector<int> spanning;
  DenseMap<Operation *, Users> users; ///< of all results of an op
  /// Views that were erased with the kernel that they belonged to.
  llvm::SmallPtrSet<Operation *, 8> erased;
  std::vector<Kernel> kernels; ///< one that was joined to another one is empty
  DenseMap<Operation *, unsigned> kernelOf;
};
} // namespace

static remark::RemarkOpts remarkOptions() {
  return remark::RemarkOpts::name("fuse").category("llm-fuse");
}

void BlockFuser::addOps() {
  // An op without a workload or a tile stays as it is; llm-tile says why.
  ScopedDiagnosticHandler quiet(block.getParentOp()->getContext(),
                                [](Diagnostic &) { return success(); });
  for (auto [position, op] : llvm::enumerate(block)) {
    positions[&op] = position;
    users[&op] = usersOf(op.getResults(), block);
    spanning.push_back(0);
    auto work = dyn_cast<WorkloadOpInterface>(op);
    if (!work)
      continue;
    FailureOr<Workload> workload =
        work.getWorkload([&] { return op.emitOpError(); });
    if (failed(workload) || workload->composition)
      continue;
    FailureOr<Price> price = prices.get(work);
    if (failed(price))
      continue;
    kernelOf[&op] = kernels.size();
    kernels.push_back({{&op}, *price, *price});
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
      else if (auto view = dyn_cast<TransparentOpInterface>(behind)) {
        SmallVector<Value> values = view.getForwardedValues();
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

void BlockFuser::span(const Kernel &kernel, int count) {
  for (unsigned position = positions.lookup(kernel.ops.front());
       position < positions.lookup(kernel.ops.back()); ++position)
    spanning[position] += count;
}

unsigned BlockFuser::findBoundary(unsigned position) const {
  while (spanning[position] > 0)
    ++position;
  return position;
}

/// Walks over all that depends on the ops, kernels as a whole.
Operation *
BlockFuser::findBetween(const llvm::SetVector<Operation *> &ops) const {
  // Each op with the one outside by which it was reached.
  SmallVector<std::pair<Operation *, Operation *>> pending;
  llvm::SmallPtrSet<Operation *, 16> seen;
  unsigned boundary = findBoundary(positions.lookup(ops.back()));
  auto expand = [&](Operation *op, Operation *by) {
    for (Operation *user : users.find(op)->second.ops)
      if ((by || !ops.contains(user)) && positions.lookup(user) <= boundary &&
          seen.insert(user).second)
        pending.push_back({user, by ? by : user});
  };
  for (Operation *op : ops)
    expand(op, nullptr);
  while (!pending.empty()) {
    auto [op, by] = pending.pop_back_val();
    if (ops.contains(op))
      return by;
    auto kernel = kernelOf.find(op);
    if (kernel == kernelOf.end())
      expand(op, by);
    else
      for (Operation *member : kernels[kernel->second].ops)
        expand(member, by);
  }
  return nullptr;
}

FusedOp BlockFuser::build(const llvm::SetVector<Operation *> &ops,
                          SmallVectorImpl<Value> &yielded) const {
  SmallVector<Operation *> inside(ops.begin(), ops.end());
  llvm::SmallSetVector<Operation *, 8> views;
  SmallVector<Location> locs;
  for (Operation *op : ops) {
    locs.push_back(op->getLoc());
    for (Value result : op->getResults())
      if (llvm::any_of(usersOf(result, block).ops,
                       [&](Operation *user) { return !ops.contains(user); }))
        yielded.push_back(result);
    for (Operation *view : users.find(op)->second.views)
      if (!erased.contains(view) && isa<TransparentOpInterface>(view) &&
          positions.lookup(view) < positions.lookup(ops.back()))
        views.insert(view);
  }
  inside.append(views.begin(), views.end());
  sort(inside);

  OpBuilder builder(ops.back());
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
  // Views of what is inside for users outside only.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(fused.getBody().front())))
    if (isView(&op) && op.use_empty())
      op.erase();
  return fused;
}

void BlockFuser::join(unsigned producer, unsigned consumer) {
  SmallVector<Operation *> sorted(kernels[producer].ops);
  llvm::append_range(sorted, kernels[consumer].ops);
  sort(sorted);
  llvm::SetVector<Operation *> ops(sorted.begin(), sorted.end());
  Operation *reader = kernels[consumer].ops.back();
  auto miss = [&](const Twine &reason) {
    remark::missed(reader->getLoc(), remarkOptions())
        << remark::reason("'{0}' stays apart from '{1}': {2}", nameOf(reader),
                          nameOf(kernels[producer].ops.back()), reason.str());
  };
  if (ops.size() > maxOps)
    return miss("a kernel has at most " + Twine(maxOps) + " ops");
  if (Operation *between = findBetween(ops))
    return miss("'" + nameOf(between) + "' runs between them");

  Price apart = kernels[producer].price + kernels[consumer].price;
  std::string problem;
  FailureOr<Price> price = failure();
  {
    ScopedDiagnosticHandler handler(
        reader->getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            problem = diagnostic.str();
          return success();
        });
    SmallVector<Value> yielded;
    FusedOp whole = build(ops, yielded);
    price = prices.get(cast<WorkloadOpInterface>(whole.getOperation()));
    whole.erase();
  }
  if (failed(price)) {
    StringRef text = problem;
    text.consume_front("'llm.fused' op ");
    return miss(text);
  }
  if (!isAlways && !price->isBelow(apart))
    return miss("as one they take " + Twine(price->cycles) + " cycles and " +
                Twine(price->bytes) + " bytes, apart " + Twine(apart.cycles) +
                " and " + Twine(apart.bytes));
  span(kernels[producer], -1);
  span(kernels[consumer], -1);
  kernels[consumer] = {sorted, *price,
                       kernels[producer].apart + kernels[consumer].apart};
  span(kernels[consumer], 1);
  kernels[producer].ops.clear();
  for (Operation *op : sorted)
    kernelOf[op] = consumer;
}

/// The order of the block is for `run` to restore.
void BlockFuser::materialize(const Kernel &kernel) {
  llvm::SetVector<Operation *> ops(kernel.ops.begin(), kernel.ops.end());
  SmallVector<Value> yielded;
  FusedOp fused = build(ops, yielded);
  for (auto [value, result] : llvm::zip_equal(yielded, fused.getResults()))
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      return user != fused && !ops.contains(user);
    });
  SmallVector<Operation *> dead(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Operation *view : users.find(op)->second.views)
      if (!erased.contains(view) && !llvm::is_contained(dead, view))
        dead.push_back(view);
  sort(dead);
  for (Operation *op : llvm::reverse(dead))
    if (ops.contains(op) || op->use_empty()) {
      erased.insert(op);
      op->erase();
    }
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
      // Either may have been joined with others meanwhile.
      unsigned consumer = kernelOf.lookup(op);
      if (!kernels[producer].ops.empty() && producer != consumer)
        join(producer, consumer);
    }
  llvm::erase_if(kernels,
                 [](const Kernel &kernel) { return kernel.ops.size() < 2; });
  llvm::sort(kernels, [&](const Kernel &a, const Kernel &b) {
    return positions.lookup(a.ops.back()) < positions.lookup(b.ops.back());
  });
  for (const Kernel &kernel : kernels)
    materialize(kernel);
  // A kernel stands where its last op was; what needs an earlier one follows.
  if (!kernels.empty())
    sortTopologically(&block);
  return !kernels.empty();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LlmFusePass : WorkloadPass<llm::impl::LlmFusePassBase<LlmFusePass>> {
  using WorkloadPass::WorkloadPass;

  void runOnOperation() override {
    if (when != "cheaper" && when != "legal") {
      emitPassError(*this, getOperation())
          << "option 'when' must be 'cheaper' or 'legal', got '"
          << when.getValue() << "'";
      return signalPassFailure();
    }
    FailureOr<Target> target = getOrWriteTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    Prices prices(*target);
    SmallVector<Block *> blocks;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<WorkloadOpInterface>(op))
        return WalkResult::skip();
      if (!isa<ModuleOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
      return WalkResult::advance();
    });
    bool isChanged = false;
    for (Block *block : blocks)
      isChanged |= BlockFuser(*block, prices, when == "legal").run();
    if (isChanged)
      dropSchedules(getOperation());
  }
};
} // namespace
