//===- Certainty.cpp - How far the times can be trusted -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportOpTable.h"
#include "llm/Export/Report/ReportWriters.h"

using namespace mlir;
using namespace mlir::llm;

/// Says whether kernels run without gaps. Profilers see none of these gaps, and
/// graphs of kernels have short ones.
static std::string describeLaunches(const Target &target) {
  for (const Engine &engine : target.engines)
    for (const KernelFigures &figures : engine.kernels)
      if (engine.hasUnitTiles() && figures.launchNanoseconds)
        return " Kernels take what a profiler sees of them, one behind the "
               "other: gaps between them, which are shorter in CUDA graphs, "
               "are not in the time.";
  return "";
}

// docs/accuracy.md has the spread of kernels against datasheets.
std::string mlir::llm::describeCertainty(const Target &target) {
  std::string name = showName(target.name, widestTarget);
  if (StringRef(target.description).contains_insensitive("invented"))
    return "The figures of " + name + " are invented (" +
           toPrintable(target.description) + ").";
  if (!target.fittedOn.empty())
    return "Figures of kernels: " + toPrintable(target.fittedOn) + "." +
           describeLaunches(target);
  std::string text = "Nothing of " + name + " is fitted to measurements.";
  bool isCpu = llvm::any_of(target.engines, [](const Engine &engine) {
    return StringRef(engine.name).contains_insensitive("cpu");
  });
  if (!isCpu)
    text += " On GPUs, kernels above 100 us take 1.2 to 1.6 (products), 1.1 to "
            "3.2 (attention of prompts), 1.0 to 1.9 (decode) times what the "
            "datasheet alone says, short ones more.";
  return text + describeLaunches(target);
}
