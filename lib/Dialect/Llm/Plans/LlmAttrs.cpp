//===- LlmAttrs.cpp - Attributes: syntax and verification -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

std::string mlir::llm::printOnOneLine(Attribute attribute) {
  std::string lines;
  llvm::raw_string_ostream(lines) << attribute;
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] != '\n') {
      text += lines[i];
      continue;
    }
    size_t next = std::min(lines.find_first_not_of(' ', i + 1), lines.size());
    // Brackets have no blank inside them.
    bool isInside = StringRef("[<").contains(text.back()) ||
                    StringRef("]>").contains(StringRef(lines).substr(next, 1));
    if (!isInside)
      text += ' ';
    i = next - 1;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Amounts: {k = 512, m = 1}
//===----------------------------------------------------------------------===//

int64_t mlir::llm::getAmount(DictionaryAttr amounts, StringRef name) {
  auto value = amounts ? amounts.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : 0;
}

DictionaryAttr
mlir::llm::getAmounts(MLIRContext *context,
                      ArrayRef<std::pair<StringRef, int64_t>> namesAndAmounts) {
  Builder builder(context);
  NamedAttrList list;
  for (auto [name, amount] : namesAndAmounts)
    list.set(name, builder.getI64IntegerAttr(amount));
  return list.getDictionary(context);
}

#include "llm/Dialect/Llm/IR/LlmEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "llm/Dialect/Llm/IR/LlmAttrs.cpp.inc"

void LlmDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "llm/Dialect/Llm/IR/LlmAttrs.cpp.inc"
      >();
}

void PlansDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "llm/Dialect/Llm/IR/LlmAttrs.cpp.inc"
      >();
}

Attribute PlansDialect::parseAttribute(DialectAsmParser &parser,
                                       Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  if (generatedAttributeParser(parser, &mnemonic, type, attribute).has_value())
    return attribute;
  parser.emitError(loc) << "unknown attribute '" << mnemonic << "' in dialect '"
                        << getNamespace() << "'";
  return {};
}

void PlansDialect::printAttribute(Attribute attribute,
                                  DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Every value of `amounts` is a whole number in [least, maxCount].
static LogicalResult verifyAmounts(EmitError emitError, StringRef what,
                                   DictionaryAttr amounts, int64_t least) {
  if (!amounts)
    return success();
  for (NamedAttribute entry : amounts) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getType().isSignlessInteger(64))
      return emitError() << what << " '" << entry.getName().getValue()
                         << "' must be a 64-bit integer";
    if (value.getInt() < least || value.getInt() > maxCount)
      return emitError() << what << " '" << entry.getName().getValue()
                         << "' must be in [" << least << ", 2^61), got "
                         << value.getInt();
  }
  return success();
}

static LogicalResult
verifyRange(EmitError emitError, int64_t least,
            ArrayRef<std::pair<StringRef, int64_t>> namesAndValues) {
  for (auto [name, value] : namesAndValues)
    if (value < least || value > maxCount)
      return emitError() << "'" << name << "' must be in [" << least
                         << ", 2^61), got " << value;
  return success();
}

LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               MaskKind kind, int64_t window, int64_t chunk,
                               ArrayRef<int64_t> firstKeys,
                               ArrayRef<int64_t> lengths, int64_t stride) {
  if (failed(verifyRange(emitError, 0,
                         {{"window", window}, {"chunk", chunk}}))) // mask-C1
    return failure();
  for (int64_t firstKey : firstKeys)
    if (failed(verifyRange(emitError, 0, {{"from", firstKey}}))) // mask-C1
      return failure();
  for (int64_t length : lengths)
    if (failed(verifyRange(emitError, 1, {{"length", length}}))) // mask-C5
      return failure();
  if (failed(verifyRange(emitError, 1, {{"stride", stride}}))) // mask-C7
    return failure();
  if (stride > 1 && (kind != MaskKind::Causal || window || chunk ||
                     lengths.empty())) // mask-C8
    return emitError()
           << "a stride needs a causal mask with lengths, which say "
              "where queries stand, and no window and no chunk";
  if (kind != MaskKind::Causal && (window || chunk)) // mask-C2
    return emitError() << "a window or a chunk needs a causal mask";
  if (window && chunk) // mask-C3
    return emitError() << "a mask has a window or a chunk, not both";
  if (!chunk && llvm::any_of(firstKeys, [](int64_t k) { return k != 0; }))
    return emitError() // mask-C4
           << "the position of the first key matters to a chunk only";
  if (firstKeys.size() > 1 && firstKeys.size() != lengths.size()) // mask-C6
    return emitError() << "a mask has " << firstKeys.size()
                       << " positions of first keys for " << lengths.size()
                       << " sequences with a length";
  return success();
}

