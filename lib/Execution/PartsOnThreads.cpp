//===- PartsOnThreads.cpp - Parts run where their slots say ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartsOnThreads.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::llm;

/// Returns the slots that lowering has put into a location, if there are any.
static SlotsAttr findSlots(Location loc) {
  SlotsAttr slots;
  loc->walk([&](Location each) {
    auto fused = dyn_cast<FusedLoc>(each);
    auto facts = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata())
                       : DictionaryAttr();
    slots = facts ? facts.getAs<SlotsAttr>(LlmDialect::slotsAttrName) : nullptr;
    return slots ? WalkResult::interrupt() : WalkResult::advance();
  });
  return slots;
}

/// Returns the iterations of each dimension; nothing if one is open.
static std::optional<SmallVector<int64_t>> countTrips(scf::ForallOp loop) {
  SmallVector<int64_t> trips;
  for (auto [begin, end, step] :
       llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                       loop.getMixedStep())) {
    std::optional<int64_t> from = getConstantIntValue(begin),
                           to = getConstantIntValue(end),
                           by = getConstantIntValue(step);
    if (!from || !to || !by)
      return std::nullopt;
    trips.push_back(llvm::divideCeil(*to - *from, *by));
  }
  return trips;
}

/// Returns the engine of each part; nothing if there are no slots of so many
/// parts.
static std::optional<SmallVector<int64_t>> findEngines(scf::ForallOp loop,
                                                       int64_t parts) {
  SlotsAttr slots = findSlots(loop.getLoc());
  if (!slots || !slots.areOfParts(parts))
    return std::nullopt;
  SmallVector<int64_t> engines(parts);
  for (SlotRunAttr run : slots.getRuns())
    for (int64_t i = 0; i < run.getCount(); ++i)
      engines[run.getPart() + i * run.getPartStride()] =
          run.getIndex() + i * run.getIndexStride();
  return engines;
}

namespace {
struct PartsOnThreads : PassWrapper<PartsOnThreads, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartsOnThreads)

  explicit PartsOnThreads(unsigned threads) : threads(threads) {}

  StringRef getArgument() const override { return "llm-parts-on-threads"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    SymbolTable symbols(getOperation());
    for (scf::ForallOp loop : loops)
      if (!placeParts(loop, symbols, rewriter) &&
          failed(scf::forallToParallelLoop(rewriter, loop)))
        return signalPassFailure();
  }

private:
  bool placeParts(scf::ForallOp loop, SymbolTable &symbols,
                  RewriterBase &rewriter) const;
  memref::GlobalOp makeTable(ArrayRef<int64_t> engines, Location loc,
                             SymbolTable &symbols) const;

  unsigned threads;
};
} // namespace

/// Makes a table with the thread of each part.
memref::GlobalOp PartsOnThreads::makeTable(ArrayRef<int64_t> engines,
                                           Location loc,
                                           SymbolTable &symbols) const {
  SmallVector<int64_t> numbers;
  for (int64_t engine : engines)
    numbers.push_back(engine % threads);
  OpBuilder builder(loc.getContext());
  auto type = MemRefType::get(numbers.size(), builder.getIndexType());
  auto table = memref::GlobalOp::create(
      builder, loc, "threads_of_parts", builder.getStringAttr("private"), type,
      builder.getIndexTensorAttr(numbers), /*constant=*/true,
      /*alignment=*/IntegerAttr());
  symbols.insert(table);
  return table;
}

/// Runs parts on the threads of their engines. Returns false if the engines are
/// not known.
bool PartsOnThreads::placeParts(scf::ForallOp loop, SymbolTable &symbols,
                                RewriterBase &rewriter) const {
  std::optional<SmallVector<int64_t>> trips = countTrips(loop);
  if (!trips || loop.getNumResults())
    return false;
  int64_t parts = llvm::product_of(*trips);
  std::optional<SmallVector<int64_t>> engines = findEngines(loop, parts);
  if (!engines)
    return false;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  memref::GlobalOp table = makeTable(*engines, loc, symbols);
  Value threadOf = memref::GetGlobalOp::create(rewriter, loc, table.getType(),
                                               table.getSymName());
  Value zero = constant(0), one = constant(1);
  auto team =
      scf::ParallelOp::create(rewriter, loc, zero, constant(threads), one);
  rewriter.setInsertionPointToStart(team.getBody());
  auto all = scf::ForOp::create(rewriter, loc, zero, constant(parts), one);
  rewriter.setInsertionPointToStart(all.getBody());
  Value part = all.getInductionVar();
  Value thread = memref::LoadOp::create(rewriter, loc, threadOf, part);
  Value isOwn = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                      thread, team.getInductionVars()[0]);
  auto own = scf::IfOp::create(rewriter, loc, isOwn);
  rewriter.setInsertionPoint(own.thenYield());
  auto places =
      affine::AffineDelinearizeIndexOp::create(rewriter, loc, part, *trips);
  SmallVector<Value> indices;
  for (auto [place, begin, step] :
       llvm::zip_equal(places.getResults(), loop.getMixedLowerBound(),
                       loop.getMixedStep())) {
    Value offset = arith::MulIOp::create(rewriter, loc, place,
                                         constant(*getConstantIntValue(step)));
    indices.push_back(arith::AddIOp::create(
        rewriter, loc, offset, constant(*getConstantIntValue(begin))));
  }
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), own.thenYield(), indices);
  rewriter.eraseOp(loop);
  return true;
}

std::unique_ptr<Pass> mlir::llm::createPartsOnThreadsPass(unsigned threads) {
  return std::make_unique<PartsOnThreads>(threads);
}
