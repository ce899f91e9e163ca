//===- OpenSizes.cpp - The sizes that a run has ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Transforms/Passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

bool llm::fits(ArrayRef<int64_t> shape, RankedTensorType type) {
  return shape.size() == static_cast<size_t>(type.getRank()) &&
         llvm::all_of(llvm::zip(shape, type.getShape()), [](auto sizes) {
           auto [given, wanted] = sizes;
           return ShapedType::isDynamic(wanted) || given == wanted;
         });
}

/// The names of the first dimensions of a cache, which a program may leave
/// open.
static constexpr StringRef cacheSizes[] = {"batch", "kv_len"};

LogicalResult Inputs::checkIsOpen(StringRef name) const {
  SmallVector<StringRef> open;
  for (const ProgramArgument &argument : executable.getArguments()) {
    if (argument.kind == ProgramArgument::Kind::Size)
      open.push_back(argument.name);
    // Sizes of caches have these names, whether or not an op reads them as
    // numbers.
    else if (isCache(argument))
      for (auto [dim, name] : llvm::enumerate(cacheSizes))
        if (cast<ShapedType>(argument.type).isDynamicDim(dim))
          open.push_back(name);
  }
  if (llvm::is_contained(open, name))
    return success();
  llvm::sort(open);
  open.erase(llvm::unique(open), open.end());
  return emitError(loc) << "'--size': no size is called '" << name << "'"
                        << didYouMean(name, open) << " (open sizes: "
                        << (open.empty() ? "none" : llvm::join(open, ", "))
                        << ")";
}

void Inputs::closeArguments(FunctionOpInterface function) const {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool isSaid = llvm::any_of(argument.getUsers(),
                               [](Operation *op) { return isa<SizedOp>(op); });
    if (!type || type.hasStaticShape() || isSaid)
      continue;
    SmallVector<int64_t> shape;
    if (number < given.size())
      llvm::append_range(shape, given[number].getShape());
    else if (facts.vocabularyOf.contains(number) && !tokens.empty())
      shape.push_back(static_cast<int64_t>(tokens.size()));
    if (fits(shape, type))
      argument.setType(type.clone(shape));
  }
  function.setFunctionTypeAttr(TypeAttr::get(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(),
      function.getResultTypes())));
}

LogicalResult Inputs::bindOpenSizes() {
  for (const auto &[name, size] : getOpenSizes())
    knownSizes.push_back((name + "=" + Twine(size)).str());
  // The sizes of what a stage receives are known when it comes.
  bool isBehindOthers = llvm::any_of(
      executable.getArguments(), [](const ProgramArgument &argument) {
        return argument.kind == ProgramArgument::Kind::Received;
      });
  if (knownSizes.empty() || !asRead || isBehindOthers)
    return success();
  llvm::sort(knownSizes);
  OwningOpRef<Operation *> module =
      asRead->getParentOfType<ModuleOp>()->clone();
  closeArguments(cast<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(*module, asRead.getName())));
  LlmBindShapesPassOptions bind;
  bind.sizes.assign(knownSizes.begin(), knownSizes.end());
  PassManager pm(asRead.getContext());
  pm.addPass(createLlmBindShapesPass(bind));
  if (failed(pm.run(*module)))
    return failure();
  auto bound = cast<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(*module, asRead.getName()));
  llvm::append_range(boundTypes, bound.getArgumentTypes());
  return success();
}

RankedTensorType Inputs::getInputType(const ProgramArgument &argument,
                                      unsigned number) const {
  return cast<RankedTensorType>(number < boundTypes.size() ? boundTypes[number]
                                                           : argument.type);
}

std::string Inputs::describeTaken(RankedTensorType type) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "the program takes '" << type << "'";
  if (!boundTypes.empty())
    os << " with " << llvm::join(knownSizes, ", ");
  return text;
}

LogicalResult Inputs::readSizes() {
  for (StringRef text : options.sizes) {
    auto [name, number] = text.split('=');
    int64_t size;
    constexpr int64_t largest = int64_t(1) << 31; // as of --llm-bind-shapes
    if (number.getAsInteger(10, size) || size < 1 || size > largest)
      return emitError(loc) << "'--size' must be a name and a number in "
                               "[1, 2^31], such as kv_len=8; got '"
                            << text << "'";
    if (failed(checkIsOpen(name)))
      return failure();
    sizes[name] = size;
  }
  // A prompt gives the sizes that it needs.
  auto count = static_cast<int64_t>(tokens.size());
  if (count) {
    int64_t batch = sizes.lookup("batch") ? sizes.lookup("batch") : 1;
    sizes.try_emplace("seq", count / batch);
    sizes.try_emplace("kv_len", sizes["seq"]);
  }
  for (const ProgramArgument &argument : executable.getArguments())
    if (argument.kind == ProgramArgument::Kind::Size &&
        !sizes.contains(argument.name))
      return emitError(loc)
             << "the size '" << argument.name
             << "' is open; say it: --size=" << argument.name << "=N";
  return success();
}

llvm::StringMap<int64_t> Inputs::getOpenSizes() const {
  llvm::StringMap<int64_t> open;
  for (const ProgramArgument &argument : executable.getArguments())
    if (argument.kind == ProgramArgument::Kind::Size)
      open[argument.name] = sizes.lookup(argument.name);
  return open;
}
