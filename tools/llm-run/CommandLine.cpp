//===- CommandLine.cpp - What llm-run is asked ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Files/OutputFile.h"
#include "llm/Trace/TraceWriter.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::llm;

/// Says that a file with the suffix of other files would hold `what`; empty if
/// it may stay. Suffixes that are not known, or none, may hold anything.
static std::string findNameFault(StringRef path, StringRef what,
                                 StringRef own) {
  static constexpr StringRef known[] = {"mlir", "html",    "htm",
                                        "csv",  "json",    "gz",
                                        "npy",  "pftrace", "safetensors"};
  auto [stem, suffix] = path.rsplit('.');
  if (suffix == own || !llvm::is_contained(known, suffix))
    return "";
  return ("'" + path + "' would hold " + what + "; name it '" + stem + "." +
          own + "'")
      .str();
}

/// Checks that each file can be written, and that no two are the same.
LogicalResult CommandLine::checkOutputs(Location loc) const {
  llvm::StringMap<StringRef> optionOf;
  for (const cl::opt<std::string> *each :
       {&output, &saveWeights, &trace, &html, &measured, &measureOps}) {
    StringRef path = *each;
    if (path.empty())
      continue;
    if (llvm::Error error = checkOutputFile(path))
      return emitError(loc) << "'--" << each->ArgStr
                            << "': " << llvm::toString(std::move(error));
    std::string fault = each == &trace ? findFaultOfTraceName(path) : "";
    if (!fault.empty())
      return emitError(loc)
             << "'--trace': " << fault << ", got '" << path << "'";
    auto [known, isNew] = optionOf.try_emplace(path, each->ArgStr);
    if (!isNew)
      return emitError(loc)
             << "'--" << known->second << "' and '--" << each->ArgStr
             << "' both name '" << path << "'; give each a file of its own";
  }
  return success();
}

LogicalResult CommandLine::check(Location loc) const {
  StringRef path = output;
  if (!path.empty() && !path.ends_with(".npy") &&
      !path.ends_with(".safetensors"))
    return emitError(loc) << "'--output' must be a *.npy or *.safetensors "
                             "file, got '"
                          << path << "'";
  if (steps < 1)
    return emitError(loc) << "'--steps' must be 1 or more, got "
                          << steps.getValue();
  if (!tokens.empty() && !promptFile.empty())
    return emitError(loc) << "the prompt is said twice, by '--tokens' and by "
                             "'--prompt-file'";
  if (std::string fault = findPageFault(html); !fault.empty())
    return emitError(loc) << "'--html': " << fault;
  if (std::string fault =
          findNameFault(measured, "a program with slots", "mlir");
      !fault.empty())
    return emitError(loc) << "'--measured': " << fault;
  if (std::string fault = findNameFault(measureOps, "a table of ops", "csv");
      !fault.empty())
    return emitError(loc) << "'--measure-ops': " << fault;
  if (open && html.empty() && trace.empty())
    return emitError(loc) << "'--open' shows what '--html' or '--trace' "
                             "writes, and neither is given";
  if (counters && trace.empty())
    return emitError(loc) << "what '--counters' counts stands in a trace; say "
                             "where to write it: '--trace=FILE'";
  if (copyWeights && weights.empty())
    return emitError(loc) << "'--copy-weights' copies those of a file; say "
                             "which: '--weights=PATH'";
  constexpr unsigned mostThreads = 4096; // of OpenMP's runtime, too
  if (threads < 1 || threads > mostThreads)
    return emitError(loc) << "'--threads' must be in [1, " << mostThreads
                          << "], got " << threads.getValue();
  if (!llvm::is_contained({0, 128, 256, 512}, vectorBits))
    return emitError(loc) << "'--vectors' must be 128, 256 or 512, got "
                          << vectorBits.getValue();
  if (repeat < 1 || warmup < 0)
    return emitError(loc) << "'--repeat' must be 1 or more and '--warmup' 0 or "
                             "more, got "
                          << repeat.getValue() << " and " << warmup.getValue();
  if (measures() && steps > 1)
    return emitError(loc) << "what is measured is one step, which is run "
                             "'--repeat' times; got '--steps="
                          << steps.getValue() << "'";
  return checkOutputs(loc);
}

LogicalResult CommandLine::checkStages(Location loc) const {
  StringRef asked = !html.empty()        ? "asks for a page"
                    : !measured.empty()  ? "asks for measured slots"
                    : !function.empty()  ? "names a function"
                    : !resultsOf.empty() ? "asks for the results of an op"
                                         : "";
  if (asked.empty())
    return success();
  return emitError(loc)
         << "the program is split into stages of a pipeline, each on other "
            "chips, and the command line "
         << asked
         << "; run the program of one stage alone (--llm-shard "
            "without pp) for that";
}
