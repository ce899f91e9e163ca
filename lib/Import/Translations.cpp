//===- Translations.cpp - What llm-translate can do -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/Translations.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Import/Checkpoints.h"
#include "llm/Import/HfConfig.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::llm {

namespace cl = llvm::cl;

namespace {
/// Whole numbers, and `?` for a size that the program leaves open.
struct SizeParser : cl::parser<long long> {
  using cl::parser<long long>::parser;
  bool parse(cl::Option &option, StringRef, StringRef text, long long &value) {
    if (text == "?")
      value = openSize;
    else if (text.getAsInteger(10, value) || value == openSize)
      return option.error("'" + text +
                          "' value invalid: must be a whole number or '?'");
    return false;
  }
};

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
                     "token before: each has logits"),
          clEnumValN(Phase::Mixed, "mixed",
                     "decode, with a chunk of a prompt beside it"))};
  cl::opt<long long, false, SizeParser> batch{
      "batch", cl::cat(category), cl::init(1), cl::value_desc("N|?"),
      cl::desc("Sequences (default: 1, or as many as seq or kv-len list); ?: "
               "open, as may be seq and kv-len (see llm-bind-shapes)")};
  cl::list<long long, bool, SizeParser> seq{
      "seq", cl::cat(category), cl::CommaSeparated, cl::value_desc("N[,N...]"),
      cl::desc("New tokens per sequence, of all or of each (default: 1 in "
               "decode, 512 in prefill, 5 in verify)")};
  cl::list<long long, bool, SizeParser> kvLen{
      "kv-len", cl::cat(category), cl::CommaSeparated,
      cl::value_desc("N[,N...]"),
      cl::desc("Keys that a sequence sees, new ones included, of all or of "
               "each (default: 512 in decode and verify, seq in prefill)")};
  cl::opt<long long> chunk{
      "chunk", cl::cat(category), cl::init(0),
      cl::desc("Tokens of the prompt in phase mixed (default: 512)")};
  cl::opt<long long> chunkKvLen{
      "chunk-kv-len", cl::cat(category), cl::init(0),
      cl::desc("Keys that the last token of the chunk sees, those before the "
               "chunk included (default: chunk)")};
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
  cl::opt<LatentAttention> latentAttention{
      "mla", cl::cat(category), cl::init(LatentAttention::Auto),
      cl::desc("How multi-head latent attention is computed (default: auto)"),
      cl::values(
          clEnumValN(LatentAttention::Auto, "auto",
                     "absorbed, but expanded for prompts and their chunks"),
          clEnumValN(LatentAttention::Absorbed, "absorbed",
                     "among the latents, which all heads share"),
          clEnumValN(LatentAttention::Expanded, "expanded",
                     "with keys and values of all heads"))};

  cl::opt<std::string> dtype{
      "dtype", cl::cat(category), cl::value_desc("type"),
      cl::desc("Element type of activations, and of weights in no format: f32, "
               "f16 or bf16 (default: the model's)")};
  cl::opt<std::string> weights{
      "weights", cl::cat(category), cl::value_desc("format"),
      cl::desc("Format of the linear layers of decoder layers: f32, f16, bf16, "
               "fp8, fp8_channel, fp8_block, int8, int4, int4_gN, mxfp8, "
               "mxfp4, nvfp4 (default: the model's); with the first three, no "
               "other weight is in a format either")};
  cl::opt<std::string> activations{
      "activations", cl::cat(category), cl::value_desc("format"),
      cl::desc("Format to which their activations are converted (default: the "
               "model's; none with --weights)")};
  cl::opt<std::string> kv{"kv", cl::cat(category), cl::value_desc("format"),
                          cl::desc("Format of the KV cache (default: the "
                                   "model's)")};

  FailureOr<ImportOptions> get(MLIRContext *context) const {
    FailureOr<std::optional<int64_t>> layerCount = parseLayers(layers, context);
    if (failed(layerCount))
      return failure();
    ImportOptions options;
    options.phase = phase;
    options.batch = ifGiven(batch);
    options.seq.assign(seq.begin(), seq.end());
    options.kvLen.assign(kvLen.begin(), kvLen.end());
    options.chunk = ifGiven(chunk);
    options.chunkKvLen = ifGiven(chunkKvLen);
    options.layers = *layerCount;
    options.mask = mask;
    options.routing = routing;
    options.latentAttention = latentAttention;
    options.dtype = dtype;
    options.weights = weights;
    options.activations = activations;
    options.kv = kv;
    return options;
  }

private:
  template <typename Flag>
  static std::optional<int64_t> ifGiven(const Flag &flag) {
    return flag.getNumOccurrences() ? std::optional<int64_t>(flag)
                                    : std::nullopt;
  }
};
} // namespace

namespace {
using Import = llvm::function_ref<FailureOr<OwningOpRef<ModuleOp>>(
    StringRef text, StringRef fileName, const ImportOptions &options,
    MLIRContext *context)>;

/// A file of weights is no text, and its lines may be very long.
class PlainDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit PlainDiagnostics(MLIRContext *context)
      : ScopedDiagnosticHandler(
            context, [](Diagnostic &diagnostic) { printPlain(diagnostic); }) {}
};
} // namespace

static OwningOpRef<Operation *> translate(Import import,
                                          const ImportFlags &flags,
                                          const llvm::SourceMgr &sources,
                                          MLIRContext *context) {
  FailureOr<ImportOptions> options = flags.get(context);
  if (failed(options))
    return nullptr;
  const llvm::MemoryBuffer *file =
      sources.getMemoryBuffer(sources.getMainFileID());
  FailureOr<OwningOpRef<ModuleOp>> module =
      import(file->getBuffer(), file->getBufferIdentifier(), *options, context);
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
            return translate(importHfConfig, flags, sources, context);
          }));
  static TranslateToMLIRRegistration gguf(
      "import-gguf", "llm IR from the header of a GGUF file",
      TranslateRawSourceMgrToMLIRFunction(
          [](llvm::SourceMgr &sources, MLIRContext *context) {
            PlainDiagnostics diagnostics(context);
            return translate(importGguf, flags, sources, context);
          }));
  static TranslateToMLIRRegistration safetensors(
      "import-safetensors",
      "llm IR from a config.json, held against the headers of the checkpoint "
      "beside it, which say the types of its weights",
      TranslateRawSourceMgrToMLIRFunction(
          [](llvm::SourceMgr &sources, MLIRContext *context) {
            PlainDiagnostics diagnostics(context);
            return translate(importSafetensors, flags, sources, context);
          }));
}

} // namespace mlir::llm
