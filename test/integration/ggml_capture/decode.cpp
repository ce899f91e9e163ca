// A program of llama.cpp as others write them, without any thought of a
// capture:
//   decode MODEL TOKENS STEPS [--threads=N] [--graphs=FILE] [--rounds=N]
//     [--flash=1] [--experts=FILE]
// prints the greedy tokens that follow TOKENS ("3,17,5"), a line for each of N
// threads with a context of its own.
// --graphs writes what llama.cpp's own callback sees of the nodes of each
// graph, by the headers of this version, and so says what a capture must have.
// --experts writes what that callback reads of the experts that tokens choose.
// --rounds starts over N times; nanoseconds of each token are then printed at
// the end.
#include "llama.h"

#include "ggml-backend.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using Tokens = std::vector<llama_token>;

static std::string option(int argc, char **argv, const std::string &name,
                          const std::string &otherwise) {
  for (int i = 4; i < argc; ++i)
    if (!strncmp(argv[i], (name + "=").c_str(), name.size() + 1))
      return argv[i] + name.size() + 1;
  return otherwise;
}

/// One line for each node: op, name, type, sizes, and names of sources.
static bool writeNode(ggml_tensor *node, bool isAsked, void *file) {
  if (!isAsked)
    return true;
  auto *out = static_cast<FILE *>(file);
  fprintf(out, "%s|%s|%s|%lld,%lld,%lld,%lld|", ggml_op_desc(node), node->name,
          ggml_type_name(node->type), (long long)node->ne[0],
          (long long)node->ne[1], (long long)node->ne[2],
          (long long)node->ne[3]);
  for (ggml_tensor *source : node->src)
    if (source)
      fprintf(out, "%s,", source->name);
  fprintf(out, "\n");
  return false;
}

/// One line for each layer: its name, and the experts of one token after the
/// other.
static bool writeExperts(ggml_tensor *node, bool isAsked, void *file) {
  if (strncmp(node->name, "ffn_moe_topk", 12))
    return !isAsked;
  if (isAsked)
    return true;
  std::vector<char> content(ggml_nbytes(node));
  ggml_backend_tensor_get(node, content.data(), 0, content.size());
  auto *out = static_cast<FILE *>(file);
  fprintf(out, "%s", node->name);
  for (int64_t token = 0; token < node->ne[1]; ++token)
    for (int64_t i = 0; i < node->ne[0]; ++i)
      fprintf(out, " %d",
              *(int32_t *)&content[token * node->nb[1] + i * node->nb[0]]);
  fprintf(out, "\n");
  return true;
}

static llama_token chooseToken(llama_context *context, int vocabulary) {
  const float *logits = llama_get_logits_ith(context, -1);
  return llama_token(std::max_element(logits, logits + vocabulary) - logits);
}

/// The tokens, and how long each took in nanoseconds.
static void generate(llama_model *model, const Tokens &prompt, int steps,
                     bool isFlash, FILE *graphs, bool areExperts, Tokens &found,
                     std::vector<long long> &times) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 64;
  params.n_threads = params.n_threads_batch = 1;
  params.type_k = params.type_v = isFlash ? GGML_TYPE_F16 : GGML_TYPE_F32;
  params.flash_attn_type =
      isFlash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  if (graphs) {
    params.cb_eval = areExperts ? writeExperts : writeNode;
    params.cb_eval_user_data = graphs;
  }
  llama_context *context = llama_init_from_model(model, params);
  if (!context)
    exit(1);
  int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  Tokens next = prompt;
  for (int step = 0; step < steps; ++step) {
    if (graphs)
      fprintf(graphs, "graph\n");
    auto start = std::chrono::steady_clock::now();
    if (llama_decode(context,
                     llama_batch_get_one(next.data(), int(next.size()))))
      exit(1);
    found.push_back(chooseToken(context, vocabulary));
    times.push_back((std::chrono::steady_clock::now() - start).count());
    next = {found.back()};
  }
  llama_free(context);
}

int main(int argc, char **argv) {
  Tokens prompt;
  for (char *at = argv[2]; *at; at += *at == ',')
    prompt.push_back(llama_token(strtol(at, &at, 10)));
  int steps = atoi(argv[3]),
      rounds = atoi(option(argc, argv, "--rounds", "1").c_str());
  size_t threads = atoi(option(argc, argv, "--threads", "1").c_str());
  bool isFlash = option(argc, argv, "--flash", "0") == "1";
  std::string expertsPath = option(argc, argv, "--experts", "");
  std::string graphsPath = option(argc, argv, "--graphs", expertsPath);
  FILE *graphs = graphsPath.empty() ? nullptr : fopen(graphsPath.c_str(), "w");

  llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
  ggml_backend_load_all_from_path(getenv("GGML_BACKENDS"));
  llama_model_params params = llama_model_default_params();
  llama_model *model = llama_model_load_from_file(argv[1], params);
  if (!model)
    return 1;
  std::vector<Tokens> found(threads);
  std::vector<std::vector<long long>> times(threads);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::thread> running;
    for (size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        found[i].clear();
        generate(model, prompt, steps, isFlash, graphs, !expertsPath.empty(),
                 found[i], times[i]);
      });
    for (std::thread &thread : running)
      thread.join();
  }
  for (const Tokens &tokens : found) {
    for (llama_token token : tokens)
      printf("%d ", token);
    printf("\n");
  }
  if (rounds > 1)
    for (long long time : times[0])
      printf("%lld\n", time);
  llama_model_free(model);
  if (graphs)
    fclose(graphs);
}