LogicalResult ScalesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> block, Type type) {
  if (block.empty()) // block_scaled-C1
    return emitError() << "a block needs at least one dimension";
  for (int64_t size : block)
    if (size != wholeDimension && (size < 1 || size > maxCount))
      return emitError() // block_scaled-C2
             << "a block is 1 or more in each dimension, or '?', got " << size;
  if (!type.isSignlessIntOrFloat() ||
      type.getIntOrFloatBitWidth() == 0) // block_scaled-C3
    return emitError() << "a scale is a float or a signless integer, got "
                       << type;
  return success();
}

LogicalResult
TileLevelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      StringAttr memory, DictionaryAttr sizes,
                      ArrayRef<StringAttr> order, DictionaryAttr buffers,
                      ArrayRef<StringAttr> resident) {
  if (memory.empty()) // tile-C1
    return emitError() << "the memory of a tile needs a name";
  // tile-C2
  if (failed(verifyAmounts(emitError, "tile size", sizes, 1)) ||
      failed(verifyAmounts(emitError, "number of tiles held of", buffers, 1)))
    return failure();
  llvm::SmallDenseSet<StringAttr> ordered; // tile-C3
  for (StringAttr loop : order) {
    if (!sizes.get(loop))
      return emitError() << "order names loop '" << loop.getValue()
                         << "', for which there is no size";
    if (!ordered.insert(loop).second)
      return emitError() << "order names loop '" << loop.getValue()
                         << "' twice";
  }
  // The tile does not say in which order units take their items.
  bool hasNoOrder = memory == "unit" && order.empty();
  if (!hasNoOrder && ordered.size() != sizes.size())
    return emitError() << "order names " << ordered.size() << " of "
                       << sizes.size() << " loops";
  for (StringAttr buffer : resident)
    if (!buffers.get(buffer)) // tile-C4
      return emitError() << "resident buffer '" << buffer.getValue()
                         << "' is not one of the tile's buffers";
  return success();
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               TileStrategy, ArrayRef<TileLevelAttr> levels,
                               DictionaryAttr split) {
  llvm::SmallDenseSet<StringAttr> memories;
  for (TileLevelAttr level : levels)
    if (!memories.insert(level.getMemory()).second) // tile-C5
      return emitError() << "memory '" << level.getMemory().getValue()
                         << "' has two tile levels";
  return verifyAmounts(emitError, "split of", split, 1); // tile-C6
}

static LogicalResult verifyCycles(function_ref<InFlightDiagnostic()> emitError,
                                  DictionaryAttr byMemory,
                                  int64_t memoryCycles) {
  if (!byMemory)
    return success();
  if (failed(verifyAmounts(emitError, "cycles_by_memory", byMemory, 0)))
    return failure();
  int64_t longest = 0;
  for (NamedAttribute entry : byMemory)
    longest = std::max(longest, cast<IntegerAttr>(entry.getValue()).getInt());
  if (longest == memoryCycles) // cost-C7
    return success();
  return emitError() << "memory_cycles must be the longest of "
                        "cycles_by_memory, "
                     << longest << ", got " << memoryCycles;
}

