//===- ModuleNames.h - The modules of a model in names ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are named after the modules of the model's reference implementation, with
// dots between the names and the op last: `model.layers.{}.mlp.up_proj` is an
// op of the module `model.layers.{}.mlp`, in the layer `model.layers.{}`.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_MODULENAMES_H
#define LLM_SUPPORT_MODULENAMES_H

#include <string>
#include <string_view>
#include <vector>

namespace mlir::llm {

/// Returns the module to which an op belongs. For ops that run as one
/// (`a.b+a.c`), it is the module that they share. A name may leave out what it
/// has in common with the first one (`a.b+c`, as --llm-fuse writes it). It then
/// counts as in the module of the first. The result is empty for an op without
/// a module, and for an unnamed one (`linalg.matmul#3`).
std::string moduleOf(std::string_view name);

/// Returns the parts of a module's name, outermost first. An empty name has
/// none. Dots in ranges do not separate parts.
std::vector<std::string_view> partsOfModule(std::string_view module);

/// Returns the name up to the number of its layer, which is the first part that
/// is a number or a range (llm/Support/IndexedNames.h). It is empty without
/// such a part, and for ops of several layers that run as one.
std::string layerOf(std::string_view name);

} // namespace mlir::llm

#endif // LLM_SUPPORT_MODULENAMES_H
