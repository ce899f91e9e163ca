//===- Executable.cpp - Programs that run on this CPU ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Execution/Executable.h"
#include "Assertions.h"
#include "AttentionBlocks.h"
#include "MachineCode.h"
#include "MemoryUse.h"
#include "OneDnnProducts.h"
#include "Pipeline.h"
#include "RecordOps.h"
#include "SmallFloats.h"
#include "llm/Conversion/Passes.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Workload/Workload.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Timer.h"

using namespace mlir;
using namespace mlir::llm;

Executable::Executable() : assertions(std::make_unique<Assertions>()) {}
Executable::~Executable() = default;

//===----------------------------------------------------------------------===//
// What a function takes and gives
//===----------------------------------------------------------------------===//

static ProgramArgument describeArgument(func::FuncOp function, unsigned index) {
  auto nameOf = [&](StringRef attribute) {
    return function.getArgAttrOfType<StringAttr>(index, attribute);
  };
  Type type = function.getArgument(index).getType();
  auto shard =
      function.getArgAttrOfType<ShardAttr>(index, LlmDialect::pieceAttrName);
  DictionaryAttr piece = shard ? shard.getLoops() : nullptr;
  if (StringAttr weight = nameOf("llm.source")) {
    auto unpadded = function.getArgAttrOfType<DenseI64ArrayAttr>(
        index, LlmDialect::unpaddedAttrName);
    return {ProgramArgument::Kind::Weight, weight.str(), type, piece,
            /*input=*/0, unpadded};
  }
  if (StringAttr cache = nameOf("llm.cache"))
    return {ProgramArgument::Kind::Cache, cache.str(), type, piece};
  if (StringAttr size = nameOf("llm.size"))
    return {ProgramArgument::Kind::Size, size.str(), type};
  if (StringAttr random = nameOf("llm.random"))
    return {ProgramArgument::Kind::Random, random.str(), type};
  if (!function->hasAttr(LlmDialect::stageAttrName))
    return {ProgramArgument::Kind::Input, "", type, nullptr, index};
  if (auto input = function.getArgAttrOfType<IntegerAttr>(
          index, LlmDialect::inputAttrName))
    return {ProgramArgument::Kind::Input, "", type, nullptr,
            static_cast<unsigned>(input.getInt())};
  return {ProgramArgument::Kind::Received, "", type};
}

static LogicalResult describeInterface(func::FuncOp function,
                                       std::vector<ProgramArgument> &arguments,
                                       std::vector<ProgramResult> &results) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Type type = function.getArgument(i).getType();
    if (!isa<RankedTensorType>(type) && !type.isIndex())
      return function.emitError() << "takes " << type
                                  << ", which cannot be handed over; expected "
                                     "ranked tensors and index";
    arguments.push_back(describeArgument(function, i));
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return function.emitError() << "gives " << type
                                  << ", which cannot be handed back; expected "
                                     "ranked tensors";
    auto cache = function.getResultAttrOfType<StringAttr>(i, "llm.cache");
    results.push_back({cache ? cache.str() : "", tensor, std::nullopt});
  }
  return success();
}

/// Drops our attributes, because translation to LLVM does not know them and
/// warns of each.
static void dropNames(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (StringRef name :
         {"llm.source", "llm.cache", "llm.size", "llm.random",
          LlmDialect::pieceAttrName.data(), LlmDialect::unpaddedAttrName.data(),
          LlmDialect::inputAttrName.data()})
      function.removeArgAttr(i, StringAttr::get(function.getContext(), name));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.removeResultAttr(
        i, StringAttr::get(function.getContext(), "llm.cache"));
}

/// Only states of caches may be overwritten: weights may lie in a file.
static void protectArguments(func::FuncOp function,
                             ArrayRef<ProgramArgument> arguments) {
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    bool isState = argument.kind == ProgramArgument::Kind::Cache;
    if (isa<RankedTensorType>(argument.type) && !isState)
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          BoolAttr::get(function.getContext(), false));
  }
}

/// Returns the argument that passes the buffer in, if there is one.
static std::optional<unsigned> findArgument(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
}