LogicalResult PartCostAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t count, DictionaryAttr work,
                                   DictionaryAttr traffic,
                                   int64_t workingSetBytes,
                                   int64_t overheadCycles, int64_t serialCycles,
                                   int64_t computeCycles, int64_t memoryCycles,
                                   DictionaryAttr cyclesByMemory, CostBound,
                                   int64_t energyPicojoules) {
  // cost-C1 (the count), cost-C2 (the other figures)
  if (failed(verifyRange(emitError, 1, {{"count", count}})) ||
      failed(verifyRange(emitError, 0,
                         {{"working_set_bytes", workingSetBytes},
                          {"overhead_cycles", overheadCycles},
                          {"serial_cycles", serialCycles},
                          {"compute_cycles", computeCycles},
                          {"memory_cycles", memoryCycles},
                          {"energy_picojoules", energyPicojoules}})) ||
      failed(verifyAmounts(emitError, "work", work, 0)) ||
      failed(verifyCycles(emitError, cyclesByMemory, memoryCycles)))
    return failure();
  for (NamedAttribute entry : work)
    if (!parseWorkKind(entry.getName().getValue())) // cost-C3
      return emitError() << "unknown kind of work '"
                         << entry.getName().getValue()
                         << "'; expected mac, alu, special or compare";
  for (NamedAttribute entry : traffic) {
    auto amounts = dyn_cast<DictionaryAttr>(entry.getValue());
    if (!amounts)
      return emitError() << "traffic of '" << entry.getName().getValue()
                         << "' must be a dictionary of bytes per buffer";
    if (failed(verifyAmounts(emitError, "traffic of", amounts, 0))) // cost-C2
      return failure();
    std::optional<int64_t> total = 0;
    for (NamedAttribute buffer : amounts)
      total = total ? checkedAdd(*total,
                                 cast<IntegerAttr>(buffer.getValue()).getInt())
                    : std::nullopt;
    if (!total) // cost-C4
      return emitError() << "the bytes through '" << entry.getName().getValue()
                         << "' are above 2^61 - 1";
  }
  return success();
}

int64_t PartCostAttr::getCycles() const {
  return getOverheadCycles() + getSerialCycles() +
         std::max(getComputeCycles(), getMemoryCycles());
}

int64_t PartCostAttr::getMemoryCycles(StringRef memory) const {
  return getCyclesByMemory() ? getAmount(getCyclesByMemory(), memory) : 0;
}

int64_t PartCostAttr::getBytes(StringRef memory) const {
  auto amounts = getTraffic().getAs<DictionaryAttr>(memory);
  int64_t bytes = 0;
  if (amounts)
    for (NamedAttribute entry : amounts)
      bytes += cast<IntegerAttr>(entry.getValue()).getInt();
  return bytes;
}

int64_t PartCostAttr::getBytes(StringRef memory, StringRef buffer) const {
  return getAmount(getTraffic().getAs<DictionaryAttr>(memory), buffer);
}

int64_t PartCostAttr::getWork(StringRef kind) const {
  return getAmount(getWork(), kind);
}

LogicalResult CostAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr engine, ArrayRef<StringAttr> with,
                               ArrayRef<PartCostAttr> parts, StringAttr) {
  if (parts.empty()) // cost-C5
    return emitError() << "a cost needs at least one record of parts";
  for (auto [index, other] : llvm::enumerate(with)) // cost-C6
    if (other == engine || llvm::is_contained(with.take_front(index), other))
      return emitError() << "names the engines " << other
                         << " twice; expected each group once";
  return success();
}

/// [start, end) is an interval of cycles.
static LogicalResult verifyCycles(EmitError emitError, int64_t start,
                                  int64_t end) {
  if (failed(verifyRange(emitError, 0,
                         {{"start_cycle", start}, {"end_cycle", end}})))
    return failure();
  if (end < start) // slots-C2
    return emitError() << "end_cycle " << end << " is before start_cycle "
                       << start;
  return success();
}

