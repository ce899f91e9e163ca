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
/// Parses whole numbers, and `?` for a size that the program leaves open.
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
  // --help is sorted by these names, and tools/docs.sh knows the first word.
  cl::OptionCategory formats{"Import: number formats"};
  cl::OptionCategory model{"Import: the model"};
  cl::OptionCategory sizes{"Import: what is computed"};

  cl::opt<Phase> phase{
      "phase", cl::cat(sizes), cl::init(Phase::Decode),
      cl::desc("Phase of inference (default: decode)"),
      cl::values(
          clEnumValN(Phase::Decode, "decode", "new tokens against a cache"),
          clEnumValN(Phase::Prefill, "prefill", "a prompt"),
          clEnumValN(Phase::Verify, "verify",
                     "drafts of speculative decoding: seq - 1, and one token"),
          clEnumValN(Phase::Mixed, "mixed",
                     "decode, beside a chunk of a prompt"))};
  cl::opt<long long, false, SizeParser> batch{
      "batch", cl::cat(sizes), cl::init(1), cl::value_desc("N|?"),
      cl::desc("Sequences (default: 1; ?: left open for --llm-bind-shapes)")};
  cl::list<long long, bool, SizeParser> seq{
      "seq", cl::cat(sizes), cl::CommaSeparated, cl::value_desc("N[,N...]|?"),
      cl::desc("New tokens of all sequences, or of each (default: decode 1, "
               "prefill 512, verify 5)")};
  cl::list<long long, bool, SizeParser> kvLen{
      "kv-len", cl::cat(sizes), cl::CommaSeparated,
      cl::value_desc("N[,N...]|?"),
      cl::desc("Keys with the new ones, of all sequences, or of each "
               "(default: 512, prefill: seq)")};
  cl::opt<long long> chunk{
      "chunk", cl::cat(sizes), cl::init(0), cl::value_desc("N"),
      cl::desc("Tokens of the chunk of --phase=mixed (default: 512)")};
  cl::opt<long long> chunkKvLen{
      "chunk-kv-len", cl::cat(sizes), cl::init(0), cl::value_desc("N"),
      cl::desc("Keys of the chunk, with those before it (default: chunk)")};
  cl::opt<std::string> layers{
      "layers", cl::cat(model), cl::init("1"), cl::value_desc("N|all"),
      cl::desc("Number of decoder layers; all: with embedding and head "
               "(default: 1)")};
  cl::opt<MaskKind> mask{"mask", cl::cat(model), cl::init(MaskKind::Causal),
                         cl::desc("Keys that a query sees (default: causal)"),
                         cl::values(clEnumValN(MaskKind::Causal, "causal",
                                               "those up to its own position"),
                                    clEnumValN(MaskKind::Full, "full", "all"))};

  cl::opt<Routing> routing{
      "routing", cl::cat(model), cl::init(Routing::Uniform),
      cl::desc("How tokens select experts (default: uniform)"),
      cl::values(
          clEnumValN(Routing::Uniform, "uniform",
                     "the average of random choices: no sample is drawn"),
          clEnumValN(Routing::Balanced, "balanced",
                     "all experts, with as many tokens each"),
          clEnumValN(Routing::Zipf, "zipf", "in proportion to 1 / rank"))};
  cl::opt<LatentAttention> latentAttention{
      "mla", cl::cat(model), cl::init(LatentAttention::Auto),
      cl::desc("How multi-head latent attention is computed (default: auto)"),
      cl::values(clEnumValN(LatentAttention::Auto, "auto",
                            "expanded for prompts and chunks, else absorbed"),
                 clEnumValN(LatentAttention::Absorbed, "absorbed",
                            "with the latents, which all heads share"),
                 clEnumValN(LatentAttention::Expanded, "expanded",
                            "with keys and values of all heads"))};
  cl::opt<LinearAttentionForm> linearAttention{
      "linear-attn", cl::cat(model), cl::init(LinearAttentionForm::Auto),
      cl::desc("How linear attention is computed (default: auto)"),
      cl::values(clEnumValN(LinearAttentionForm::Auto, "auto",
                            "in chunks for prompts and chunks, else in steps"),
                 clEnumValN(LinearAttentionForm::Steps, "steps",
                            "from token to token"),
                 clEnumValN(LinearAttentionForm::Chunks, "chunks",
                            "in chunks, as products of matrices"))};

  cl::opt<Sampling> sampling{
      "sampling", cl::cat(model), cl::init(Sampling::Greedy),
      cl::desc("How a whole model chooses tokens (default: greedy)"),
      cl::values(clEnumValN(Sampling::Greedy, "greedy", "the most likely one"),
                 clEnumValN(Sampling::Categorical, "categorical",
                            "at random, by their probabilities"))};

  cl::opt<bool> mtp{
      "mtp", cl::cat(model), cl::init(false),
      cl::desc("Also predict further tokens, by the modules that the model has "
               "for it")};

  cl::opt<std::string> dtype{
      "dtype", cl::cat(formats), cl::value_desc("type"),
      cl::desc("f32, f16 or bf16: the type of all that has no format "
               "(default: the model's)")};
  cl::opt<std::string> weights{
      "weights", cl::cat(formats), cl::value_desc("format"),
      cl::desc("Format of linear weights in decoder layers (default: the "
               "model's):\nf32, f16, bf16 (these for all weights), fp8, "
               "fp8_channel, fp8_block,\nint8, int4, int4_gN, mxfp8, mxfp4, "
               "nvfp4")};
  cl::opt<std::string> activations{
      "activations", cl::cat(formats), cl::value_desc("format"),
      cl::desc("Format of their activations (default: the model's; none with "
               "--weights)")};
  cl::opt<std::string> kv{
      "kv", cl::cat(formats), cl::value_desc("format"),
      cl::desc("Format of the KV cache (default: the model's)")};

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
    if (routing.getNumOccurrences())
      options.routing = routing;
    options.latentAttention = latentAttention;
    options.linearAttention = linearAttention;
    options.sampling = sampling;
    options.predictsFurther = mtp;
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

/// Prints diagnostics without lines of the file, because a file of weights is
/// no text and its lines may be very long.
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
      "import-hf-config", "A config.json of Hugging Face",
      TranslateRawSourceMgrToMLIRFunction(
          [](llvm::SourceMgr &sources, MLIRContext *context) {
            return translate(importHfConfig, flags, sources, context);
          }));
  static TranslateToMLIRRegistration gguf(
      "import-gguf", "A GGUF file, whose header is read",
      TranslateRawSourceMgrToMLIRFunction(
          [](llvm::SourceMgr &sources, MLIRContext *context) {
            PlainDiagnostics diagnostics(context);
            return translate(importGguf, flags, sources, context);
          }));
  static TranslateToMLIRRegistration safetensors(
      "import-safetensors",
      "A config.json beside a checkpoint, whose headers say the types",
      TranslateRawSourceMgrToMLIRFunction(
          [](llvm::SourceMgr &sources, MLIRContext *context) {
            PlainDiagnostics diagnostics(context);
            return translate(importSafetensors, flags, sources, context);
          }));
}

} // namespace mlir::llm
