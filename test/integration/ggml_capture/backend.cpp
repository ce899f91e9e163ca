// A program of ggml alone: y = W x on a backend without a scheduler, in this
// process and in a fork of it; then two products of which a callback cancels
// the second, on a scheduler of two backends.
//   backend FOLDER_OF_BACKENDS
#include "ggml-alloc.h"
#include "ggml-backend.h"
#include "ggml.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct Product {
  ggml_context *context;
  ggml_cgraph *graph;
  ggml_tensor *x, *first, *second;
};

static Product makeProduct() {
  Product made;
  made.context = ggml_init({16 * ggml_tensor_overhead() + ggml_graph_overhead(),
                            nullptr, /*no_alloc=*/true});
  ggml_tensor *weights = ggml_new_tensor_2d(made.context, GGML_TYPE_F32, 4, 4);
  made.x = ggml_new_tensor_2d(made.context, GGML_TYPE_F32, 4, 2);
  ggml_set_input(weights);
  ggml_set_input(made.x);
  made.first =
      ggml_set_name(ggml_mul_mat(made.context, weights, made.x), "first");
  made.second =
      ggml_set_name(ggml_mul_mat(made.context, weights, made.first), "second");
  ggml_set_output(made.second);
  made.graph = ggml_new_graph(made.context);
  ggml_build_forward_expand(made.graph, made.second);
  return made;
}

static bool fill(ggml_tensor *tensor) {
  std::vector<float> ones(ggml_nelements(tensor), 1.0f);
  ggml_backend_tensor_set(tensor, ones.data(), 0, ggml_nbytes(tensor));
  return true;
}

static float last(ggml_tensor *tensor) {
  float value;
  ggml_backend_tensor_get(tensor, &value, ggml_nbytes(tensor) - sizeof(value),
                          sizeof(value));
  return value;
}

static void computeAlone(ggml_backend_t backend) {
  Product made = makeProduct();
  ggml_backend_buffer_t buffer =
      ggml_backend_alloc_ctx_tensors(made.context, backend);
  fill(made.first->src[0]);
  fill(made.x);
  ggml_backend_graph_compute(backend, made.graph);
  printf("%g\n", last(made.second));
  fflush(stdout);
  ggml_backend_buffer_free(buffer);
  ggml_free(made.context);
}

static int seen = 0;
static bool cancelSecond(ggml_tensor *, bool isAsked, void *) {
  return isAsked || ++seen < 1;
}

static void computeScheduled(ggml_backend_t *backends) {
  ggml_backend_sched_t scheduler = ggml_backend_sched_new(
      backends, nullptr, 2, GGML_DEFAULT_GRAPH_SIZE, false, false);
  for (auto callback :
       {ggml_backend_sched_eval_callback(nullptr), &cancelSecond}) {
    Product made = makeProduct();
    ggml_backend_sched_set_tensor_backend(scheduler, made.first, backends[0]);
    ggml_backend_sched_set_tensor_backend(scheduler, made.second,
                                          backends[callback ? 0 : 1]);
    ggml_backend_sched_set_eval_callback(scheduler, callback, nullptr);
    ggml_backend_sched_alloc_graph(scheduler, made.graph);
    fill(made.first->src[0]);
    fill(made.x);
    ggml_backend_sched_graph_compute(scheduler, made.graph);
    printf("%g\n", last(callback ? made.first : made.second));
    ggml_backend_sched_reset(scheduler);
    ggml_free(made.context);
  }
  ggml_backend_sched_free(scheduler);
}

int main(int, char **argv) {
  ggml_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
  ggml_backend_load_all_from_path(argv[1]);
  ggml_backend_t backends[2];
  for (ggml_backend_t &backend : backends)
    backend = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr);
  computeAlone(backends[0]);
  if (pid_t child = fork())
    waitpid(child, nullptr, 0);
  else {
    // The threads of the backend are not in the child.
    computeAlone(
        ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
    _exit(0);
  }
  computeScheduled(backends);
  for (ggml_backend_t backend : backends)
    ggml_backend_free(backend);
}