// slots-C1
LogicalResult PrefetchAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringAttr, StringAttr, int64_t index,
                                   int64_t startCycle, int64_t endCycle,
                                   DictionaryAttr lanes) {
  return failure(failed(verifyRange(emitError, 0, {{"engine index", index}})) ||
                 failed(verifyCycles(emitError, startCycle, endCycle)) ||
                 failed(verifyAmounts(emitError, "lanes of", lanes, 0)));
}

LogicalResult SlotRunAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, int64_t part, StringAttr,
    int64_t index, int64_t startCycle, int64_t endCycle, DictionaryAttr lanes,
    int64_t count, int64_t partStride, int64_t indexStride, int64_t startStride,
    ArrayRef<PrefetchAttr> prefetches, DictionaryAttr with) {
  // slots-C1
  if (failed(verifyRange(emitError, 0,
                         {{"part", part},
                          {"engine index", index},
                          {"index_stride", indexStride},
                          {"start_stride", startStride}})) ||
      failed(verifyRange(emitError, 1, {{"count", count}})) ||
      failed(verifyCycles(emitError, startCycle, endCycle)) ||
      failed(verifyAmounts(emitError, "lanes of", lanes, 0)) ||
      failed(verifyAmounts(emitError, "engine of", with, 0)))
    return failure();
  // slots-C3
  if (failed(verifyRange(emitError, 1, {{"part_stride", partStride}})))
    return failure();
  // slots-C4
  if (!checkedMul(count, std::max({partStride, indexStride, startStride})))
    return emitError() << "the strides of " << count
                       << " parts are above 2^61 - 1";
  return success();
}

SmallVector<std::pair<StringRef, int64_t>, 1>
SlotRunAttr::getEnginesBeside(int64_t i) {
  SmallVector<std::pair<StringRef, int64_t>, 1> engines;
  if (DictionaryAttr with = getWith())
    for (NamedAttribute entry : with)
      engines.push_back(
          {entry.getName(), cast<IntegerAttr>(entry.getValue()).getInt() +
                                i * getIndexStride()});
  return engines;
}

LogicalResult SlotsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<SlotRunAttr> runs) {
  if (runs.empty()) // slots-C5
    return emitError() << "slots need at least one run";
  return success();
}

bool SlotsAttr::areOfParts(int64_t parts) const {
  int64_t count = 0;
  for (SlotRunAttr run : getRuns()) {
    int64_t last = run.getPart() + (run.getCount() - 1) * run.getPartStride();
    if (run.getCount() > parts - count || last >= parts)
      return false;
    count += run.getCount();
  }
  constexpr int64_t mostParts = int64_t(1) << 31;
  if (count != parts || parts > mostParts)
    return false;
  // There are as many slots as parts, and none is beyond the last part. So it
  // remains to check that no part has two.
  BitVector hasSlot(parts);
  for (SlotRunAttr run : getRuns())
    for (int64_t i = 0; i < run.getCount(); ++i) {
      int64_t part = run.getPart() + i * run.getPartStride();
      if (hasSlot.test(part))
        return false;
      hasSlot.set(part);
    }
  return true;
}

// schedule-C1
LogicalResult
LoopPeriodAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t startCycle, int64_t periodCycles,
                       int64_t trips) {
  return failure(failed(verifyRange(emitError, 0,
                                    {{"start_cycle", startCycle},
                                     {"period_cycles", periodCycles}})) ||
                 failed(verifyRange(emitError, 1, {{"trips", trips}})));
}

// schedule-C2
LogicalResult
ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr,
                     int64_t makespanCycles, int64_t lowerBoundCycles,
                     DictionaryAttr bounds, int64_t rooflineCycles, StringAttr,
                     int64_t provenCycles, ArrayRef<LoopPeriodAttr>) {
  return failure(failed(verifyRange(emitError, 0,
                                    {{"makespan_cycles", makespanCycles},
                                     {"lower_bound_cycles", lowerBoundCycles},
                                     {"roofline_cycles", rooflineCycles},
                                     {"proven_cycles", provenCycles}})) ||
                 failed(verifyAmounts(emitError, "bound", bounds, 0)));
}

