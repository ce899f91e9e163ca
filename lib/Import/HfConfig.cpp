//===- HfConfig.cpp - Models from Hugging Face's config.json --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/HfConfig.h"
#include "HfFamilies.h"
#include "HfQuantization.h"
#include "HfReaders.h"
#include "llm/Import/DecoderBuilder.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// What all families share
//===----------------------------------------------------------------------===//

/// Reads `torch_dtype` and its newer name `dtype`, which must agree.
static Type readElementType(HfFields &fields, HfFields &outer,
                            MLIRContext *context) {
  std::string older = fields.string("torch_dtype", ""),
              newer = fields.string("dtype", older);
  // A larger model may have it for all of its parts.
  if (newer.empty())
    newer = outer.string("dtype", outer.string("torch_dtype", ""));
  if (!older.empty() && older != newer)
    fields.refuse("dtype") << "contradicts 'torch_dtype': \"" << newer
                           << "\" and \"" << older << "\"";
  Builder builder(context);
  Type type = llvm::StringSwitch<Type>(newer)
                  .Cases({"", "bfloat16"}, builder.getBF16Type())
                  .Case("float16", builder.getF16Type())
                  .Case("float32", builder.getF32Type())
                  .Default(nullptr);
  if (!type)
    fields.refuse(fields.find("dtype") ? "dtype" : "torch_dtype")
        << "must be \"bfloat16\", \"float16\" or \"float32\", got \"" << newer
        << "\"";
  return type;
}

/// Checks fields that could only say that the layers are not those that we
/// build.
static void checkPlainDecoder(HfFields &fields, const HfFamily &family) {
  for (StringRef key : {"hidden_act", "hidden_activation"})
    if (family.activation.empty())
      fields.string(key, "");
    else
      fields.mustBe(key, family.activation);
  for (StringRef key : {"quantization", "compression_config"})
    fields.mustBeAbsent(key, "formats are read from 'quantization_config'");
  if (const LocatedJson *pruned = fields.find("pruned_heads"))
    if (!pruned->isObject() || !pruned->members().empty())
      fields.refuse("pruned_heads") << "is not supported: layers are equal";
  for (StringRef key : {"is_encoder_decoder", "add_cross_attention"})
    fields.mustBeFalse(key, "the model is a stack of decoder layers");
}

/// Checks what `ModelConfig` promises beyond positive sizes.
static void checkModel(HfFields &fields, const ModelConfig &model) {
  for (const LayerConfig &layer : model.layers)
    if (!checkHeads(fields, layer.attention))
      break;
  if (!(model.epsilon >= 0))
    fields.refuse("rms_norm_eps") << "must not be negative";
}

static int64_t readLayerCount(HfFields &fields, const HfFamily &family) {
  bool isListed = family.countLayers && !fields.find("num_hidden_layers");
  int64_t layers = isListed ? std::max<int64_t>(1, family.countLayers(fields))
                            : fields.positive("num_hidden_layers");
  if (layers <= ModelConfig::maxLayers)
    return layers;
  fields.refuse("num_hidden_layers")
      << "must be at most " << ModelConfig::maxLayers << ", got " << layers;
  return 1;
}

/// Reads the fields that mean the same in every family.
static void readCommon(HfFields &fields, HfFields &outer,
                       const HfFamily &family, ModelConfig &model) {
  model.hidden = fields.positive("hidden_size");
  model.vocabulary = fields.positive("vocab_size", 0);
  model.hasTiedHead = fields.boolean(
      "tie_word_embeddings", outer.boolean("tie_word_embeddings", false));
  model.epsilon = fields.number("rms_norm_eps", family.epsilon);
  model.elementType =
      readElementType(fields, outer, model.location.getContext());
  checkPlainDecoder(fields, family);

  LayerConfig layer;
  if (!family.has(HasNoHeads))
    layer.attention.heads = fields.positive("num_attention_heads");
  if (!family.has(HasOwnRopes))
    layer.attention.rope =
        readRope(fields, family.theta, family.has(RotatesPart));
  if (!family.has(HasOwnWidths))
    layer.feedForward.intermediate = fields.positive("intermediate_size");
  model.layers.assign(readLayerCount(fields, family), layer);
}

/// Finds the language model of a model of several kinds of input: its
/// `text_config`. The rest is for other inputs, and does not change what is
/// done with text.
static FailureOr<const LocatedJson *> findTextPart(const LocatedJson &config) {
  if (failed(config.expectObject()))
    return failure();
  const LocatedJson *text = config.find("text_config");
  if (!text)
    return &config;
  if (failed(text->expectObject()))
    return failure();
  return text;
}

/// Fields that say how many modules predict further tokens.
static constexpr llvm::StringLiteral furtherKeys[] = {
    "num_nextn_predict_layers", "num_mtp_modules", "mtp_num_hidden_layers"};