/// Drops results in the place of an argument, because the caller has them
/// already. They would be copied otherwise.
static void dropResultsInPlace(func::FuncOp function,
                               std::vector<ProgramResult> &results) {
  auto end = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  llvm::BitVector dropped(function.getNumResults());
  for (auto [i, buffer] : llvm::enumerate(end.getOperands())) {
    results[i].inPlaceOf = findArgument(buffer);
    dropped[i] = results[i].inPlaceOf.has_value();
  }
  (void)function.eraseResults(dropped);
  end->eraseOperands(dropped);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static LogicalResult runPasses(ModuleOp module,
                               function_ref<void(OpPassManager &)> add) {
  PassManager pm(module.getContext());
#ifdef NDEBUG
  // The verifier takes a tenth of the time of compiling, and finds only
  // mistakes of passes.
  pm.enableVerifier(false);
#endif
  add(pm);
  return pm.run(module);
}

static bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Checks that no op is left whose lowering is missing. What is left has
/// upstream's meaning, and upstream must make buffers of its tensors.
static LogicalResult checkAllLowered(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    bool isUpstream = isa<linalg::LinalgOp>(op) ||
                      isa<tensor::TensorDialect>(op->getDialect());
    if (isa<WorkloadOpInterface>(op) && !isUpstream)
      op->emitOpError("cannot be run: it has no lowering to linalg; expected "
                      "an op with LinalgLoweringOpInterface");
    else if (hasTensors(op) && !isa<bufferization::BufferizableOpInterface>(op))
      op->emitOpError("cannot be run: nothing is known that makes loops on "
                      "buffers of it; expected ops of linalg, tensor or arith "
                      "that do the same");
    else
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// What compiled code calls to start threads.
static constexpr char openMpLibrary[] = "libomp.so.5";

static LogicalResult loadOpenMp(Location loc) {
  std::string why;
  if (!llvm::sys::DynamicLibrary::LoadLibraryPermanently(openMpLibrary, &why))
    return success();
  return emitError(loc) << "several threads need OpenMP's runtime library, "
                           "which cannot be loaded: "
                        << why << "; install it (Debian: libomp5)";
}

LogicalResult Executable::lowerToLinalg(func::FuncOp function,
                                        const CompileOptions &options) {
  auto module = function->getParentOfType<ModuleOp>();
  if (options.records) {
    FailureOr<Program> program = Program::analyze(function);
    if (failed(program))
      return failure();
    numberOps(*program);
    recorder = std::make_unique<OpRecorder>();
  }
  auto convert = [&](OpPassManager &pm) {
    if (options.kernels != Kernels::Reference)
      pm.addNestedPass<func::FuncOp>(createAttentionBlocksPass());
    pm.addPass(createConvertLlmToLinalgPass());
    addDecomposition(pm);
  };
  return success(succeeded(runPasses(module, convert)) &&
                 succeeded(describeInterface(function, arguments, results)) &&
                 succeeded(checkAllLowered(module)));
}

LogicalResult Executable::lowerToLlvm(func::FuncOp function,
                                      const CompileOptions &options) {
  auto module = function->getParentOfType<ModuleOp>();
  dropNames(function);
  protectArguments(function, arguments);
  if (failed(runPasses(module, addBufferization)))
    return failure();
  dropResultsInPlace(function, results);
  if (failed(runPasses(
          module, [&](OpPassManager &pm) { addKernels(pm, options.threads); })))
    return failure();
  memoryPeak = findMemoryPeak(function);
  if (oneDnn && failed(runPasses(module, [&](OpPassManager &pm) {
        pm.addPass(createOneDnnProductsPass(*oneDnn));
      })))
    return failure();
  if (recorder)
    addRecorderCalls(function, *recorder);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(module.getContext()));
  return runPasses(module, [&](OpPassManager &pm) {
    addLoopsToLlvm(pm, options.kernels, options.threads, vectors, *assertions);
  });
}

LogicalResult Executable::makeCode(ModuleOp module, StringRef name,
                                   bool optimizes) {
  std::string wrapper = ("_mlir_ciface_" + name).str();
  FailureOr<std::unique_ptr<ExecutionEngine>> made =
      makeMachineCode(module, wrapper, optimizes, vectors);
  if (failed(made))
    return failure();
  engine = std::move(*made);
  engine->registerSymbols([](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    symbols[mangle(enterOpSymbol)] = {
        llvm::orc::ExecutorAddr::fromPtr(&enterOp),
        llvm::JITSymbolFlags::Exported};
    symbols[mangle(assertionFailedSymbol)] = {
        llvm::orc::ExecutorAddr::fromPtr(&assertionFailed),
        llvm::JITSymbolFlags::Exported};
    symbols[mangle(returnBf16Symbol)] = {
        llvm::orc::ExecutorAddr::fromPtr(&returnBf16),
        llvm::JITSymbolFlags::Exported};
    symbols[mangle(oneDnnProductSymbol)] = {
        llvm::orc::ExecutorAddr::fromPtr(&oneDnnProduct),
        llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  // This makes the machine code now, and not in the first run.
  llvm::Expected<void (*)(void **)> found = engine->lookupPacked(wrapper);
  if (!found)
    return module.emitError() << "cannot be compiled for this machine: "
                              << llvm::toString(found.takeError());
  entry = *found;
  return success();
}

FailureOr<std::unique_ptr<Executable>>
Executable::compile(FunctionOpInterface op, CompileOptions options) {
  auto function = dyn_cast<func::FuncOp>(op.getOperation());
  if (!function)
    return op.emitError("is no func.func, which alone can be run");
  llvm::TimeRecord start = llvm::TimeRecord::getCurrentTime();
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = function.getName().str();
  if (options.threads > 1 && failed(loadOpenMp(module.getLoc())))
    return failure();
  std::unique_ptr<Executable> executable(new Executable());
  executable->vectors = chooseVectors(options.vectorBits);
  if (options.kernels == Kernels::OneDnn) {
    executable->oneDnn = OneDnn::create(options.threads);
    if (!executable->oneDnn)
      return module.emitError("this build has no oneDNN (Debian: libdnnl-dev), "
                              "of which '--kernels=onednn' makes calls");
  }
  if (failed(executable->lowerToLinalg(function, options)) ||
      failed(executable->lowerToLlvm(function, options)) ||
      failed(executable->makeCode(module, name, options.optimizes)))
    return failure();
  llvm::TimeRecord passed = llvm::TimeRecord::getCurrentTime(/*Start=*/false);
  passed -= start;
  executable->compileSeconds = passed.getWallTime();
  executable->compileCpuSeconds = passed.getProcessTime();
  return executable;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Makes the descriptor of a tensor, as compiled functions expect it: its
/// address twice, the offset of its first element, its sizes and its strides.
static SmallVector<int64_t> makeDescriptor(const HostTensor &tensor) {
  auto address = reinterpret_cast<int64_t>(tensor.getData());
  SmallVector<int64_t> descriptor = {address, address, 0};
  llvm::append_range(descriptor, tensor.getShape());
  SmallVector<int64_t> strides(tensor.getShape().size(), 1);
  for (size_t dim = strides.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * tensor.getShape()[dim];
  llvm::append_range(descriptor, strides);
  return descriptor;
}

/// The owners of allocated memory by address. Several results may be views of
/// one allocation.
using Owners = llvm::DenseMap<char *, std::shared_ptr<void>>;

/// Takes the result that a descriptor shows. Moves `descriptor` behind it.
static HostTensor takeResult(const ProgramResult &result,
                             const int64_t *&descriptor, Owners &owners) {
  int64_t rank = result.type.getRank();
  auto *allocated = reinterpret_cast<char *>(descriptor[0]);
  auto *aligned = reinterpret_cast<char *>(descriptor[1]);
  ArrayRef<int64_t> sizes(descriptor + 3, rank);
  Type element = result.type.getElementType();
  std::shared_ptr<void> &owner = owners[allocated];
  if (!owner)
    owner = std::shared_ptr<void>(allocated, std::free);
  HostTensor tensor(element, sizes,
                    aligned + descriptor[2] * getElementBytes(element), owner);
  descriptor += 3 + 2 * rank;
  return tensor;
}

std::vector<HostTensor> Executable::run(ArrayRef<ArgumentValue> values) const {
  std::vector<SmallVector<int64_t>> descriptors(values.size());
  std::vector<int64_t> words(values.size());
  size_t resultWords = 0;
  for (const ProgramResult &result : results)
    if (!result.inPlaceOf)
      resultWords += 3 + 2 * result.type.getRank();
  std::vector<int64_t> handedBack(resultWords);
  auto handedBackTo = reinterpret_cast<int64_t>(handedBack.data());

  SmallVector<void *> packed;
  if (resultWords)
    packed.push_back(&handedBackTo);
  for (auto [value, descriptor, word] :
       llvm::zip_equal(values, descriptors, words)) {
    if (const auto *tensor = std::get_if<HostTensor>(&value)) {
      descriptor = makeDescriptor(*tensor);
      word = reinterpret_cast<int64_t>(descriptor.data());
    } else {
      word = std::get<int64_t>(value);
    }
    packed.push_back(&word);
  }
  if (recorder)
    recorder->start();
  entry(packed.data());
  if (recorder)
    recorder->stop();

  std::vector<HostTensor> all;
  const int64_t *descriptor = handedBack.data();
  Owners owners;
  for (const ProgramResult &result : results) {
    if (result.inPlaceOf) {
      all.push_back(std::get<HostTensor>(values[*result.inPlaceOf]));
      continue;
    }
    all.push_back(takeResult(result, descriptor, owners));
  }
  return all;
}
