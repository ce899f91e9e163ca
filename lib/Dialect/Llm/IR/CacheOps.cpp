//===- CacheOps.cpp - KV caches -------------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"
#include "OpChecks.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// kv_read
//===----------------------------------------------------------------------===//

/// kv_read-C1: there are rows of each sequence, and they lie in the cache.
static LogicalResult verifyRows(std::optional<Location> loc, StringRef opName,
                                int64_t begin, int64_t end, int64_t capacity) {
  bool isOpen = ShapedType::isDynamic(begin) || ShapedType::isDynamic(end);
  if ((isOpen || begin < end) &&
      (ShapedType::isDynamic(end) || ShapedType::isDynamic(capacity) ||
       end <= capacity))
    return success();
  return fail(loc, opName, "rows ", begin, " to ", end,
              " must be a non-empty range within the capacity ", capacity);
}

LogicalResult KvReadOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &resultTypes) {
  auto cache = cast<KvCacheType>(adaptor.getCache().getType());
  ArrayRef<int64_t> begins = adaptor.getBegin(), ends = adaptor.getEnd();
  if (begins.size() != ends.size()) // kv_read-C2
    return fail(loc, getOperationName(), "has ", begins.size(), " and ",
                ends.size(), " positions for ", cache.getBatch(), " sequences");
  if (failed(verifyPositions(loc, getOperationName(), begins,
                             adaptor.getDynamicBegin(), cache.getBatch())) ||
      failed(verifyPositions(loc, getOperationName(), ends,
                             adaptor.getDynamicEnd(), cache.getBatch())))
    return failure(); // kv_read-C2
  int64_t longest = 0;
  for (auto [begin, end] : llvm::zip_equal(begins, ends)) {
    if (failed(verifyRows(loc, getOperationName(), begin, end,
                          cache.getCapacity()))) // kv_read-C1
      return failure();
    bool isOpen = ShapedType::isDynamic(begin) || ShapedType::isDynamic(end) ||
                  ShapedType::isDynamic(longest);
    longest = isOpen ? ShapedType::kDynamic : std::max(longest, end - begin);
  }
  auto type = RankedTensorType::get(
      {cache.getBatch(), longest, cache.getKvHeads(), cache.getHeadDim()},
      cache.getElementType());
  resultTypes.append(cache.getVectors(), type);
  return success();
}

SourceKind KvCacheOp::getSourceKind() { return SourceKind::Cache; }

SourceKind KvReadOp::getSourceKind() { return SourceKind::Cache; }

/// Whether some rows that a read shows are among those of a write of `seq`
/// rows, and whether all are, in all sequences. If chips share positions, a row
/// that is read stands for one position of each chip.
static std::pair<bool, bool> compareRows(KvReadOp read, KvWriteOp write,
                                         int64_t seq) {
  bool meets = false, covers = true;
  int64_t owners = write.countOwners();
  ArrayRef<int64_t> begins = read.getBegin(), ends = read.getEnd(),
                    firsts = write.getBegin();
  for (size_t i = 0; i < std::max(begins.size(), firsts.size()); ++i) {
    int64_t begin = numberOf(begins, i), end = numberOf(ends, i),
            first = numberOf(firsts, i);
    // A write to unknown rows may meet these rows, but need not cover them.
    bool isOpen = ShapedType::isDynamic(begin) || ShapedType::isDynamic(end) ||
                  ShapedType::isDynamic(first);
    if (!isOpen) {
      begin *= owners;
      end *= owners;
    }
    bool isStatic = !isOpen && !ShapedType::isDynamic(seq);
    meets |= isOpen || (first < end && (!isStatic || begin < first + seq));
    covers &= isStatic && first <= begin && end <= first + seq;
  }
  return {meets, covers};
}

/// Returns the write that gives this state, alone or as a part of a kernel.
static KvWriteOp writeOf(Value state) {
  if (auto fused = state.getDefiningOp<FusedOp>())
    state = fused.getYielded(cast<OpResult>(state));
  return state.getDefiningOp<KvWriteOp>();
}

