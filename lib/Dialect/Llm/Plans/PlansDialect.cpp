//===- PlansDialect.cpp - Tiles, costs and schedules without ops ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "Aliases.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Dialect/Llm/IR/LlmBytecode.h"
#include "llm/Support/Units.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

MLIR_DEFINE_EXPLICIT_TYPE_ID(mlir::llm::PlansDialect)

PlansDialect::PlansDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<PlansDialect>()) {
  registerAttributes();
  registerTypes();
  addInterfaces<Aliases, VersionedBytecode>();
}

LogicalResult PlansDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  return verifyPlan(op, attribute);
}

LogicalResult PlansDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attribute) {
  return verifyOnFunctionValue(op, "argument", attribute);
}

LogicalResult
PlansDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                          NamedAttribute attribute) {
  return verifyOnFunctionValue(op, "result", attribute);
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

void VersionedBytecode::writeVersion(DialectBytecodeWriter &writer) const {
  // Who writes may ask for another version.
  FailureOr<const DialectVersion *> asked =
      writer.getDialectVersion<LlmDialect>();
  writer.writeVarInt(
      succeeded(asked) ? static_cast<const LlmDialectVersion *>(*asked)->number
                       : LlmDialectVersion::current);
}

std::unique_ptr<DialectVersion>
VersionedBytecode::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number;
  if (failed(reader.readVarInt(number)))
    return nullptr;
  if (number > LlmDialectVersion::current) {
    reader.emitError() << "the 'llm' dialect has version " << number
                       << " there, and this tool reads versions up to "
                       << LlmDialectVersion::current
                       << ": read it with the llm-opt that wrote it, and "
                          "write it as text";
    return nullptr;
  }
  return std::make_unique<LlmDialectVersion>(number);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The attribute must be an `Attr`, and on a function or on an op that takes
/// time, or on the loops that it was made into.
template <typename Attr>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute,
                                StringRef spelling, bool onFunction) {
  if (!isa<Attr>(attribute.getValue())) // attr-C2
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue() << "' must be a "
           << spelling << ", got " << printOnOneLine(attribute.getValue());
  // attr-C3
  if (onFunction ? !isa<FunctionOpInterface>(op)
                 : !isa<WorkloadOpInterface, LoopLikeOpInterface>(op))
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue() << "' belongs on "
           << (onFunction ? "a function"
                          : "an op that takes time, or on its loops");
  return success();
}

/// The slots on a loop over parts are those of its iterations.
static LogicalResult verifySlots(Operation *op, NamedAttribute attribute) {
  if (failed(verifyKind<SlotsAttr>(op, attribute, "#llm.slots",
                                   /*onFunction=*/false)))
    return failure();
  auto parts = dyn_cast<scf::ForallOp>(op);
  if (!parts)
    return success();
  std::optional<int64_t> count = 1;
  for (auto [begin, end, step] :
       llvm::zip_equal(parts.getStaticLowerBound(), parts.getStaticUpperBound(),
                       parts.getStaticStep())) {
    bool isOpen = llvm::is_contained({begin, end, step}, ShapedType::kDynamic);
    count = count && !isOpen && step > 0 && end > begin
                ? checkedMul(*count, llvm::divideCeil(end - begin, step))
                : std::nullopt;
  }
  if (!count || !cast<SlotsAttr>(attribute.getValue()).areOfParts(*count))
    return op->emitOpError()
           << "must have one slot for each iteration"; // attr-C6
  return success();
}

static LogicalResult verifyGrid(Operation *op, NamedAttribute attribute) {
  auto grid = dyn_cast<GridAttr>(attribute.getValue());
  if (!grid) // attr-C2
    return op->emitOpError() << "attribute 'llm.grid' must be a #llm.grid, got "
                             << attribute.getValue();
  if (!isa<ModuleOp>(op)) // attr-C7
    return op->emitOpError() << "attribute 'llm.grid' belongs on a module";
  return success();
}

/// What is cut belongs on an op that takes time, what was cut on a source.
template <typename Interface>
static LogicalResult verifyShard(Operation *op, NamedAttribute attribute,
                                 StringRef what) {
  if (!isa<ShardAttr>(attribute.getValue())) // attr-C2
    return op->emitOpError()
           << "attribute '" << attribute.getName().getValue()
           << "' must be a #llm.shard, got " << attribute.getValue();
  if (!isa<Interface>(op)) // attr-C7
    return op->emitOpError() << "attribute '" << attribute.getName().getValue()
                             << "' belongs on " << what;
  return success();
}

/// Counts the pieces that `llm.piece` makes along a dimension.
static int64_t countPiecesAlong(Operation *source, Type type, unsigned dim) {
  auto piece = source->getAttrOfType<ShardAttr>(LlmDialect::pieceAttrName);
  GridAttr grid = GridAttr::ofModule(source);
  if (!piece || !grid)
    return 1;
  auto axes = piece.getLoops().getAs<ArrayAttr>(nameOfPieceDim(type, dim));
  return axes ? grid.countChips(axes) : 1;
}

