//===- HfRope.cpp - Rotary embeddings of a config.json --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

#include <cmath>

namespace mlir::llm {

static constexpr llvm::StringLiteral partialFactor = "partial_rotary_factor",
                                     proportional = "proportional";

static std::string typeOfRope(HfFields &rope) {
  return rope.string("rope_type", rope.string("type", "default"));
}

namespace {

/// Reads `rope_scaling`, or `rope_parameters`, as newer files call it.
class ScalingReader {
public:
  /// `config` is the object around `rope`.
  ScalingReader(HfFields &config, HfFields &rope, MLIRContext *context)
      : config(config), rope(rope), builder(context) {}

  void read(RopeConfig &result) {
    std::string type = typeOfRope(rope);
    if (type == "linear")
      result.scaling = makeLinear();
    else if (type == "llama3")
      result.scaling = makeLlama3();
    else if (type == "yarn")
      result.scaling = makeYarn();
    else if (type == "longrope" || type == "su")
      readLongRope(result);
    else if (type == "dynamic")
      readDynamic(result);
    else if (type == proportional)
      result.scaling = makeProportional();
    else if (type != "default")
      rope.refuse(rope.find("rope_type") ? "rope_type" : "type")
          << "must be one of default, linear, dynamic, yarn, longrope, "
             "llama3, proportional; got \""
          << type << "\"";
  }

private:
  /// Reads a figure, or returns 1 after an error.
  double positive(StringRef key) {
    if (!rope.find(key)) {
      rope.refuse(key) << "is missing, and says what the angles are";
      return 1;
    }
    return positive(key, 1);
  }

  double positive(StringRef key, double absent) {
    double value = rope.number(key, absent);
    if (std::isfinite(value) && value > 0)
      return value;
    rope.refuse(key) << "must be finite and positive";
    return 1;
  }

  FloatAttr attr(double value) { return builder.getF64FloatAttr(value); }
  /// Returns no attribute if it changes nothing.
  FloatAttr amplitude(double value) {
    return value == 1 ? FloatAttr() : attr(value);
  }

  /// Reads the number of positions that the model was trained with before.
  int64_t readOriginalPositions() {
    StringRef original = "original_max_position_embeddings";
    for (HfFields *fields : {&rope, &config})
      if (fields->find(original))
        return fields->positive(original);
    if (config.find("max_position_embeddings"))
      return config.positive("max_position_embeddings");
    rope.refuse(original) << "is missing, as is 'max_position_embeddings': one "
                             "of them says what the angles are";
    return 1;
  }

  RopeScalingAttr makeLinear() {
    return RopeScalingAttr::get(builder.getContext(), RopeScalingKind::Linear,
                                attr(positive("factor")), {}, {}, {}, {}, 0,
                                false, {}, {});
  }

  /// Reads the part of the pairs that turn.
  RopeScalingAttr makeProportional() {
    if (rope.number("factor", 1) != 1)
      rope.refuse("factor") << "other than 1 is not supported beside "
                               "'rope_type': \"proportional\"";
    double part = positive(partialFactor, 1);
    if (part > 1) {
      rope.refuse(partialFactor) << "must be a part of a head: above 0 and at "
                                    "most 1";
      part = 1;
    }
    return RopeScalingAttr::get(builder.getContext(),
                                RopeScalingKind::Proportional, attr(part), {},
                                {}, {}, {}, 0, false, {}, {});
  }

  RopeScalingAttr makeLlama3() {
    double low = positive("low_freq_factor"),
           high = positive("high_freq_factor");
    if (low > high) {
      rope.refuse("low_freq_factor") << "must not be above 'high_freq_factor'";
      high = low;
    }
    return RopeScalingAttr::get(builder.getContext(), RopeScalingKind::Llama3,
                                attr(positive("factor")), attr(low), attr(high),
                                {}, {}, readOriginalPositions(), false, {}, {});
  }

  /// Returns the factor by which YaRN multiplies cosines and sines.
  static double growth(double factor, double slope) {
    return factor <= 1 ? 1 : 0.1 * slope * std::log(factor) + 1;
  }

  RopeScalingAttr makeYarn() {
    double factor = positive("factor"), fast = positive("beta_fast", 32),
           slow = positive("beta_slow", 1);
    if (slow > fast) {
      rope.refuse("beta_slow") << "must not be above 'beta_fast'";
      slow = fast;
    }
    // If both are given, the scale of the scores has their part of the growth.
    double ofScores = rope.number("mscale_all_dim", 0),
           ofAngles = rope.number("mscale", 0);
    double grown = ofScores && ofAngles
                       ? growth(factor, ofAngles) / growth(factor, ofScores)
                       : growth(factor, 1);
    if (rope.find("attention_factor"))
      grown = positive("attention_factor");
    bool truncates = rope.boolean("truncate", true);
    return RopeScalingAttr::get(builder.getContext(), RopeScalingKind::Yarn,
                                attr(factor), {}, {}, attr(fast), attr(slow),
                                readOriginalPositions(), truncates, {},
                                amplitude(grown));
  }

  DenseF64ArrayAttr readFactors(StringRef key) {
    std::vector<double> factors = rope.positiveNumbers(key);
    if (!factors.empty())
      return builder.getDenseF64ArrayAttr(factors);
    rope.refuse(key) << "must be a list of positive numbers, one for each pair "
                        "of features of a head";
    return {};
  }

