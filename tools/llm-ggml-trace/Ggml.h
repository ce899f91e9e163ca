//===- Ggml.h - What is used of ggml ----------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of ggml are looked up in the program into which this library is
// loaded, and the layout of its tensors is tested before it is used. So ggml is
// not needed to build this.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_GGMLTRACE_GGML_H
#define LLM_TOOLS_GGMLTRACE_GGML_H

#include <cstddef>
#include <cstdint>

struct ggml_context;
struct ggml_cgraph;
struct ggml_backend;
struct ggml_backend_sched;
struct ggml_backend_buffer;
struct ggml_backend_buffer_type;
struct ggml_backend_device;

/// The members up to the name, in the layout since the end of 2024.
struct ggml_tensor {
  int type;
  ggml_backend_buffer *buffer;
  int64_t ne[4];
  size_t nb[4];
  int op;
  uint32_t op_params[16];
  uint32_t flags;
  ggml_tensor *src[10];
  ggml_tensor *view_src;
  size_t view_offs;
  void *data;
  char name[64];
};

struct ggml_init_params {
  size_t mem_size;
  void *mem_buffer;
  bool no_alloc;
};

using ggml_eval_callback = bool (*)(ggml_tensor *, bool ask, void *userData);

namespace llmGgml {

/// Functions that the library needs, as `F(result, name, parameters)`.
#define LLM_GGML_FUNCTIONS(F)                                                  \
  F(int, ggml_graph_n_nodes, (ggml_cgraph *))                                  \
  F(ggml_tensor *, ggml_graph_node, (ggml_cgraph *, int))                      \
  F(const char *, ggml_op_name, (int))                                         \
  F(const char *, ggml_op_desc, (const ggml_tensor *))                         \
  F(const char *, ggml_type_name, (int))                                       \
  F(int64_t, ggml_blck_size, (int))                                            \
  F(size_t, ggml_type_size, (int))                                             \
  F(const char *, ggml_get_name, (const ggml_tensor *))                        \
  F(ggml_context *, ggml_init, (ggml_init_params))                             \
  F(void, ggml_free, (ggml_context *))                                         \
  F(size_t, ggml_tensor_overhead, ())                                          \
  F(ggml_tensor *, ggml_new_tensor_2d,                                         \
    (ggml_context *, int, int64_t, int64_t))                                   \
  F(ggml_tensor *, ggml_view_1d,                                               \
    (ggml_context *, ggml_tensor *, int64_t, size_t))                          \
  F(ggml_tensor *, ggml_mul_mat,                                               \
    (ggml_context *, ggml_tensor *, ggml_tensor *))                            \
  F(ggml_tensor *, ggml_scale, (ggml_context *, ggml_tensor *, float))         \
  F(ggml_tensor *, ggml_set_name, (ggml_tensor *, const char *))               \
  F(void, ggml_set_input, (ggml_tensor *))                                     \
  F(ggml_backend_buffer *, ggml_backend_alloc_ctx_tensors_from_buft,           \
    (ggml_context *, ggml_backend_buffer_type *))                              \
  F(ggml_backend_buffer_type *, ggml_backend_cpu_buffer_type, ())              \
  F(void, ggml_backend_buffer_free, (ggml_backend_buffer *))                   \
  F(size_t, ggml_nbytes, (const ggml_tensor *))                                \
  F(void, ggml_backend_tensor_get,                                             \
    (const ggml_tensor *, void *, size_t offset, size_t bytes))                \
  F(const char *, ggml_backend_buffer_name, (ggml_backend_buffer *))           \
  F(void *, ggml_backend_buffer_get_base, (ggml_backend_buffer *))             \
  F(size_t, ggml_backend_buffer_get_size, (ggml_backend_buffer *))             \
  F(int, ggml_backend_buffer_get_usage, (ggml_backend_buffer *))               \
  F(bool, ggml_backend_buffer_is_host, (ggml_backend_buffer *))                \
  F(const char *, ggml_backend_name, (ggml_backend *))                         \
  F(ggml_backend_device *, ggml_backend_get_device, (ggml_backend *))          \
  F(const char *, ggml_backend_dev_description, (ggml_backend_device *))       \
  F(void, ggml_backend_synchronize, (ggml_backend *))                          \
  F(int, ggml_backend_graph_compute_async, (ggml_backend *, ggml_cgraph *))    \
  F(ggml_backend *, ggml_backend_sched_get_tensor_backend,                     \
    (ggml_backend_sched *, ggml_tensor *))                                     \
  F(bool, ggml_backend_sched_alloc_graph,                                      \
    (ggml_backend_sched *, ggml_cgraph *))                                     \
  F(int, ggml_backend_sched_graph_compute_async,                               \
    (ggml_backend_sched *, ggml_cgraph *))                                     \
  F(void, ggml_backend_sched_set_eval_callback,                                \
    (ggml_backend_sched *, ggml_eval_callback, void *))                        \
  F(void, ggml_backend_sched_synchronize, (ggml_backend_sched *))              \
  F(void, ggml_backend_sched_reset, (ggml_backend_sched *))                    \
  F(void, ggml_backend_sched_free, (ggml_backend_sched *))

struct Ggml {
#define F(result, name, parameters) result(*name) parameters = nullptr;
  LLM_GGML_FUNCTIONS(F)
#undef F
  const char *(*ggml_version)() = nullptr; ///< null in older versions

  /// Whether all functions were found, tensors have the layout above, and the
  /// capture can begin.
  bool isUsable = false;
};

/// Returns the functions of the program, which are looked up once. A function
/// may be called if it is not null. The program could not run without those
/// that it calls.
const Ggml &ggml();

/// Returns how this program's tensors differ from the layout above, or null.
/// Makes a few tensors in a context of their own.
const char *findUnknownLayout(const Ggml &ggml);

} // namespace llmGgml

#endif // LLM_TOOLS_GGMLTRACE_GGML_H