/// It has a size for each dimension of the weight, which chips have together.
static LogicalResult verifyUnpadded(Operation *op, Attribute attribute) {
  auto sizes = dyn_cast<DenseI64ArrayAttr>(attribute);
  auto isPositive = [](int64_t size) { return size > 0; };
  if (!sizes || !llvm::all_of(sizes.asArrayRef(), isPositive)) // attr-C2
    return op->emitOpError() << "attribute 'llm.unpadded' must be sizes of 1 "
                                "or more (array<i64: ..>), got "
                             << attribute;
  auto source = dyn_cast<SourceOpInterface>(op);
  if (!source || source.getSourceKind() != SourceKind::Weight) // attr-C7
    return op->emitOpError() << "attribute 'llm.unpadded' belongs on a weight";
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return success();
  if (type.getRank() != sizes.size()) // attr-C7
    return op->emitOpError() << "attribute 'llm.unpadded' has " << sizes.size()
                             << " sizes; expected one for each of the "
                             << type.getRank() << " dimensions of " << type;
  for (auto [dim, size] : llvm::enumerate(sizes.asArrayRef())) {
    int64_t padded = type.getDimSize(dim) * countPiecesAlong(op, type, dim);
    if (size > padded) // attr-C7
      return op->emitOpError()
             << "attribute 'llm.unpadded' has the size " << size
             << " in dimension " << dim << ", of which all chips have "
             << padded;
  }
  return success();
}

static LogicalResult verifyPipeline(Operation *op, NamedAttribute attribute) {
  if (!isa<PipelineAttr>(attribute.getValue())) // attr-C2
    return op->emitOpError()
           << "attribute 'llm.pipeline' must be a #llm.pipeline, got "
           << printOnOneLine(attribute.getValue());
  if (!isa<ModuleOp>(op)) // attr-C7
    return op->emitOpError() << "attribute 'llm.pipeline' belongs on a module";
  return success();
}

/// A function is a stage, an op is in one, and iterations of a loop are in
/// several.
static LogicalResult verifyStage(Operation *op, NamedAttribute attribute) {
  Attribute value = attribute.getValue();
  if (isa<FunctionOpInterface>(op) && isa<StageAttr>(value))
    return success();
  auto number = dyn_cast<IntegerAttr>(value);
  if (!isa<FunctionOpInterface, ModuleOp>(op) && number &&
      number.getType().isSignlessInteger(64) && number.getInt() >= 0)
    return success();
  auto iterations = dyn_cast<DenseI64ArrayAttr>(value);
  if (isa<LoopLikeOpInterface>(op) && iterations &&
      llvm::all_of(iterations.asArrayRef(), [](int64_t n) { return n >= 0; }))
    return success();
  return op->emitOpError() // attr-C8
         << "attribute 'llm.stage' must be a #llm.stage on a function, the "
            "number of a stage on an op (1 : i64), or how many iterations of a "
            "loop are in stages 0, 1, .. (array<i64: 8, 8>), got "
         << printOnOneLine(value);
}

LogicalResult mlir::llm::verifyPlan(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == LlmDialect::tileAttrName)
    return verifyKind<TileAttr>(op, attribute, "#llm.tile",
                                /*onFunction=*/false);
  if (name == LlmDialect::costAttrName)
    return verifyKind<CostAttr>(op, attribute, "#llm.cost",
                                /*onFunction=*/false);
  if (name == LlmDialect::slotsAttrName)
    return verifySlots(op, attribute);
  if (name == LlmDialect::scheduleAttrName)
    return verifyKind<ScheduleAttr>(op, attribute, "#llm.schedule",
                                    /*onFunction=*/true);
  if (name == LlmDialect::programAttrName)
    return verifyKind<ProgramAttr>(op, attribute, "#llm.program",
                                   /*onFunction=*/true);
  if (name == LlmDialect::gridAttrName)
    return verifyGrid(op, attribute);
  if (name == LlmDialect::shardAttrName)
    return verifyShard<WorkloadOpInterface>(op, attribute,
                                            "an op that takes time");
  if (name == LlmDialect::pieceAttrName)
    return verifyShard<SourceOpInterface>(op, attribute,
                                          "a weight, a cache or a state");
  if (name == LlmDialect::unpaddedAttrName)
    return verifyUnpadded(op, attribute.getValue());
  if (name == LlmDialect::stageAttrName)
    return verifyStage(op, attribute);
  if (name == LlmDialect::pipelineAttrName)
    return verifyPipeline(op, attribute);
  // attr-C1
  SmallVector<StringRef> known = {
      LlmDialect::tileAttrName,     LlmDialect::costAttrName,
      LlmDialect::slotsAttrName,    LlmDialect::scheduleAttrName,
      LlmDialect::programAttrName,  LlmDialect::gridAttrName,
      LlmDialect::shardAttrName,    LlmDialect::pieceAttrName,
      LlmDialect::unpaddedAttrName, LlmDialect::stageAttrName,
      LlmDialect::pipelineAttrName};
  return op->emitOpError() << "has unknown attribute '" << name << "'"
                           << didYouMean(name, known)
                           << " (known: " << llvm::join(known, ", ") << ")";
}

// attr-C4
LogicalResult mlir::llm::verifyOnFunctionValue(Operation *op, StringRef what,
                                               NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (what == "argument" && name == LlmDialect::pieceAttrName &&
      isa<ShardAttr>(attribute.getValue()))
    return success();
  if (what == "argument" && name == LlmDialect::unpaddedAttrName &&
      isa<DenseI64ArrayAttr>(attribute.getValue()))
    return success();
  if (what == "argument" && name == LlmDialect::inputAttrName &&
      isa<IntegerAttr>(attribute.getValue()))
    return success();
  bool isAllowed =
      name == "llm.cache" ||
      (what == "argument" &&
       (name == "llm.source" || name == "llm.size" || name == "llm.random"));
  if (isAllowed) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (text && !text.empty())
      return success();
    return op->emitOpError()
           << what << " attribute '" << name << "' must be a name, got "
           << attribute.getValue();
  }
  return op->emitOpError()
         << what << " attribute '" << attribute.getName().getValue()
         << "' is not allowed: attributes of the llm dialect belong "
            "on ops and functions";
}
