//===- Ggml.cpp - What is used of ggml ------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ggml.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>

namespace llmGgml {

/// Returns the path of the loaded library of ggml that has the graphs, or "".
static std::string findLibrary() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        const char *slash = strrchr(info->dlpi_name, '/');
        const char *name = slash ? slash + 1 : info->dlpi_name;
        bool isBase = strncmp(name, "libggml-base.so", 15) == 0;
        if (isBase || strncmp(name, "libggml.so", 10) == 0)
          *static_cast<std::string *>(data) = info->dlpi_name;
        return int(isBase);
      },
      &found);
  return found;
}

/// Looks up a function. This library comes before all others, and the program's
/// own function is the next one. A program that loads ggml by dlopen may hide
/// its names, as Node.js does. Then it looks in the loaded library.
static void *lookUp(const char *name) {
  if (void *found = dlsym(RTLD_NEXT, name))
    return found;
  static void *const library =
      dlopen(findLibrary().c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : nullptr;
}

template <typename Function>
static void lookUp(Function *&function, const char *name) {
  function = reinterpret_cast<Function *>(lookUp(name));
}

/// Returns why nothing can be captured, or null.
static const char *findObstacle(const Ggml &ggml) {
#define F(result, name, parameters)                                            \
  if (!ggml.name)                                                              \
    return "it has no " #name;
  LLM_GGML_FUNCTIONS(F)
#undef F
  return findUnknownLayout(ggml);
}

static Ggml lookUpAll() {
  Ggml ggml;
#define F(result, name, parameters) lookUp(ggml.name, #name);
  LLM_GGML_FUNCTIONS(F)
#undef F
  lookUp(ggml.ggml_version, "ggml_version");
  const char *obstacle = findObstacle(ggml);
  ggml.isUsable = !obstacle;
  if (obstacle)
    fprintf(stderr,
            "llm-ggml-trace: this ggml is not known, nothing is captured: %s\n",
            obstacle);
  return ggml;
}

const Ggml &ggml() {
  static const Ggml found = lookUpAll();
  return found;
}

//===----------------------------------------------------------------------===//
// The layout of tensors
//===----------------------------------------------------------------------===//

namespace {
/// Tensors whose members are known, in a context and a buffer of their own.
struct Probe {
  explicit Probe(const Ggml &ggml)
      : ggml(ggml), context(ggml.ggml_init(
                        {16 * ggml.ggml_tensor_overhead(), nullptr, true})) {}
  Probe(const Probe &) = delete;
  ~Probe() {
    if (buffer)
      ggml.ggml_backend_buffer_free(buffer);
    if (context)
      ggml.ggml_free(context);
  }

  const char *findUnknown();

  const Ggml &ggml;
  ggml_context *context;
  ggml_backend_buffer *buffer = nullptr;
};
} // namespace

/// Tests the layout. Types 0 and 1 are f32 and f16 in every version.
const char *Probe::findUnknown() {
  if (!context)
    return "it makes no context";
  ggml_tensor *weights = ggml.ggml_new_tensor_2d(context, 1, 32, 5);
  ggml_tensor *x = ggml.ggml_new_tensor_2d(context, 0, 32, 3);
  ggml_tensor *product = ggml.ggml_mul_mat(context, weights, x);
  ggml_tensor *scaled = ggml.ggml_scale(context, x, 2.0f);
  ggml_tensor *view = ggml.ggml_view_1d(context, x, 32, 32 * sizeof(float));
  ggml.ggml_set_name(weights, "probe");
  buffer = ggml.ggml_backend_alloc_ctx_tensors_from_buft(
      context, ggml.ggml_backend_cpu_buffer_type());

  if (weights->name != ggml.ggml_get_name(weights) ||
      strcmp(weights->name, "probe") != 0)
    return "a tensor's name is elsewhere";
  if (weights->type != 1 || x->type != 0)
    return "a tensor's type is elsewhere";
  if (product->ne[0] != 5 || product->ne[1] != 3 || product->ne[2] != 1 ||
      product->ne[3] != 1)
    return "a tensor's sizes are elsewhere";
  if (weights->nb[0] != 2 || weights->nb[1] != 64 || x->nb[3] != 384)
    return "a tensor's strides are elsewhere";
  if (strcmp(ggml.ggml_op_name(product->op), "MUL_MAT") != 0)
    return "a tensor's op is elsewhere";
  if (product->src[0] != weights || product->src[1] != x || product->src[2] ||
      product->src[9])
    return "a tensor's sources are elsewhere";
  float factor;
  memcpy(&factor, scaled->op_params, sizeof(factor));
  if (factor != 2.0f)
    return "a tensor's parameters are elsewhere";
  if (view->view_src != x || view->view_offs != 32 * sizeof(float) ||
      x->view_src)
    return "a tensor's view is elsewhere";
  uint32_t before = x->flags;
  ggml.ggml_set_input(x);
  if (before != 0 || x->flags != 1)
    return "a tensor's flags are elsewhere";
  if (!buffer || x->buffer != buffer || view->buffer != buffer)
    return "a tensor's buffer is elsewhere";
  return nullptr;
}

const char *findUnknownLayout(const Ggml &ggml) {
  return Probe(ggml).findUnknown();
}

} // namespace llmGgml
