//===- Serving.h - What requests of a served model see ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of a model that serves several requests at a time by continuous
// batching (Yu et al., Orca, OSDI 2022). They follow from the predicted times
// of two programs: a decode step of all requests, and one prompt.
// docs/many-chips.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SERVING_SERVING_H
#define LLM_SERVING_SERVING_H

#include "llm/Import/ImportOptions.h"
#include "llm/Target/Target.h"

#include <map>
#include <string>

namespace mlir::llm {

/// A load of equal requests. When a request ends, another one starts.
struct ServedLoad {
  int64_t inputTokens = 1;  ///< of each prompt
  int64_t outputTokens = 2; ///< of each answer; the prompt makes the first one
  int64_t requests = 1;     ///< number of requests at a time
};

/// How a worker is cut, as options of --llm-pipeline say it.
struct WorkerCut {
  int64_t tp = 1; ///< chips that share each product
  int64_t ep = 1; ///< chips that share the experts
  int64_t dp = 1; ///< of these, chips that share the sequences
  int64_t pp = 1; ///< stages, which share the layers
  int64_t cp = 1; ///< of tp and ep, chips that share the keys of a KV head

  int64_t countChips() const { return tp * ep * pp; }
  /// Returns the options, "tp=4 pp=2"; empty for one chip.
  std::string toOptions() const;
};

/// How chips share the work. A worker is a copy of the model.
struct Deployment {
  WorkerCut cut;
  int64_t workers = 1; ///< workers that decode, with equal shares of requests
  /// The number of workers that only read prompts, and send their caches to
  /// those that decode. If there are none, workers that decode read prompts,
  /// too.
  int64_t promptWorkers = 0;
};

/// Figures of a deployment that the user states, because they are not
/// predicted.
struct ServingAssumptions {
  double hostSecondsPerStep = 0;     ///< between two steps
  double hostSecondsPerSequence = 0; ///< in each step, for each request in it
  /// The rate at which a cache is sent from the worker that read a prompt to
  /// the one that decodes. With 0, it takes no time.
  double cacheBytesPerSecond = 0;
};

struct ServedTimes {
  int64_t chips = 1;        ///< chips of all workers together
  double stepSeconds = 0;   ///< one decode step of the requests of a worker
  double promptSeconds = 0; ///< one prompt
  /// The time from a request to its first token, if no other prompt is before
  /// it.
  double firstTokenSeconds = 0;
  /// The average time from one token of a request to the next, with the prompts
  /// of other requests in between: TPOT, or inter-token latency.
  double tokenSeconds = 0;
  double rooflineTokenSeconds = 0; ///< the same by the roofline of each program
  double tokensPerSecondOfUser = 0; ///< of one request, after its first token
  double tokensPerSecondOfChip = 0; ///< of all requests, divided by chips
  bool fits = true; ///< both programs fit into the memory of a chip
  /// The bytes that the larger of them needs on a chip, and those that the chip
  /// has.
  double neededBytes = 0, capacityBytes = 0;
  /// Requests would come faster than the workers for prompts can read them, so
  /// that they queue and the time to the first token grows.
  bool promptsQueue = false;
};

/// Predicts served times of one model on one target. Programs that several
/// loads have in common are predicted once.
class ServingPredictor {
public:
  /// `formats` has the number formats and how attention is computed. Its sizes
  /// are ignored. `pipeline` has options of --llm-pipeline other than target
  /// and those of the cut. Dialects are loaded into the context.
  ServingPredictor(MLIRContext *context, ModelConfig model, Target target,
                   ImportOptions formats, std::string pipeline);

  /// Between two tokens of a request there is one step of all requests of its
  /// worker, with the average number of keys of a request. While the request
  /// makes its tokens, each other request ends once, and the next one reads one
  /// prompt, for which the steps wait. Chips that share sequences read as many
  /// prompts at a time. In a pipeline, requests are in as many groups as there
  /// are stages. Fails with diagnostics of the importer or of a pass.
  FailureOr<ServedTimes> predict(const Deployment &deployment,
                                 const ServedLoad &load,
                                 const ServingAssumptions &assumptions);

private:
  /// The predicted times of one program.
  struct Program {
    double seconds = 0, rooflineSeconds = 0;
    double cacheBytes = 0; ///< on each chip
    double neededBytes = 0, capacityBytes = 0;
    bool fits = true;
    int64_t chips = 1; ///< chips of a worker
  };
  FailureOr<Program> run(Phase phase, const WorkerCut &cut, int64_t batch,
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