/// Walks back from the newest write to the first one that covers all rows of
/// this read. A write to other rows leaves these as they were.
SmallVector<Value> KvReadOp::getDependences() {
  SmallVector<Value> dependences;
  Value state = getCache();
  while (KvWriteOp write = writeOf(state)) {
    int64_t seq = tensorType(write.getKeys()).getDimSize(1);
    auto [meets, covers] = compareRows(*this, write, seq);
    if (meets)
      dependences.push_back(state);
    if (covers)
      return dependences;
    state = write.getCache();
  }
  dependences.push_back(state);
  return dependences;
}

/// Counts bytes. The rows of a shorter sequence end before those of the tensor.
Count KvReadOp::countShownBytes() {
  KvCacheType cache = getCache().getType();
  if (!cache.hasStaticShape() || !getDynamicBegin().empty() ||
      !getDynamicEnd().empty())
    return failure();
  Count rows = int64_t(0);
  for (auto [begin, end] : llvm::zip_equal(getBegin(), getEnd()))
    rows = plus(rows, end - begin);
  rows = times(rows, getBegin().size() == 1 ? cache.getBatch() : 1);
  if (failed(rows))
    return failure();
  return times(storageBytes(cache.getElementType(),
                            {*rows, cache.getKvHeads(), cache.getHeadDim()}),
               cache.getVectors());
}

//===----------------------------------------------------------------------===//
// kv_write
//===----------------------------------------------------------------------===//

/// kv_write-C1: keys and values have one type, or there are only keys.
static LogicalResult verifyVectors(std::optional<Location> loc,
                                   StringRef opName, KvCacheType cache,
                                   Value keys, Value values) {
  if (cache.getIsLatent() == bool(values))
    return fail(loc, opName, "writes keys ",
                values ? "and values" : "without values", " into a cache of ",
                values ? "latents, which has none" : "both");
  if (values && keys.getType() != values.getType())
    return fail(loc, opName, "keys and values must have one type, got ",
                keys.getType(), " and ", values.getType());
  return success();
}

/// kv_write-C3: all rows have a place.
static LogicalResult verifyCapacity(std::optional<Location> loc,
                                    ArrayRef<int64_t> begins, int64_t seq,
                                    int64_t capacity) {
  for (int64_t begin : begins)
    if (!ShapedType::isDynamic(begin) && !ShapedType::isDynamic(capacity) &&
        (begin > capacity ||
         (!ShapedType::isDynamic(seq) && seq > capacity - begin)))
      return fail(loc, KvWriteOp::getOperationName(), "positions from ", begin,
                  " on, ", seq, " of them, must lie within the capacity ",
                  capacity);
  return success();
}

LogicalResult KvWriteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &resultTypes) {
  if (failed(verifyRanks(loc, getOperationName(),
                         {{adaptor.getKeys(), 4}, {adaptor.getValues(), 4}})))
    return failure();
  auto cache = cast<KvCacheType>(adaptor.getCache().getType());
  RankedTensorType keys = tensorType(adaptor.getKeys());
  if (failed(verifyVectors(loc, getOperationName(), cache, adaptor.getKeys(),
                           adaptor.getValues())))
    return failure();
  if (!agree(keys.getDimSize(0), cache.getBatch()) ||
      !agree(keys.getDimSize(2), cache.getKvHeads()) ||
      !agree(keys.getDimSize(3), cache.getHeadDim())) // kv_write-C2
    return fail(loc, getOperationName(), "keys ", keys,
                " must be [batch, seq, kv_heads, head_dim] of the cache ",
                cache);
  resultTypes.push_back(cache);
  if (failed(verifyPositions(loc, getOperationName(), adaptor.getBegin(),
                             adaptor.getDynamicBegin(),
                             cache.getBatch()))) // kv_write-C4
    return failure();
  return adaptor.getOwn() ? success() // the capacities of chips: see verify
                          : verifyCapacity(loc, adaptor.getBegin(),
                                           keys.getDimSize(1),
                                           cache.getCapacity());
}

