//===- HfConfig.cpp - Models from Hugging Face's config.json --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/HfConfig.h"
#include "HfFields.h"
#include "llm/Import/DecoderBuilder.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// What all families share
//===----------------------------------------------------------------------===//

/// `torch_dtype` and its newer name `dtype`, which must agree.
static Type readElementType(HfFields &fields, MLIRContext *context) {
  std::string older = fields.string("torch_dtype", "");
  std::string newer = fields.string("dtype", older);
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

/// The keys that scaled rotary embeddings use for their kind, and the kinds
/// that change nothing but the table of angles.
static void checkRopeType(HfFields &rope) {
  static constexpr llvm::StringLiteral known[] = {
      "default", "linear", "dynamic", "yarn", "longrope", "llama3"};
  for (StringRef key : {"rope_type", "type"}) {
    std::string type = rope.string(key, "default");
    if (!llvm::is_contained(known, type))
      rope.refuse(key) << "must be one of " << llvm::join(ArrayRef(known), ", ")
                       << "; got \"" << type << "\"";
  }
}

static void checkWholeHeadRotates(HfFields &fields) {
  if (fields.number("partial_rotary_factor", 1) != 1)
    fields.refuse("partial_rotary_factor")
        << "other than 1 is not supported: the whole head is rotated";
}

/// The base of the angles: `rope_theta`, or the same inside `rope_parameters`.
static double readTheta(HfFields &fields) {
  double theta = fields.number("rope_theta", 10000);
  for (StringRef key : {"rope_scaling", "rope_parameters"}) {
    const LocatedJson *object = fields.find(key);
    if (!object)
      continue;
    if (failed(object->expectObject())) {
      fields.markFailed();
      continue;
    }
    HfFields rope(*object);
    checkRopeType(rope);
    checkWholeHeadRotates(rope);
    double inner = rope.number("rope_theta", theta);
    if (fields.find("rope_theta") && inner != theta)
      rope.refuse("rope_theta")
          << "contradicts the 'rope_theta' at the top level";
    theta = inner;
    if (rope.hasFailed())
      fields.markFailed();
  }
  return theta;
}

/// Every layer must see all keys before it.
static void checkFullAttention(HfFields &fields) {
  fields.mustBeFalse("use_sliding_window", "every layer sees all keys");
  if (fields.find("sliding_window") && !fields.find("use_sliding_window"))
    fields.refuse("sliding_window")
        << "is not supported: every layer sees all keys; a window that is not "
           "in use needs 'use_sliding_window': false";
  const LocatedJson *types = fields.find("layer_types");
  if (!types)
    return;
  if (failed(types->expectArray()))
    return fields.markFailed();
  for (const LocatedJson &type : types->elements())
    if (type.describe() != "\"full_attention\"") {
      type.emitError() << "'" << type.path()
                       << "' must be \"full_attention\", got "
                       << type.describe();
      return fields.markFailed();
    }
}

/// Fields that say, if anything, that the layers are not those that we build.
static void checkPlainDecoder(HfFields &fields) {
  std::string activation = fields.string("hidden_act", "silu");
  if (activation != "silu")
    fields.refuse("hidden_act")
        << "must be \"silu\", got \"" << activation << "\"";
  checkFullAttention(fields);
  checkWholeHeadRotates(fields);
  for (StringRef key :
       {"quantization_config", "quantization", "compression_config"})
    fields.mustBeAbsent(key,
                        "weights, activations and cache have one element type");
  if (const LocatedJson *pruned = fields.find("pruned_heads"))
    if (!pruned->isObject() || !pruned->members().empty())
      fields.refuse("pruned_heads") << "is not supported: layers are equal";
  for (StringRef key : {"is_encoder_decoder", "add_cross_attention"})
    fields.mustBeFalse(key, "the model is a stack of decoder layers");
}

static void readCommon(HfFields &fields, ModelConfig &model) {
  model.hidden = fields.positive("hidden_size");
  model.intermediate = fields.positive("intermediate_size");
  model.heads = fields.positive("num_attention_heads");
  model.layers = fields.positive("num_hidden_layers");
  model.epsilon = fields.number("rms_norm_eps", 1e-6);
  model.theta = readTheta(fields);
  model.attentionBias = fields.boolean("attention_bias", false);
  model.elementType = readElementType(fields, model.location.getContext());
  checkPlainDecoder(fields);
}

/// What `ModelConfig` promises beyond positive sizes.
static void checkModel(HfFields &fields, const ModelConfig &model) {
  if (model.heads % model.kvHeads)
    fields.refuse("num_key_value_heads")
        << model.kvHeads << " does not divide 'num_attention_heads' "
        << model.heads;
  if (model.headDim % 2)
    fields.refuse("head_dim")
        << model.headDim << " must be even: rotary embedding turns pairs";
  if (!(model.epsilon >= 0))
    fields.refuse("rms_norm_eps") << "must not be negative";
  if (!(model.theta > 0))
    fields.refuse("rope_theta") << "must be positive";
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// The size of a head where the config does not say it.
static int64_t deriveHeadDim(HfFields &fields, const ModelConfig &model) {
  if (model.hidden % model.heads == 0 || fields.hasFailed())
    return model.hidden / model.heads;
  fields.refuse("num_attention_heads")
      << model.heads << " does not divide 'hidden_size' " << model.hidden
      << ", and 'head_dim' is missing";
  return 1;
}

static void readLlama(HfFields &fields, ModelConfig &model) {
  model.kvHeads = fields.positive("num_key_value_heads", model.heads);
  model.headDim = fields.find("head_dim") ? fields.positive("head_dim")
                                          : deriveHeadDim(fields, model);
  model.mlpBias = fields.boolean("mlp_bias", false);
}

static void readQwen3(HfFields &fields, ModelConfig &model) {
  model.kvHeads = fields.positive("num_key_value_heads");
  model.headDim = fields.positive("head_dim");
  model.qkNorm = true;
  fields.mustBeFalse("mlp_bias", "this architecture has none");
}

namespace {
struct Family {
  llvm::StringLiteral modelType;
  void (*read)(HfFields &fields, ModelConfig &model);
};
} // namespace

static constexpr Family families[] = {{"llama", readLlama},
                                      {"qwen3", readQwen3}};

static const Family *findFamily(const LocatedJson &config) {
  FailureOr<const LocatedJson *> field = config.require("model_type");
  if (failed(field))
    return nullptr;
  FailureOr<std::string> modelType = (*field)->asString();
  if (failed(modelType))
    return nullptr;
  for (const Family &family : families)
    if (family.modelType == *modelType)
      return &family;
  InFlightDiagnostic diagnostic = (*field)->emitError();
  diagnostic << "'model_type' " << (*field)->describe()
             << " is not supported; supported: ";
  llvm::interleaveComma(families, diagnostic, [&](const Family &family) {
    diagnostic << family.modelType;
  });
  return nullptr;
}

FailureOr<ModelConfig> readHfConfig(const LocatedJson &config) {
  if (failed(config.expectObject()))
    return failure();
  const Family *family = findFamily(config);
  if (!family)
    return failure();
  HfFields fields(config);
  fields.find("model_type");
  ModelConfig model(config.loc());
  model.family = family->modelType.str();
  readCommon(fields, model);
  family->read(fields, model);
  if (!fields.hasFailed())
    checkModel(fields, model);
  if (failed(fields.finish(model.family)))
    return failure();
  return model;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

static FailureOr<OwningOpRef<ModuleOp>> import(FailureOr<LocatedJson> config,
                                               const ImportOptions &options,
                                               MLIRContext *context) {
  if (failed(config))
    return failure();
  FailureOr<ModelConfig> model = readHfConfig(*config);
  if (failed(model))
    return failure();
  loadDecoderDialects(context);
  FailureOr<ProgramAttr> program = resolveProgram(*model, options);
  if (failed(program))
    return failure();
  return buildDecoder(*model, *program, options.mask);
}

FailureOr<OwningOpRef<ModuleOp>> importHfConfig(StringRef text,
                                                StringRef bufferName,
                                                const ImportOptions &options,
                                                MLIRContext *context) {
  return import(LocatedJson::parse(text, bufferName, context), options,
                context);
}

FailureOr<OwningOpRef<ModuleOp>>
importHfConfigFile(StringRef path, const ImportOptions &options,
                   MLIRContext *context) {
  return import(LocatedJson::parseFile(path, context), options, context);
}

} // namespace mlir::llm