std::string ScheduleAttr::describeProven() {
  StringAttr options = getOptions();
  return options ? "no schedule with " + options.str() + " is shorter"
                 : "no schedule is shorter, as the search has shown";
}

bool ScheduleAttr::obeys(StringRef rule) {
  // Measured schedules need not obey the rules on the length of a slot (S2),
  // its lanes (S3), and the lanes of all slots together (S6).
  return !isMeasured() || (rule != "S2" && rule != "S3" && rule != "S6");
}

/// Does the same for sizes that may be open.
static LogicalResult
verifySizes(EmitError emitError,
            ArrayRef<std::pair<StringRef, int64_t>> namesAndSizes) {
  for (auto [name, size] : namesAndSizes)
    if (!ShapedType::isDynamic(size) &&
        failed(verifyRange(emitError, 1, {{name, size}})))
      return failure();
  return success();
}

LogicalResult
SequencesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t batch, int64_t seq, ArrayRef<int64_t> kvLens) {
  if (failed(verifySizes(emitError, {{"batch", batch}, {"seq", seq}})))
    return failure(); // program-C1
  if (kvLens.size() != 1 &&
      static_cast<int64_t>(kvLens.size()) != batch) // program-C5
    return emitError() << "kv_len has " << kvLens.size() << " numbers for "
                       << batch << " sequences";
  for (int64_t kvLen : kvLens) {
    if (ShapedType::isDynamic(kvLen) && kvLens.size() > 1) // program-C5
      return emitError() << "a kv_len in a list cannot be open";
    if (failed(verifySizes(emitError, {{"kv_len", kvLen}})))
      return failure();
    if (!ShapedType::isDynamic(kvLen) && kvLen < seq) // program-C2
      return emitError() << "kv_len " << kvLen << " includes the " << seq
                         << " new tokens";
  }
  bool isOpen = ShapedType::isDynamic(batch) || ShapedType::isDynamic(seq);
  if (!isOpen && !checkedMul(batch, seq)) // program-C1
    return emitError() << "has more than 2^61 - 1 new tokens";
  return success();
}

int64_t SequencesAttr::getMaxKvLen() const {
  return *llvm::max_element(getKvLens());
}

LogicalResult ProgramAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr, Phase,
                                  ArrayRef<SequencesAttr> groups,
                                  int64_t layers, int64_t modelLayers,
                                  bool isWhole, int64_t furtherTokens) {
  // program-C1
  if (failed(verifyRange(emitError, 1,
                         {{"layers", layers}, {"model layers", modelLayers}})))
    return failure();
  std::optional<int64_t> tokens = 0;
  for (SequencesAttr group : groups)
    if (tokens && group.hasKnownTokens())
      tokens = checkedAdd(*tokens, group.getBatch() * group.getSeq());
  if (groups.empty() || !tokens) // program-C6
    return emitError() << "needs sequences with fewer than 2^61 new tokens";
  if (layers > modelLayers) // program-C3
    return emitError() << layers << " layers are more than the model's "
                       << modelLayers;
  if (isWhole && layers < modelLayers) // program-C4
    return emitError() << "the whole model has " << modelLayers
                       << " layers, not " << layers;
  // program-C7
  if (furtherTokens < 0 || furtherTokens > maxFurtherTokens)
    return emitError() << "further_tokens must be in [0, " << maxFurtherTokens
                       << "], got " << furtherTokens;
  if (furtherTokens && !isWhole)
    return emitError() << "further tokens need the whole model";
  return success();
}

int64_t ProgramAttr::countTokens() const {
  int64_t tokens = 0;
  for (SequencesAttr group : getGroups())
    tokens += group.getBatch() * group.getSeq();
  return tokens;
}

int64_t ProgramAttr::countSequences() const {
  int64_t sequences = 0;
  for (SequencesAttr group : getGroups())
    sequences += group.getBatch();
  return sequences;
}
