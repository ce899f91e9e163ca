//===- ChromeKinds.cpp - What the categories of a trace mean --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChromeKinds.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::llm;

using Kind = TraceEventKind;

/// Returns the kind of a category. It knows Kineto's, in today's spelling and
/// in that of its first versions, and those of our own exports.
static std::optional<ChromeKind> kindOfCategory(StringRef category) {
  if (category.ends_with("_runtime") || category.ends_with("_driver"))
    return ChromeKind{Kind::Call, false};
  return ::llvm::StringSwitch<std::optional<ChromeKind>>(category)
      .CasesLower({"cpu_op", "operator", "op"}, ChromeKind{Kind::Op, false})
      .CasesLower({"user_annotation", "range"}, ChromeKind{Kind::Range, false})
      .CaseLower("gpu_user_annotation", ChromeKind{Kind::Range, true})
      .CasesLower({"python_function", "function"},
                  ChromeKind{Kind::Function, false})
      .CasesLower({"runtime", "driver", "call"}, ChromeKind{Kind::Call, false})
      .CasesLower({"kernel", "concurrent_kernel"},
                  ChromeKind{Kind::Kernel, true})
      .CasesLower({"gpu_memcpy", "memcpy", "copy"},
                  ChromeKind{Kind::Copy, true})
      .CasesLower({"gpu_memset", "memset", "fill"},
                  ChromeKind{Kind::Fill, true})
      .CasesLower({"cuda_sync", "overhead", "trace", "other"},
                  ChromeKind{Kind::Other, false})
      .Cases({"prefetch", "together", "idle", "critical path"},
             ChromeKind{Kind::Other, false})
      .Cases({"layer", "module"}, ChromeKind{Kind::Other, false})
      .Default(std::nullopt);
}

/// Whether the framework gives such names, as "aten::mm" and "AddmmBackward0".
static bool isOpName(StringRef name) {
  return name.contains("::") || name.rtrim("0123456789").ends_with("Backward");
}

ChromeKind mlir::llm::classify(const ChromeEvent &event, StringRef processName,
                               bool isKineto) {
  if (event.category.empty() && processName.starts_with("CPU functions"))
    return {isOpName(event.name) ? Kind::Op : Kind::Range, false};
  if (event.category.empty() && processName.starts_with("CUDA functions"))
    return {Kind::Kernel, true};
  std::optional<ChromeKind> known = kindOfCategory(event.category);
  if (!known) // in other programs' files, writers have named it
    return {isKineto ? Kind::Other : Kind::Range, false};
  // A module is a frame of Python for the profiler, but a part of the model
  // here.
  if (known->kind == Kind::Function &&
      StringRef(event.name).starts_with("nn.Module: "))
    return {Kind::Range, false};
  return *known;
}
