//===- Serving.h - What requests of a served model see ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of a model that serves several requests at a time by continuous
// batching (Yu et al., Orca, OSDI 2022), made of two programs that are
// predicted: a decode step of all requests, and one prompt. Docs:
// many-chips.md.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SERVING_SERVING_H
#define LLM_SERVING_SERVING_H

#include "llm/Import/ImportOptions.h"
#include "llm/Target/Target.h"

#include <map>
#include <string>

namespace mlir::llm {

/// Requests, all alike. Where one ends, another one comes.
struct ServedLoad {
  int64_t inputTokens = 1;  ///< of each prompt
  int64_t outputTokens = 2; ///< that a request asks for; the prompt makes one
  int64_t requests = 1;     ///< at a time
};

/// How chips share the work. A worker is a copy of the model.
struct Deployment {
  int64_t tensorParallel = 1; ///< chips over which a worker is cut
  int64_t workers = 1;        ///< that decode, each with its share of requests
  /// Workers that do nothing but read prompts, and send their caches to those
  /// that decode. If there are none, workers that decode read prompts, too.
  int64_t promptWorkers = 0;
};

/// What is stated about a deployment, and not predicted.
struct ServingAssumptions {
  double hostSecondsPerStep = 0;     ///< between two steps
  double hostSecondsPerSequence = 0; ///< of each step, for each request in it
  /// At which a cache goes from the worker that read a prompt to the one that
  /// decodes; 0: in no time.
  double cacheBytesPerSecond = 0;
};

struct ServedTimes {
  int64_t chips = 1;        ///< of all workers
  double stepSeconds = 0;   ///< one decode step of a worker's requests
  double promptSeconds = 0; ///< one prompt
  /// From a request to its first token, if no other prompt is ahead of it.
  double firstTokenSeconds = 0;
  /// From one token of a request to the next, on average, with the prompts of
  /// other requests that come between: TPOT, or inter-token latency.
  double tokenSeconds = 0;
  double rooflineTokenSeconds = 0; ///< the same by the roofline of each program
  double tokensPerSecondOfUser = 0; ///< of one request, behind its first token
  double tokensPerSecondOfChip = 0; ///< made by all requests, for each chip
  bool fits = true; ///< both programs, into the memory of a chip
  /// Requests come faster than the workers for prompts read them, so that the
  /// time to the first token only grows.
  bool promptsQueue = false;
};

/// Predicts served times of one model on one target. Programs that several
/// loads have in common are predicted once.
class ServingPredictor {
public:
  /// `formats` says the number formats and how attention is computed; sizes in
  /// it are ignored. `pipeline` are options of --llm-pipeline without target
  /// and tp; "ep=8" among them cuts the experts, too. Dialects are loaded into
  /// the context.
  ServingPredictor(MLIRContext *context, ModelConfig model, Target target,
                   ImportOptions formats, std::string pipeline);

  /// Between two tokens of a request there is one step of all requests of its
  /// worker, with as many keys as a request has on average. While it makes its
  /// tokens, each other request ends once and reads one prompt, and steps wait
  /// for it. Fails with diagnostics of the importer or of a pass.
  FailureOr<ServedTimes> predict(const Deployment &deployment,
                                 const ServedLoad &load,
                                 const ServingAssumptions &assumptions);

private:
  /// What one program takes.
  struct Program {
    double seconds = 0, rooflineSeconds = 0;
    double cacheBytes = 0; ///< of a chip
    bool fits = true;
    int64_t chips = 1; ///< of a worker
  };
  FailureOr<Program> run(Phase phase, int64_t tensorParallel, int64_t batch,
                         int64_t tokens);

  MLIRContext *context;
  ModelConfig model;
  Target target;
  ImportOptions formats;
  std::string pipeline;
  std::map<std::vector<int64_t>, Program> known;
};

} // namespace mlir::llm

#endif // LLM_SERVING_SERVING_H
