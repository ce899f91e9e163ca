//===- ImportOptions.cpp - Which program to make of a model ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/ImportOptions.h"
#include "LinearWeights.h"
#include "Sequences.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Dialect/Llm/Plans/Formats.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

namespace mlir::llm {

FailureOr<std::optional<int64_t>> parseLayers(StringRef text,
                                              MLIRContext *context) {
  if (text == "all")
    return std::optional<int64_t>();
  int64_t layers;
  if (!text.getAsInteger(10, layers) && layers > 0)
    return std::optional<int64_t>(layers);
  return emitError(UnknownLoc::get(context))
         << "--layers must be 'all' or a positive whole number, got '" << text
         << "'";
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Finds what is meant: `--kv` and `--kv-len` are alike.
static std::string findMeantFormat(StringRef name, Stored stored) {
  if (stored == Stored::Cache && llvm::all_of(name, llvm::isDigit))
    return "; a number of keys is --kv-len=" + name.str();
  return didYouMean(name, formatNames());
}

/// Sets `type` to the format `name`. The name of the model's element type sets
/// it back to null.
static LogicalResult applyFormat(StringRef option, StringRef name,
                                 Stored stored, const ModelConfig &model,
                                 Type &type) {
  if (name.empty())
    return success();
  MLIRContext *context = model.location.getContext();
  Type named = findFormat(name, stored, context);
  if (!named)
    return emitOptionError(context)
           << option << " must be one of " << describeFormats() << "; got '"
           << name << "'" << findMeantFormat(name, stored);
  type = named == model.elementType ? Type() : named;
  return success();
}

/// Stores weights of such types in the type of the model. They keep an entry,
/// because linear layers without one have the format of the others.
static void makePlain(ModelConfig &model, function_ref<bool(Type)> isSuch) {
  auto change = [&](WeightTypes &types) {
    for (auto &[name, type] : types)
      if (isSuch(type))
        type = model.elementType;
  };
  change(model.weightTypes);
  for (LayerConfig &layer : model.layers)
    change(layer.weightTypes);
}

/// Finds the name that is meant: PyTorch has other names for the same types,
/// and formats of weights belong to another option.
static std::string findMeantDtype(StringRef name) {
  StringRef meant = llvm::StringSwitch<StringRef>(name)
                        .Cases({"float32", "float", "fp32"}, "f32")
                        .Cases({"float16", "half", "fp16"}, "f16")
                        .Case("bfloat16", "bf16")
                        .Default("");
  if (!meant.empty())
    return ("; did you mean '" + meant + "'?").str();
  if (llvm::is_contained(formatNames(), name))
    return "; a format of weights is --weights=" + name.str();
  return didYouMean(name, {"f32", "f16", "bf16"});
}

static LogicalResult applyDtype(ModelConfig &model, StringRef name) {
  if (name.empty())
    return success();
  Builder b(model.location.getContext());
  Type type = llvm::StringSwitch<Type>(name)
                  .Case("f32", b.getF32Type())
                  .Case("f16", b.getF16Type())
                  .Case("bf16", b.getBF16Type())
                  .Default(nullptr);
  if (!type)
    return emitOptionError(b.getContext())
           << "--dtype must be one of f32, f16, bf16; got '" << name << "'"
           << findMeantDtype(name);
  model.elementType = type;
  makePlain(model, [](Type each) { return isa<FloatType>(each); });
  return success();
}

LogicalResult applyFormats(ModelConfig &model, const ImportOptions &options) {
  if (failed(applyDtype(model, options.dtype)))
    return failure();
  NumberFormats &formats = model.formats;
  if (!options.weights.empty()) {
    // The format holds for all linear layers of decoder layers, and activations
    // stay as they are.
    formats.weights = formats.activations = Type();
    formats.isStatic = false;
    for (LayerConfig &layer : model.layers)
      for (const std::string &weight : linearWeightsOf(layer))
        layer.weightTypes.erase(weight);
  }
  // If a plain type is named, no weight is in a format, also not embedding and
  // head.
  Type named =
      findFormat(options.weights, Stored::Weight, model.location.getContext());
  if (named && isa<FloatType>(named))
    makePlain(model, [](Type each) { return !isa<FloatType>(each); });
  if (!options.activations.empty())
    formats.isStatic = false;
  if (failed(applyFormat("--weights", options.weights, Stored::Weight, model,
                         formats.weights)) ||
      failed(applyFormat("--activations", options.activations,
                         Stored::Activation, model, formats.activations)) ||
      failed(
          applyFormat("--kv", options.kv, Stored::Cache, model, formats.cache)))
    return failure();
  formats.isCacheNamed = formats.cache || !options.kv.empty();
  if (formats.activations && !formats.weights)
    return emitOptionError(model.location.getContext())
           << "--activations=" << options.activations
           << " needs weights in a format, too: add --weights, other than the "
              "model's own type";
  return success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Checks what only the whole model needs, and what contradicts its layers.
static LogicalResult checkOptions(const ModelConfig &model,
                                  const ImportOptions &options) {
  if (!options.layers && model.vocabulary == 0)
    return emitError(model.location)
           << "'vocab_size' is missing: the whole model has embedding and head";
  auto hasWindow = [](const LayerConfig &layer) {
    return layer.attention.window != 0 || layer.attention.chunk != 0;
  };
  if (options.mask == MaskKind::Full && llvm::any_of(model.layers, hasWindow))
    return emitOptionError(model.location.getContext())
           << "--mask=full contradicts the sliding window of the model";
  auto hasLatents = [](const LayerConfig &layer) {
    return layer.attention.latent.rank != 0;
  };
  if (options.latentAttention != LatentAttention::Auto &&
      llvm::none_of(model.layers, hasLatents))
    return emitOptionError(model.location.getContext())
           << "--mla is for models with multi-head latent attention";
  auto isRecurrent = [](const LayerConfig &layer) {
    return layer.recurrent.kind != RecurrentKind::None;
  };
  if (options.linearAttention != LinearAttentionForm::Auto &&
      llvm::none_of(model.layers, isRecurrent))
    return emitOptionError(model.location.getContext())
           << "--linear-attn is for models with linear attention";
  auto hasExperts = [](const LayerConfig &layer) {
    return layer.feedForward.experts.count != 0;
  };
  if (options.routing && llvm::none_of(model.layers, hasExperts))
    return emitOptionError(model.location.getContext())
           << "--routing is for models with experts, which this one does not "
              "have: leave it out";
  return success();
}

/// Checks that further tokens can be predicted.
static LogicalResult checkFurther(const ModelConfig &model,
                                  const ImportOptions &options,
                                  ArrayRef<Sequences> groups) {
  if (!options.predictsFurther)
    return success();
  MLIRContext *context = model.location.getContext();
  const FurtherConfig &further = model.further;
  if (options.layers)
    return emitOptionError(context)
           << "--mtp needs --layers=all: what predicts further tokens reads "
              "the output of the last layer";
  if (further.field.empty())
    return emitError(model.location)
           << "--mtp: the model has no layers that predict further tokens";
  if (further.layers.empty())
    return emitError(model.location)
           << "--mtp is not supported for the '" << further.field
           << "' of model_type \"" << model.family << "\"";
  if (further.modules > ProgramAttr::maxFurtherTokens)
    return emitError(model.location)
           << "--mtp: '" << further.field << "' " << further.modules
           << " is more than " << ProgramAttr::maxFurtherTokens;
  if (llvm::any_of(groups, [](const Sequences &each) { return each.isOpen(); }))
    return emitOptionError(context)
           << "--mtp needs --batch, --seq and --kv-len that are numbers";
  return success();
}

/// Models that compress keys need positions that are known.
static LogicalResult checkCompression(const ModelConfig &model,
                                      ArrayRef<Sequences> groups) {
  auto isCompressed = [](const LayerConfig &layer) {
    return layer.attention.compressed.ratio != 0;
  };
  auto isOpen = [](const Sequences &group) {
    return group.seq == openSize || llvm::is_contained(group.kvLens, openSize);
  };
  if (llvm::any_of(model.layers, isCompressed) && llvm::any_of(groups, isOpen))
    return emitOptionError(model.location.getContext())
           << "--seq and --kv-len must be numbers: which windows of keys a "
              "step "
              "closes depends on them; --batch may be open";
  return success();
}

FailureOr<ProgramAttr> resolveProgram(const ModelConfig &model,
                                      const ImportOptions &options) {
  MLIRContext *context = model.location.getContext();
  int64_t modelLayers = model.layers.size();
  int64_t layers = options.layers.value_or(modelLayers);
  FailureOr<std::vector<Sequences>> groups = groupSequences(model, options);
  if (failed(groups) || failed(checkPositive(context, "--layers", layers)))
    return failure();
  if (layers > modelLayers)
    return emitError(model.location)
           << "--layers=" << layers
           << " is more than the model has: " << modelLayers;
  if (failed(checkOptions(model, options)) ||
      failed(checkCompression(model, *groups)) ||
      failed(checkFurther(model, options, *groups)) ||
      failed(checkSizes(model, *groups)))
    return failure();
  SmallVector<SequencesAttr> sequences;
  for (const Sequences &group : *groups)
    sequences.push_back(
        SequencesAttr::get(context, group.batch, group.seq, group.kvLens));
  return ProgramAttr::get(context, StringAttr::get(context, model.family),
                          options.phase, sequences, layers, modelLayers,
                          /*isWhole=*/!options.layers,
                          options.predictsFurther ? model.further.modules : 0);
}

} // namespace mlir::llm
