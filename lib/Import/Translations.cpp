//===- Translations.cpp - What llm-translate can do -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/Translations.h"
#include "llm/Import/HfConfig.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::llm {

namespace cl = llvm::cl;

namespace {
/// The command line's form of `ImportOptions`. Translations have no options of
/// their own, so these live as long as the process.
struct ImportFlags {
  cl::OptionCategory category{"Import options"};
  cl::opt<Phase> phase{
      "phase", cl::cat(category), cl::init(Phase::Decode),
      cl::desc("Phase of inference (default: decode)"),
      cl::values(
          clEnumValN(Phase::Decode, "decode", "new tokens against a cache"),
          clEnumValN(Phase::Prefill, "prefill", "a prompt"),
          clEnumValN(Phase::Verify, "verify",
                     "drafts (speculative decoding), seq - 1 of them and the "
                     "token before: each has logits"))};
  cl::opt<long long> batch{"batch", cl::cat(category), cl::init(1),
                           cl::desc("Sequences (default: 1)")};
  cl::opt<long long> seq{
      "seq", cl::cat(category), cl::init(0),
      cl::desc("New tokens per sequence (default: 1 in decode, 512 in prefill, "
               "5 in verify)")};
  cl::opt<long long> kvLen{"kv-len", cl::cat(category), cl::init(0),
                           cl::desc("Keys that a sequence sees, new ones "
                                    "included (default: 512 in decode and "
                                    "verify, seq in prefill)")};
  cl::opt<std::string> layers{
      "layers", cl::cat(category), cl::init("1"), cl::value_desc("N|all"),
      cl::desc("Decoder layers alone, from the first on; all: the whole model, "
               "with embedding and head (default: 1)")};
  cl::opt<MaskKind> mask{"mask", cl::cat(category), cl::init(MaskKind::Causal),
                         cl::desc("Keys that a query sees (default: causal)"),
                         cl::values(clEnumValN(MaskKind::Causal, "causal",
                                               "those up to its own position"),
                                    clEnumValN(MaskKind::Full, "full", "all"))};

  cl::opt<Routing> routing{
      "routing", cl::cat(category), cl::init(Routing::Uniform),
      cl::desc("How tokens select experts (default: uniform)"),
      cl::values(
          clEnumValN(Routing::Uniform, "uniform",
                     "at random: as many experts as tokens meet on average"),
          clEnumValN(Routing::Balanced, "balanced",
                     "all experts, with as many tokens each"),
          clEnumValN(Routing::Zipf, "zipf", "in proportion to 1 / rank"))};

  FailureOr<ImportOptions> get(MLIRContext *context) const {
    FailureOr<std::optional<int64_t>> layerCount = parseLayers(layers, context);
    if (failed(layerCount))
      return failure();
    ImportOptions options;
    options.phase = phase;
    options.batch = batch;
    options.seq = ifGiven(seq);
    options.kvLen = ifGiven(kvLen);
    options.layers = *layerCount;
    options.mask = mask;
    options.routing = routing;
    return options;
  }

private:
  static std::optional<int64_t> ifGiven(const cl::opt<long long> &flag) {
    return flag.getNumOccurrences() ? std::optional<int64_t>(flag)
                                    : std::nullopt;
  }
};
} // namespace

static OwningOpRef<Operation *>
translateHfConfig(const ImportFlags &flags, const llvm::SourceMgr &sources,
                  MLIRContext *context) {
  FailureOr<ImportOptions> options = flags.get(context);
  if (failed(options))
    return nullptr;
  const llvm::MemoryBuffer *file =
      sources.getMemoryBuffer(sources.getMainFileID());
  FailureOr<OwningOpRef<ModuleOp>> module = importHfConfig(
      file->getBuffer(), file->getBufferIdentifier(), *options, context);
  if (failed(module))
    return nullptr;
  return OwningOpRef<Operation *>(module->release().getOperation());
}

void registerImportTranslations() {
  static ImportFlags flags;
  static TranslateToMLIRRegistration hfConfig(
      "import-hf-config", "llm IR from a Hugging Face config.json",
      TranslateRawSourceMgrToMLIRFunction(
          [](llvm::SourceMgr &sources, MLIRContext *context) {
            return translateHfConfig(flags, sources, context);
          }));
}

} // namespace mlir::llm