/// Reads the formats that ModelOpt writes into a file of its own, if it is
/// there.
static LogicalResult readFormatsBeside(StringRef path, ModelConfig &model) {
  SmallString<128> beside(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(beside, "hf_quant_config.json");
  if (!llvm::sys::fs::exists(path) || !llvm::sys::fs::exists(beside))
    return success();
  FailureOr<LocatedJson> file =
      LocatedJson::parseFile(beside, model.location.getContext());
  if (failed(file))
    return failure();
  FailureOr<const LocatedJson *> quantization = file->require("quantization");
  if (failed(quantization))
    return failure();
  return readHfQuantization(**quantization, model, "modelopt");
}

/// Reads the formats of the model: beside the text part, in it, or in another
/// file.
static LogicalResult readFormats(const LocatedJson &whole, StringRef path,
                                 HfFields &fields, ModelConfig &model) {
  const LocatedJson *inner = fields.find("quantization_config"),
                    *outer = whole.find("quantization_config");
  const LocatedJson *quantization = inner ? inner : outer;
  if (!quantization || quantization->isNull())
    return readFormatsBeside(path, model);
  return readHfQuantization(*quantization, model);
}

/// Reads how many modules predict further tokens and, if the family's are
/// known, what they are.
static void readFurther(HfFields &fields, const HfFamily &family,
                        ModelConfig &model) {
  FurtherConfig &further = model.further;
  for (StringRef key : furtherKeys) {
    const LocatedJson *count = fields.find(key);
    bool isCount = count && count->kind() == LocatedJson::Kind::Integer;
    if (!isCount || !further.field.empty())
      continue;
    further.modules = fields.nonNegative(key, 0);
    if (further.modules)
      further.field = key;
  }
  if (!further.field.empty() && family.readFurther)
    family.readFurther(fields, model);
}

/// Remarks what is left out, as a program has only the layers of the text
/// decoder.
static void noteWhatIsLeftOut(const LocatedJson &whole, const LocatedJson &text,
                              const ModelConfig &model, bool predictsFurther) {
  for (StringRef key : {"vision_config", "audio_config"})
    if (const LocatedJson *part = whole.find(key); part && !part->isNull())
      mlir::emitRemark(part->loc())
          << "'" << key << "' is left out: the program is the text decoder";
  const FurtherConfig &further = model.further;
  if (predictsFurther || further.field.empty())
    return;
  const LocatedJson *layers = text.find(further.field);
  mlir::emitRemark(layers->loc())
      << "'" << further.field << "' " << layers->describe()
      << ": what predicts further tokens behind the last layer is left out"
      << (further.layers.empty() ? "" : ", which --mtp adds");
}

FailureOr<ModelConfig> readHfConfig(const LocatedJson &whole, StringRef path,
                                    bool predictsFurther) {
  // Formats are types of the dialect, which must be loaded.
  loadDecoderDialects(whole.loc().getContext());
  FailureOr<const LocatedJson *> text = findTextPart(whole);
  if (failed(text))
    return failure();
  const LocatedJson &config = **text;
  const HfFamily *family = findHfFamily(config);
  if (!family)
    return failure();
  HfFields fields(config);
  fields.find("model_type");
  ModelConfig model(config.loc());
  model.family = family->modelType.str();
  HfFields outer(whole);
  readCommon(fields, outer, *family, model);
  if (outer.hasFailed())
    fields.markFailed();
  family->read(fields, model);
  if (!fields.hasFailed())
    checkModel(fields, model);
  // Names of modules that are not quantized depend on the layers, so this comes
  // last.
  if (!fields.hasFailed() && failed(readFormats(whole, path, fields, model)))
    fields.markFailed();
  fields.find("quantization_config");
  if (!fields.hasFailed())
    readFurther(fields, *family, model);
  if (failed(fields.finish("model_type \"" + model.family + "\"")))
    return failure();
  noteWhatIsLeftOut(whole, config, model, predictsFurther);
  return model;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

static FailureOr<OwningOpRef<ModuleOp>> import(FailureOr<LocatedJson> config,
                                               StringRef path,
                                               const ImportOptions &options) {
  if (failed(config))
    return failure();
  FailureOr<ModelConfig> model =
      readHfConfig(*config, path, options.predictsFurther);
  if (failed(model))
    return failure();
  return buildDecoder(*model, options);
}

FailureOr<OwningOpRef<ModuleOp>> importHfConfig(StringRef text,
                                                StringRef bufferName,
                                                const ImportOptions &options,
                                                MLIRContext *context) {
  return import(
      LocatedJson::parse(text, bufferName, context, JsonNumbers::AsPython),
      bufferName, options);
}

FailureOr<OwningOpRef<ModuleOp>>
importHfConfigFile(StringRef path, const ImportOptions &options,
                   MLIRContext *context) {
  return import(LocatedJson::parseFile(path, context, JsonNumbers::AsPython),
                path, options);
}

} // namespace mlir::llm
