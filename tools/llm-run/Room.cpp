//===- Room.cpp - Whether this machine has the memory for a run -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Support/Units.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::llm;

static int64_t readMemoryBytes() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// Whether the system gives so many bytes more to this process, which may have
/// a limit of its own (ulimit -v).
static bool canAllocate(uint64_t bytes) {
  if (!bytes)
    return true;
  void *room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && !munmap(room, bytes);
}

/// Returns how many weights the name of one in a loop stands for. Loops with
/// open bounds count once.
static int64_t countInstances(WeightOp weight) {
  int64_t count = 1;
  for (Value index : weight.getIndices())
    if (auto loop = scf::getForInductionVarOwner(index))
      if (std::optional<APInt> trips = loop.getStaticTripCount())
        count = checkedMul(count, trips->getSExtValue()).value_or(maxCount);
  return count;
}

/// Returns the bytes of all weights, each name once.
static int64_t weightBytesOf(FunctionOpInterface function) {
  int64_t bytes = 0;
  llvm::StringSet<> known;
  function.walk([&](WeightOp weight) {
    if (!known.insert(weight.getName()).second)
      return;
    // Whoever has room for these may still lack it for values, or for numbers
    // that are unpacked.
    Count ofOne = storageBytes(weight.getType());
    std::optional<int64_t> size =
        succeeded(ofOne) ? checkedMul(*ofOne, countInstances(weight))
                         : std::nullopt;
    bytes = checkedAdd(bytes, size.value_or(0)).value_or(maxCount);
  });
  return bytes;
}

LogicalResult mlir::llm::checkRoomForWeights(FunctionOpInterface function,
                                             const InputOptions &options) {
  bool areMapped = !options.weights.empty() && !options.copiesWeights;
  int64_t bytes = areMapped ? 0 : weightBytesOf(function);
  int64_t roomBytes = readMemoryBytes();
  if (bytes <= roomBytes)
    return success();
  return emitError(function.getLoc())
         << "the weights of '" << function.getName() << "' take " << bytes
         << " bytes, and there is no room for them: this machine has "
         << roomBytes
         << " bytes of memory; import fewer layers (--layers), or read a "
            "checkpoint, which stays on disk ('--weights' without "
            "'--copy-weights')";
}

LogicalResult Inputs::checkRoomBetweenOps() const {
  const std::optional<MemoryPeak> &peak = executable.getMemoryPeak();
  int64_t roomBytes = readMemoryBytes();
  auto leftBytes = static_cast<uint64_t>(roomBytes - reservedBytes);
  if (!peak ||
      (peak->bytes <= leftBytes && canAllocate(reservedBytes + peak->bytes)))
    return success();
  return emitError(peak->loc)
         << "there is no room for the " << peak->bytes
         << " bytes that values between ops take at once, the largest of them "
         << peak->largest << " here: this machine has " << roomBytes
         << " bytes of memory, of which arguments take " << reservedBytes
         << (peak->bytes <= leftBytes ? ", and a limit for this process" : "");
}

LogicalResult Inputs::reserve(StringRef what, RankedTensorType type) {
  std::optional<int64_t> bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    bytes = bytes ? checkedMul(*bytes, size) : bytes;
  int64_t roomBytes = readMemoryBytes();
  if (!bytes || *bytes > roomBytes - reservedBytes)
    return emitError(loc) << what << " is " << type
                          << ", and there is no room for it: this machine has "
                          << roomBytes << " bytes of memory, of which others "
                          << "of the program take " << reservedBytes;
  if (!canAllocate(reservedBytes + *bytes))
    return emitError(loc) << what << " is " << type
                          << ", and the system has no room for its " << *bytes
                          << " bytes beside the " << reservedBytes
                          << " of others of the program; is there a limit for "
                             "this process (ulimit -v)?";
  reservedBytes += *bytes;
  return success();
}

LogicalResult Inputs::reserveAll() {
  unsigned number = 0;
  for (const ProgramArgument &argument : executable.getArguments()) {
    if (argument.kind == ProgramArgument::Kind::Size ||
        argument.kind == ProgramArgument::Kind::Random)
      continue;
    bool isInput = argument.kind == ProgramArgument::Kind::Input;
    if (argument.kind == ProgramArgument::Kind::Received) {
      ++number;
      continue;
    }
    std::string what = isInput ? "argument " + std::to_string(argument.input)
                               : "'" + argument.name + "'";
    auto type = isInput ? getInputType(argument, number)
                        : cast<RankedTensorType>(argument.type);
    // What is given is there. Weights in a file are mapped, and take no other
    // memory.
    bool isThere = isInput
                       ? isGiven(type, argument.input)
                       : files && !options.copiesWeights && !isCache(argument);
    number += isInput;
    if (isThere)
      continue;
    FailureOr<RankedTensorType> closed = close(type, argument);
    if (failed(closed) || failed(reserve(what, *closed)))
      return failure();
  }
  return checkRoomBetweenOps();
}
