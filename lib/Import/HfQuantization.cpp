//===- HfQuantization.cpp - quantization_config ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfQuantization.h"
#include "HfFields.h"
#include "LinearWeights.h"
#include "llm/Dialect/Llm/Plans/Formats.h"
#include "llm/Import/WeightNames.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <cmath>

namespace mlir::llm {

static constexpr int64_t whole = ScalesAttr::wholeDimension;

//===----------------------------------------------------------------------===//
// What is not quantized
//===----------------------------------------------------------------------===//

namespace {
/// Names of modules, parts of their paths, or patterns of them.
class ModuleNames {
public:
  /// Adds a name: `re:` and a regular expression, `*` for any text, or a path
  /// or a part of one. Returns false if the expression is not valid.
  bool add(StringRef name);
  /// Whether the module or one that it belongs to is named.
  bool match(StringRef module) const;
  bool isEmpty() const { return paths.empty() && patterns.empty(); }

private:
  llvm::StringSet<> paths;
  std::vector<llvm::Regex> patterns;
};
} // namespace

/// Translates a Python expression into a POSIX one; nothing if it has an escape
/// without counterpart.
static std::optional<std::string> translateExpression(StringRef python) {
  std::string posix;
  for (size_t i = 0; i < python.size(); ++i) {
    if (python.substr(i).starts_with("(?:")) {
      posix += "(";
      i += 2;
    } else if (python[i] != '\\' || i + 1 == python.size()) {
      posix += python[i];
    } else {
      char escaped = python[++i];
      if (escaped == 'd')
        posix += "[0-9]";
      else if (escaped == 'w')
        posix += "[A-Za-z0-9_]";
      else if (!llvm::isAlnum(escaped))
        posix += {'\\', escaped};
      else
        return std::nullopt;
    }
  }
  return posix;
}

bool ModuleNames::add(StringRef name) {
  std::string expression;
  if (name.consume_front("re:")) {
    std::optional<std::string> posix = translateExpression(name);
    if (!posix)
      return false;
    expression = "^(" + *posix + ")";
  } else if (name.contains('*')) {
    SmallVector<StringRef> pieces;
    name.split(pieces, '*');
    for (auto [index, piece] : llvm::enumerate(pieces))
      expression += (index ? ".*" : "") + llvm::Regex::escape(piece);
    expression = "(^|\\.)" + expression + "(\\.|$)";
  } else {
    paths.insert(name);
    return true;
  }
  llvm::Regex pattern(expression);
  std::string error;
  if (!pattern.isValid(error))
    return false;
  patterns.push_back(std::move(pattern));
  return true;
}

bool ModuleNames::match(StringRef module) const {
  // This tries the path from any part of the name to any other.
  for (StringRef rest = module;; rest = rest.substr(rest.find('.') + 1)) {
    for (size_t end = rest.find('.');; end = rest.find('.', end + 1)) {
      if (paths.contains(rest.substr(0, end)))
        return true;
      if (end == StringRef::npos)
        break;
    }
    if (!rest.contains('.'))
      break;
  }
  return llvm::any_of(patterns, [&](const llvm::Regex &pattern) {
    return pattern.match(module);
  });
}

/// Returns the names that a linear layer has in checkpoints. Experts are
/// numbered, and Mixtral's have names of their own.
static std::vector<std::string> checkpointNames(StringRef part) {
  if (!part.contains(".experts."))
    return {part.str()};
  auto [path, linear] = part.split(".experts.");
  std::string ofExpert = (path + ".experts.0.").str();
  return {part.str(), ofExpert + linear.str(),
          ofExpert + mixtralName(linear).str()};
}

/// Gives linear layers the model's own type, either those that are named or
/// those that are not.
static void setPlainWeights(ModelConfig &model, const ModuleNames &names,
                            bool isNamed) {
  if (names.isEmpty())
    return;
  for (auto [index, layer] : llvm::enumerate(model.layers))
    for (const std::string &weight : linearWeightsOf(layer)) {
      StringRef part = weight;
      part.consume_back(".weight");
      std::string prefix = "model.layers." + std::to_string(index) + ".";
      auto isMatch = [&](const std::string &name) {
        return llvm::any_of(
            namesInLargerModels(prefix + name),
            [&](const std::string &full) { return names.match(full); });
      };
      if (llvm::any_of(checkpointNames(part), isMatch) == isNamed)
        layer.weightTypes[weight] = model.elementType;
    }
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

namespace {
/// Reads one quantization_config by its method.
class QuantizationReader {
public:
  QuantizationReader(const LocatedJson &config, ModelConfig &model)
      : fields(config), model(model), formats(model.formats),
        b(model.location.getContext()) {}

  LogicalResult read(StringRef absentMethod);

private:
  void readFp8();
  void readFbgemm();
  void readMxfp4();
  void readGptq();
  void readAwq();
  void readBitsAndBytes();
  void readModelopt();
  void readCompressedTensors();
  void readCacheScheme();
  void readTargets(HfFields &group);
  /// The element type of a scheme of compressed-tensors; null after an error.
  Type readScheme(const LocatedJson &scheme, Stored stored);
  Type getGrouped(HfFields &scheme, Type valueType, int64_t groupSize,
                  StringRef key, bool hasZeroPoints);

  void addNames(const LocatedJson &list, ModuleNames &names);
  /// Reads a list of names of modules that are not quantized.
  void readPlain(StringRef key);
  void ignore(ArrayRef<StringRef> keys) {
    for (StringRef key : keys)
      fields.find(key);
  }
  Type e4m3() { return Float8E4M3FNType::get(b.getContext()); }
  Type named(StringRef name, Stored stored) {
    return findFormat(name, stored, b.getContext());
  }

  HfFields fields;
  ModelConfig &model;
  NumberFormats &formats;
  Builder b;
  ModuleNames plain;
};
} // namespace

void QuantizationReader::addNames(const LocatedJson &list, ModuleNames &names) {
  if (failed(list.expectArray())) {
    fields.markFailed();
    return;
  }
  for (const LocatedJson &each : list.elements()) {
    FailureOr<std::string> name = each.asString();
    if (succeeded(name) && names.add(*name))
      continue;
    fields.markFailed();
    if (succeeded(name))
      each.emitError() << "'" << each.path()
                       << "' is no regular expression that is understood: "
                       << each.describe();
  }
}

void QuantizationReader::readPlain(StringRef key) {
  if (const LocatedJson *list = fields.find(key))
    addNames(*list, plain);
}

/// Two sizes of a block; nothing after an error.
static std::optional<std::vector<int64_t>> readBlock(HfFields &fields,
                                                     StringRef key) {
  std::vector<int64_t> block = fields.wholeNumbers(key);
  auto isSize = [](int64_t size) { return size >= 1 && size <= 1 << 30; };
  if (block.size() == 2 && llvm::all_of(block, isSize))
    return block;
  if (!fields.hasFailed())
    fields.refuse(key) << "must be two positive whole numbers, at most 2^30";
  return std::nullopt;
}

/// Reads DeepSeek's blocks, or one scale for each weight.
void QuantizationReader::readFp8() {
  fields.mustBe("fmt", "e4m3");
  std::string scheme = fields.string("activation_scheme", "dynamic");
  if (scheme != "dynamic" && scheme != "static")
    fields.refuse("activation_scheme")
        << "must be \"dynamic\" or \"static\", got \"" << scheme << "\"";
  formats.isStatic = scheme == "static";
  formats.weights = named("fp8", Stored::Weight);
  formats.activations = named("fp8", Stored::Activation);
  if (fields.find("weight_block_size")) {
    auto block = readBlock(fields, "weight_block_size");
    if (!block)
      return;
    formats.weights = getScaled(e4m3(), *block, b.getF32Type());
    formats.activations = getScaled(e4m3(), {block->back()}, b.getF32Type());
  }
  readPlain("ignored_layers");
  readCacheScheme();
  ignore({"scale_fmt"});
}

void QuantizationReader::readFbgemm() {
  formats.weights = named("fp8_channel", Stored::Weight);
  formats.activations = named("fp8_channel", Stored::Activation);
  ignore({"activation_scale_ub"});
}

/// Reads a format in which only experts are stored.
void QuantizationReader::readMxfp4() {
  formats.weights = named("mxfp4", Stored::Weight);
  for (LayerConfig &layer : model.layers)
    for (const std::string &weight : linearWeightsOf(layer))
      if (!StringRef(weight).contains(".experts."))
        layer.weightTypes[weight] = model.elementType;
}

/// Returns integers in groups along the reduction, or in whole rows for a size
/// of -1.
Type QuantizationReader::getGrouped(HfFields &scheme, Type valueType,
                                    int64_t groupSize, StringRef key,
                                    bool hasZeroPoints) {
  if (groupSize == -1)
    groupSize = whole;
  else if (groupSize < 1) {
    scheme.refuse(key) << "must be a positive whole number or -1, got "
                       << groupSize;
    return {};
  }
  SmallVector<ScalesAttr, 2> scales = {
      ScalesAttr::get(b.getContext(), groupSize, b.getF16Type())};
  if (hasZeroPoints)
    scales.push_back(ScalesAttr::get(b.getContext(), groupSize, valueType));
  return BlockScaledType::get(b.getContext(), valueType, scales);
}

/// Reads a whole number, which may be -1.
static int64_t readGroupSize(HfFields &fields, StringRef key, int64_t absent) {
  double size = fields.number(key, static_cast<double>(absent));
  constexpr double most = 1 << 30;
  return size == std::floor(size) && std::abs(size) < most
             ? static_cast<int64_t>(size)
             : 0;
}

void QuantizationReader::readGptq() {
  int64_t bits = fields.positive("bits", 4);
  if (bits != 2 && bits != 3 && bits != 4 && bits != 8) {
    fields.refuse("bits") << "must be 2, 3, 4 or 8, got " << bits;
    return;
  }
  // The zero points are stored even if they are all the same.
  formats.weights = getGrouped(fields, b.getIntegerType(bits),
                               readGroupSize(fields, "group_size", 128),
                               "group_size", /*hasZeroPoints=*/true);
  fields.mustBeFalse("lm_head", "the head is not quantized");
  fields.mustBeAbsent("modules_in_block_to_quantize",
                      "all linear layers are quantized in one way");
  ignore({"sym",
          "desc_act",
          "damp_percent",
          "true_sequential",
          "static_groups",
          "model_name_or_path",
          "model_file_base_name",
          "checkpoint_format",
          "meta",
          "dataset",
          "tokenizer",
          "use_exllama",
          "use_cuda_fp16",
          "model_seqlen",
          "exllama_config",
          "block_name_to_quantize",
          "module_name_preceding_first_block",
          "batch_size",
          "pad_token_id",
          "max_input_length",
          "cache_block_outputs",
          "version",
          "disable_exllama",
          "pack_dtype"});
}

void QuantizationReader::readAwq() {
  int64_t bits = fields.positive("bits", fields.positive("w_bit", 4));
  if (bits != 4) {
    fields.refuse("bits") << "must be 4, got " << bits;
    return;
  }
  StringRef key = fields.find("q_group_size") ? "q_group_size" : "group_size";
  formats.weights = getGrouped(fields, b.getIntegerType(bits),
                               readGroupSize(fields, key, 128), key,
                               fields.boolean("zero_point", true));
  ignore({"version", "group_size", "backend", "do_fuse", "exllama_config",
          "modules_to_fuse", "fuse_max_seq_len"});
}

void QuantizationReader::readBitsAndBytes() {
  bool isDoubled = fields.boolean("bnb_4bit_use_double_quant", false);
  auto scales = [&](int64_t block, Type type) {
    return ScalesAttr::get(b.getContext(), block, type);
  };
  if (fields.boolean("load_in_8bit", fields.boolean("_load_in_8bit", false))) {
    formats.weights = named("int8", Stored::Weight);
    formats.activations = named("int8", Stored::Activation);
  } else if (isDoubled) // 256 scales of 64 values share another one
    formats.weights = BlockScaledType::get(
        b.getContext(), b.getIntegerType(4),
        {scales(64, b.getI8Type()), scales(64 * 256, b.getF32Type())});
  else
    formats.weights = getScaled(b.getIntegerType(4), {64}, b.getF32Type());
  readPlain("llm_int8_skip_modules");
  ignore({"bnb_4bit_compute_dtype", "bnb_4bit_quant_type",
          "bnb_4bit_quant_storage", "llm_int8_enable_fp32_cpu_offload",
          "llm_int8_has_fp16_weight", "llm_int8_threshold", "load_in_4bit",
          "_load_in_4bit"});
}

void QuantizationReader::readModelopt() {
  std::string algorithm = fields.string("quant_algo", "");
  StringRef format = algorithm == "FP8"     ? "fp8"
                     : algorithm == "NVFP4" ? "nvfp4"
                                            : "";
  if (format.empty()) {
    fields.refuse("quant_algo")
        << "must be \"FP8\" or \"NVFP4\", got \"" << algorithm << "\"";
    return;
  }
  formats.weights = named(format, Stored::Weight);
  formats.activations = named(format, Stored::Activation);
  formats.isStatic = algorithm == "FP8";
  std::string cache = fields.string("kv_cache_quant_algo", "");
  if (cache == "FP8")
    formats.cache = named("fp8", Stored::Cache);
  else if (!cache.empty())
    fields.refuse("kv_cache_quant_algo")
        << "must be \"FP8\", got \"" << cache << "\"";
  readPlain("exclude_modules");
  readPlain("ignore");
  readCacheScheme();
  ignore({"producer", "group_size", "config_groups", "quant_method"});
}

Type QuantizationReader::readScheme(const LocatedJson &json, Stored stored) {
  if (failed(json.expectObject())) {
    fields.markFailed();
    return {};
  }
  HfFields scheme(json);
  int64_t bits = scheme.positive("num_bits", 8);
  std::string kind = scheme.string("type", "int");
  int64_t groupSize = readGroupSize(scheme, "group_size", 0);
  bool hasGroups = scheme.find("group_size");
  std::string strategy = scheme.string("strategy", !hasGroups        ? "tensor"
                                                   : groupSize == -1 ? "channel"
                                                                     : "group");
  bool isFloat = kind == "float";
  Type valueType =
      isFloat && bits == 8   ? e4m3()
      : isFloat && bits == 4 ? Type(Float4E2M1FNType::get(b.getContext()))
      : kind == "int" && (bits == 4 || bits == 8) ? Type(b.getIntegerType(bits))
                                                  : Type();
  Type type;
  if (!valueType)
    scheme.refuse("num_bits") << "must be 4 or 8, of type \"int\" or \"float\"";
  else if (strategy == "tensor")
    type = getScaled(valueType, wholeBlock(stored), b.getF32Type());
  else if (strategy == "channel" || strategy == "token")
    type = getScaled(valueType, {whole}, b.getF32Type());
  else if (strategy == "tensor_group" && isFloat && bits == 4 &&
           (!hasGroups || groupSize == 16))
    type = named("nvfp4", stored);
  else if (strategy == "group")
    type = getGrouped(scheme, valueType, groupSize, "group_size",
                      !scheme.boolean("symmetric", true));
  else if (strategy == "block") {
    if (auto block = readBlock(scheme, "block_structure"))
      type = getScaled(valueType, *block, b.getF32Type());
  } else
    scheme.refuse("strategy") << "must be tensor, channel, token, group, "
                                 "tensor_group or block, got \""
                              << strategy << "\"";
  scheme.boolean("symmetric", true);
  for (StringRef key : {"dynamic", "observer", "observer_kwargs", "actorder",
                        "scale_dtype", "zp_dtype"})
    scheme.find(key);
  if (failed(scheme.finish("a scheme of compressed-tensors")))
    fields.markFailed();
  return type;
}

/// Reads `targets`: all linear layers, or those that are named.
void QuantizationReader::readTargets(HfFields &group) {
  const LocatedJson *targets = group.find("targets");
  if (!targets)
    return;
  ModuleNames named;
  addNames(*targets, named);
  if (!named.match("Linear"))
    setPlainWeights(model, named, /*isNamed=*/false);
}

void QuantizationReader::readCacheScheme() {
  if (const LocatedJson *cache = fields.find("kv_cache_scheme"))
    formats.cache = readScheme(*cache, Stored::Cache);
}

/// Reads a config in which all linear layers are quantized in one way.
void QuantizationReader::readCompressedTensors() {
  const LocatedJson *groups = fields.find("config_groups");
  if (!groups || !groups->isObject() || groups->members().size() != 1) {
    fields.refuse("config_groups")
        << "must be an object with one group: all linear layers are quantized "
           "in one way";
    return;
  }
  const LocatedJson &group = groups->members().front().second;
  if (failed(group.expectObject())) {
    fields.markFailed();
    return;
  }
  HfFields groupFields(group);
  readTargets(groupFields);
  const LocatedJson *weights = groupFields.find("weights");
  if (!weights || weights->isNull()) {
    group.emitError() << "'" << group.path() << ".weights' is missing";
    fields.markFailed();
    return;
  }
  formats.weights = readScheme(*weights, Stored::Weight);
  const LocatedJson *inputs = groupFields.find("input_activations");
  if (inputs && !inputs->isNull()) {
    formats.activations = readScheme(*inputs, Stored::Activation);
    const LocatedJson *dynamic = inputs->find("dynamic");
    formats.isStatic = dynamic && dynamic->describe() == "false";
  }
  groupFields.find("format");
  groupFields.mustBeAbsent("output_activations",
                           "results have the type of the model");
  if (failed(groupFields.finish("a group of compressed-tensors")))
    fields.markFailed();
  readCacheScheme();
  readPlain("ignore");
  ignore({"format", "global_compression_ratio", "quantization_status",
          "sparsity_config", "transform_config", "version"});
}

LogicalResult QuantizationReader::read(StringRef absentMethod) {
  using Read = void (QuantizationReader::*)();
  static constexpr std::pair<llvm::StringLiteral, Read> methods[] = {
      {"awq", &QuantizationReader::readAwq},
      {"bitsandbytes", &QuantizationReader::readBitsAndBytes},
      {"compressed-tensors", &QuantizationReader::readCompressedTensors},
      {"fbgemm_fp8", &QuantizationReader::readFbgemm},
      {"fp8", &QuantizationReader::readFp8},
      {"gptq", &QuantizationReader::readGptq},
      {"modelopt", &QuantizationReader::readModelopt},
      {"mxfp4", &QuantizationReader::readMxfp4}};
  std::string method = fields.string("quant_method", absentMethod);
  const auto *known = llvm::find_if(
      methods, [&](const auto &each) { return each.first == method; });
  if (known == std::end(methods)) {
    InFlightDiagnostic diagnostic = fields.refuse("quant_method");
    diagnostic << "must be one of ";
    llvm::interleaveComma(methods, diagnostic, [&](const auto &each) {
      diagnostic << "\"" << each.first << "\"";
    });
    diagnostic << ", got \"" << method << "\"";
    return diagnostic;
  }
  readPlain("modules_to_not_convert");
  (this->*known->second)();
  setPlainWeights(model, plain, /*isNamed=*/true);
  return fields.finish("quantization_config");
}

LogicalResult readHfQuantization(const LocatedJson &config, ModelConfig &model,
                                 StringRef absentMethod) {
  if (failed(config.expectObject()))
    return failure();
  return QuantizationReader(config, model).read(absentMethod);
}

} // namespace mlir::llm