LogicalResult KvWriteOp::verify() {
  if (!getOwn())
    return success();
  FailureOr<int64_t> chips = // kv_write-C5
      verifyAxes(*this, *getOwn(),
                 {"shares positions", "to share positions over"});
  if (failed(chips))
    return failure();
  int64_t seq = tensorType(getKeys()).getDimSize(1),
          capacity = getCache().getType().getCapacity();
  bool isOpen = !getDynamicBegin().empty() || ShapedType::isDynamic(seq) ||
                ShapedType::isDynamic(capacity);
  bool isShared = !isOpen && seq % *chips == 0 &&
                  llvm::all_of(getBegin(), [&](int64_t begin) {
                    return begin % *chips == 0;
                  });
  if (isOpen || (seq != 1 && !isShared)) // kv_write-C6
    return emitOpError() << "writes rows of which " << *chips
                         << " chips do not have as many: expected one, or a "
                            "multiple of "
                         << *chips << " from such a position on";
  return verifyCapacity(getLoc(), getBegin(), seq,
                        checkedMul(capacity, *chips).value_or(capacity));
}

int64_t KvWriteOp::countOwners() {
  GridAttr grid = getOwn() ? GridAttr::ofModule(*this) : GridAttr();
  return grid ? grid.countChips(*getOwn()) : 1;
}

int64_t KvWriteOp::countOwnRows() {
  return llvm::divideCeil(tensorType(getKeys()).getDimSize(1), countOwners());
}

FailureOr<Workload> KvWriteOp::getWorkload(EmitError emitError) {
  if (failed(requireStaticShapes(*this, emitError)))
    return failure();
  Workload workload;
  SmallVector<StringRef> loops = {"b", "s", "h", "d"};
  for (auto [name, size] : llvm::zip(loops, tensorType(getKeys()).getShape()))
    workload.loops.push_back({name.str(), IteratorType::parallel, size});
  workload.loops[1].extent = countOwnRows();
  Type stored = getCache().getType().getElementType();
  workload.addBuffer(Buffer::Role::Read, "keys", getKeys(), loops);
  if (Value values = getValues())
    workload.addBuffer(Buffer::Role::Read, "values", values, loops);
  // The write changes as many rows of the cache as it is given, in its element
  // type.
  workload.addBuffer(Buffer::Role::Write, "cached_keys", getKeys(), stored,
                     loops);
  if (Value values = getValues())
    workload.addBuffer(Buffer::Role::Write, "cached_values", values, stored,
                       loops);
  workload.addStage("copy", EngineKind::Vector, loops, {});
  return workload;
}

Value KvWriteOp::getOldState() { return getCache(); }

Value KvWriteOp::getNewState() { return getResult(); }

Count KvWriteOp::countValidElements() {
  KvCacheType cache = getCache().getType();
  int64_t seq = tensorType(getKeys()).getDimSize(1);
  if (ShapedType::isDynamic(seq) || !cache.hasStaticShape() ||
      !getDynamicBegin().empty())
    return failure();
  int64_t owners = countOwners();
  Count rows = int64_t(0);
  for (int64_t begin : getBegin())
    rows = plus(rows, llvm::divideCeil(begin + seq, owners));
  rows = times(rows, getBegin().size() == 1 ? cache.getBatch() : 1);
  for (int64_t size :
       {cache.getVectors(), cache.getKvHeads(), cache.getHeadDim()})
    rows = times(rows, size);
  return rows;
}

Count KvWriteOp::countWrittenBytes() {
  RankedTensorType keys = tensorType(getKeys());
  if (!keys.hasStaticShape())
    return failure();
  KvCacheType cache = getCache().getType();
  SmallVector<int64_t> written(keys.getShape());
  written[1] = countOwnRows();
  return times(storageBytes(cache.getElementType(), written),
               cache.getVectors());
}