  void readLongRope(RopeConfig &result) {
    DenseF64ArrayAttr shortFactors = readFactors("short_factor"),
                      longFactors = readFactors("long_factor");
    int64_t original = readOriginalPositions();
    auto positions = static_cast<double>(original);
    // Newer files give the factor, and others the positions.
    double factor = rope.find("factor")
                        ? positive("factor")
                        : static_cast<double>(config.positive(
                              "max_position_embeddings", original)) /
                              positions;
    double grown =
        factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(positions));
    if (rope.find("attention_factor"))
      grown = positive("attention_factor");
    if (rope.hasFailed())
      return;
    auto make = [&](DenseF64ArrayAttr factors) {
      return RopeScalingAttr::get(builder.getContext(), RopeScalingKind::Listed,
                                  {}, {}, {}, {}, {}, 0, false, factors,
                                  amplitude(grown));
    };
    result.scaling = make(shortFactors);
    result.longScaling = make(longFactors);
    result.shortPositions = original;
  }

  /// Changes the base, for contexts that are longer than those of the training.
  void readDynamic(RopeConfig &result) {
    result.dynamicFactor = positive("factor");
    result.shortPositions = readOriginalPositions();
  }

  HfFields &config, &rope;
  Builder builder;
};

/// The figures of scaling. Each kind reads some of them.
constexpr llvm::StringLiteral scalingFigures[] = {
    "rope_type", "type", "factor", "low_freq_factor", "high_freq_factor",
    "original_max_position_"
    "embeddings",
    "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "attention_factor",
    "attn_factor", "long_factor", "short_factor", "long_mscale", "short_mscale",
    "finetuned", "truncate",
    // These are for images. All positions of a text are one.
    "mrope_section", "mrope_interleaved", "llama_4_scaling_beta",
    partialFactor};

void checkWholeHeadRotates(HfFields &fields) {
  if (fields.number(partialFactor, 1) != 1)
    fields.refuse(partialFactor)
        << "other than 1 is not supported: the whole head is rotated";
}

void readScaling(HfFields &fields, const LocatedJson &object, StringRef key,
                 bool canBePartial, RopeConfig &result) {
  if (failed(object.expectObject())) {
    fields.markFailed();
    return;
  }
  HfFields rope(object);
  if (!canBePartial && typeOfRope(rope) != proportional)
    checkWholeHeadRotates(rope);
  double inner = rope.number("rope_theta", result.theta);
  if (fields.find("rope_theta") && inner != result.theta)
    rope.refuse("rope_theta")
        << "contradicts the 'rope_theta' at the top level";
  result.theta = inner;
  ScalingReader(fields, rope, object.loc().getContext()).read(result);
  for (StringRef known : scalingFigures)
    rope.find(known);
  if (failed(rope.finish("'" + key + "'")))
    fields.markFailed();
}

} // namespace

int64_t readRotatedFeatures(HfFields &fields, int64_t headDim) {
  HfFields *owner = &fields;
  std::optional<HfFields> inner;
  for (StringRef key : {"rope_scaling", "rope_parameters"})
    if (const LocatedJson *object = fields.find(key))
      if (object->find(partialFactor))
        owner = &inner.emplace(*object);
  // The scaling then tells the angles of all features.
  if (typeOfRope(*owner) == proportional)
    return headDim;
  double factor = owner->number(partialFactor, 1);
  auto features = static_cast<double>(headDim) * factor;
  if (factor > 0 && factor <= 1 && features >= 2) {
    // Hugging Face's code does the same, except for a feature without a
    // partner.
    auto whole = static_cast<int64_t>(features);
    return whole - whole % 2;
  }
  owner->refuse(partialFactor) << "must be a part of a head of " << headDim
                               << " features: above 0 and at most 1";
  fields.markFailed();
  return headDim;
}

RopeConfig readRope(HfFields &fields, double absentTheta, bool canBePartial) {
  RopeConfig result;
  if (!canBePartial)
    checkWholeHeadRotates(fields);
  result.theta = fields.number("rope_theta", absentTheta);
  for (StringRef key : {"rope_scaling", "rope_parameters"})
    if (const LocatedJson *object = fields.find(key))
      readScaling(fields, *object, key, canBePartial, result);
  if (!(result.theta > 0))
    fields.refuse("rope_theta") << "must be positive";
  return result;
}

RopeScalingAttr readRopeScaling(HfFields &fields, StringRef key, double theta) {
  RopeConfig result;
  result.theta = theta;
  if (const LocatedJson *object = fields.find(key))
    readScaling(fields, *object, key, /*canBePartial=*/true, result);
  return result.scaling;
}

RopesOfKinds readRopesOfKinds(HfFields &fields) {
  const LocatedJson *object = fields.find("rope_parameters");
  if (!object) {
    fields.refuse("rope_parameters")
        << "is missing, and says what the angles are";
    return {};
  }
  if (failed(object->expectObject())) {
    fields.markFailed();
    return {};
  }
  HfFields kinds(*object);
  auto read = [&](StringRef kind) {
    RopeConfig result;
    if (const LocatedJson *rope = kinds.find(kind))
      readScaling(kinds, *rope, kind, /*canBePartial=*/false, result);
    if (!(result.theta > 0))
      kinds.refuse(kind) << "must be an object with a positive 'rope_theta'";
    return result;
  };
  RopesOfKinds result = {read("full_attention"), read("sliding_attention")};
  if (failed(kinds.finish("'rope_parameters'")))
    fields.markFailed();
  return result;
}

} // namespace mlir::llm
