//===- TargetOptions.cpp - The machine that is asked about ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetOptions.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

TargetOptions::TargetOptions(cl::SubCommand &command)
    : target("target", cl::Required, cl::sub(command),
             cl::desc("Preset, or a file of a target (.json, .csv)"),
             cl::value_desc("name")),
      column("column", cl::sub(command),
             cl::desc("Device of a target file in CSV form"),
             cl::value_desc("name")),
      changes("set", cl::CommaSeparated, cl::sub(command),
              cl::desc("What if: fields of the target by their paths, such as\n"
                       "memories.dram.bytes_per_second=4e12"),
              cl::value_desc("path=value")) {}

FailureOr<Target> mlir::llm::loadNamedTarget(StringRef name, StringRef column,
                                             ArrayRef<std::string> changes,
                                             MLIRContext &context,
                                             bool calibrated) {
  Location nowhere = UnknownLoc::get(&context);
  auto emitError = [&] { return mlir::emitError(nowhere); };
  bool isFile =
      name.ends_with_insensitive(".json") || name.ends_with_insensitive(".csv");
  if (!isFile && !column.empty())
    return emitError() << "--column= needs a target file in CSV form";
  FailureOr<Target> target =
      isFile ? loadTargetFile(name, column, &context, emitError, calibrated)
             : loadPreset(name, &context, emitError, calibrated);
  if (failed(target))
    return failure();
  return changeTarget(*target, changes, nowhere, "--set: ");
}

FailureOr<Target> TargetOptions::load(MLIRContext &context,
                                      bool calibrated) const {
  std::vector<std::string> texts(changes.begin(), changes.end());
  return loadNamedTarget(target, column, texts, context, calibrated);
}
