//===- GraphStructure.cpp - What a graph is made of -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphStructure.h"

#include <algorithm>
#include <iterator>

namespace llmGgml {

uint32_t GraphStructure::add(ggml_tensor *tensor) {
  if (!tensor)
    return format::none;
  auto [entry, isNew] = numbers.try_emplace(tensor, uint32_t(tensors.size()));
  if (isNew)
    tensors.push_back(tensor);
  return entry->second;
}

GraphStructure::GraphStructure(ggml_cgraph *graph) {
  nodes = size_t(ggml().ggml_graph_n_nodes(graph));
  numbers.reserve(2 * nodes);
  for (size_t i = 0; i < nodes; ++i)
    add(ggml().ggml_graph_node(graph, int(i)));
  // The list grows by the sources of its elements.
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ggml_tensor &tensor = *tensors[i];
    auto end = std::find_if(std::rbegin(tensor.src), std::rend(tensor.src),
                            [](const ggml_tensor *source) { return source; });
    Sources of;
    of.view = add(tensor.view_src);
    of.count = uint8_t(std::rend(tensor.src) - end);
    std::transform(tensor.src, tensor.src + of.count, of.of,
                   [&](ggml_tensor *source) { return add(source); });
    sources.push_back(of);
  }
}

namespace {
/// Numbers keys in the order in which they come.
template <typename Key>
class Numbering {
public:
  uint32_t add(Key key) {
    auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end())
      found = keys.insert(keys.end(), key);
    return uint32_t(found - keys.begin());
  }
  std::vector<Key> keys; ///< a handful
};

/// The tables of a record, and the tensors that refer to them.
struct Tables {
  Numbering<int> types;
  Numbering<ggml_backend *> backends;
  Numbering<ggml_backend_buffer *> buffers;

  void encode(Body &body) const;
};
} // namespace

void Tables::encode(Body &body) const {
  for (int type : types.keys) {
    body.addText(ggml().ggml_type_name(type));
    body.add(uint32_t(ggml().ggml_blck_size(type)));
    body.add(uint32_t(ggml().ggml_type_size(type)));
  }
  for (ggml_backend *backend : backends.keys) {
    ggml_backend_device *device = ggml().ggml_backend_get_device(backend);
    body.addText(ggml().ggml_backend_name(backend));
    body.addText(device ? ggml().ggml_backend_dev_description(device) : "");
  }
  for (ggml_backend_buffer *buffer : buffers.keys) {
    body.addText(ggml().ggml_backend_buffer_name(buffer));
    body.add(uint8_t(ggml().ggml_backend_buffer_get_usage(buffer)));
    body.add(uint8_t(ggml().ggml_backend_buffer_is_host(buffer)));
    body.add(uint64_t(ggml().ggml_backend_buffer_get_size(buffer)));
  }
}

/// Counts parameters. The parameter of a view is its beginning, which is in
/// `offsets`.
static uint8_t countParameters(const ggml_tensor &tensor, const char *op) {
  if (strcmp(op, "VIEW") == 0)
    return 0;
  auto end =
      std::find_if(std::rbegin(tensor.op_params), std::rend(tensor.op_params),
                   [](uint32_t word) { return word; });
  return uint8_t(std::rend(tensor.op_params) - end);
}

Body GraphStructure::encode(const BackendOf &backendOf) const {
  Tables tables;
  Body encoded;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ggml_tensor &tensor = *tensors[i];
    const Sources &from = sources[i];
    const char *op = ggml().ggml_op_name(tensor.op);
    ggml_backend *backend = i < nodes ? backendOf(tensors[i]) : nullptr;
    encoded.addText(tensor.name);
    // "UNARY" and "GLU" are families, whose description names the op.
    bool isFamily = !strcmp(op, "UNARY") || !strcmp(op, "GLU");
    encoded.addText(isFamily ? ggml().ggml_op_desc(&tensor) : op);
    encoded.add(tables.types.add(tensor.type));
    encoded.add(tensor.flags);
    encoded.add(backend ? tables.backends.add(backend) : format::none);
    encoded.add(tensor.buffer ? tables.buffers.add(tensor.buffer)
                              : format::none);
    encoded.add(from.view);
    for (int64_t size : tensor.ne)
      encoded.add(size);
    for (size_t stride : tensor.nb)
      encoded.add(uint64_t(stride));
    uint8_t words = countParameters(tensor, op);
    encoded.add(words);
    std::for_each_n(tensor.op_params, words,
                    [&](uint32_t word) { encoded.add(word); });
    encoded.add(from.count);
    std::for_each_n(from.of, from.count,
                    [&](uint32_t source) { encoded.add(source); });
  }
  Body body;
  for (size_t count :
       {size_t(0), nodes, tensors.size(), tables.types.keys.size(),
        tables.backends.keys.size(), tables.buffers.keys.size()})
    body.add(uint32_t(count));
  tables.encode(body);
  body.bytes += encoded.bytes;
  for (const ggml_tensor *tensor : tensors)
    body.add(uint64_t(tensor->view_src ? tensor->view_offs : 0));
  return body;
}

uint64_t GraphStructure::hash(const Body &body) const {
  return hashBytes(body, body.bytes.size() - tensors.size() * sizeof(uint64_t));
}

/// Whether the program has loaded the numbers of a tensor. Results of the graph
/// and inputs of each step are in other buffers.
static bool isLoaded(const ggml_tensor &tensor) {
  constexpr int compute = 2;
  return tensor.buffer && tensor.data &&
         ggml().ggml_backend_buffer_get_usage(tensor.buffer) != compute;
}

std::vector<Body> GraphStructure::encodeNumbers() const {
  constexpr unsigned factors = 2; // the operand of ROPE
  constexpr size_t mostBytes = 1 << 16;
  std::vector<Body> found;
  std::vector<bool> isSeen(tensors.size());
  for (size_t i = 0; i < nodes; ++i) {
    uint32_t number = sourceOf(i, factors);
    if (number == format::none || number < nodes || isSeen[number] ||
        strcmp(ggml().ggml_op_name(tensors[i]->op), "ROPE") != 0)
      continue;
    isSeen[number] = true;
    const ggml_tensor &tensor = *tensors[number];
    size_t bytes = ggml().ggml_nbytes(&tensor);
    size_t count = bytes / sizeof(float);
    bool isVector = size_t(tensor.ne[0]) == count &&
                    !strcmp(ggml().ggml_type_name(tensor.type), "f32");
    if (!isVector || bytes > mostBytes || !isLoaded(tensor))
      continue;
    Body &body = found.emplace_back();
    body.add(uint32_t(0)); // of the graph
    body.add(number);
    body.add(uint32_t(count));
    size_t before = body.bytes.size();
    body.bytes.resize(before + bytes);
    ggml().ggml_backend_tensor_get(&tensor, &body.bytes[before], 0, bytes);
  }
  return found;
}

} // namespace llmGgml
