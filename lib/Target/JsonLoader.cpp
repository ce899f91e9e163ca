//===- JsonLoader.cpp - Targets from JSON ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "llm/Files/LocatedJson.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::llm {

static Field toField(const LocatedJson &json) {
  Field field(json.path(), json.loc());
  field.text = json.describe();
  switch (json.kind()) {
  case LocatedJson::Kind::Null:
    break;
  case LocatedJson::Kind::Boolean:
    field.kind = Field::Kind::Boolean;
    field.boolean = *json.asBoolean();
    break;
  case LocatedJson::Kind::Integer:
  case LocatedJson::Kind::Real:
    field.kind = Field::Kind::Number;
    break;
  case LocatedJson::Kind::String:
    field.kind = Field::Kind::String;
    field.text = *json.asString();
    break;
  case LocatedJson::Kind::Array:
    field.kind = Field::Kind::List;
    for (const LocatedJson &element : json.elements())
      field.members.emplace_back("", toField(element));
    break;
  case LocatedJson::Kind::Object:
    field.kind = Field::Kind::Map;
    for (const auto &[name, member] : json.members())
      field.members.emplace_back(name, toField(member));
    break;
  }
  return field;
}

/// Warns of memories on the way to DRAM with a capacity, but without a share
/// for each engine. Bytes only pass such a memory.
static void warnOfMerePassages(const Field &root, const Target &target) {
  const Field *memories = root.find(keys::memories);
  SmallVector<const Memory *> shared = target.sharedMemories();
  for (const Memory *memory : llvm::drop_end(shared))
    if (const Field *field = memories->find(memory->name);
        field && memory->capacityBytes > 0 && !memory->bytesPerEngine)
      mlir::emitWarning(field->location)
          << "'" << field->path
          << "' keeps nothing: all bytes pass it from and to '"
          << shared.back()->name
          << "'. Say with bytes_per_engine in how much of it each engine keeps "
             "tiles that come back, or leave capacity_bytes out";
}

/// Says what a file is that people have beside their targets; empty if it may
/// be one.
static std::string describeOther(const LocatedJson &json) {
  if (json.find("makespan_us"))
    return "a report of --llm-export-report";
  if (json.find("functions") && !json.find("engines"))
    return "a report of several functions";
  return json.find("model_type") ? "the config.json of a model" : "";
}

FailureOr<Target> parseTargetJson(StringRef text, StringRef bufferName,
                                  MLIRContext *context, bool calibrated) {
  FailureOr<LocatedJson> json = LocatedJson::parse(text, bufferName, context);
  if (failed(json))
    return failure();
  if (std::string other = describeOther(*json); !other.empty())
    return json->emitError()
           << "this is " << other
           << "; a target describes a machine (docs/recipes/add-a-chip.md)";
  Field root = toField(*json);
  FailureOr<Target> target =
      readTargetFields(root, /*name=*/std::nullopt, calibrated);
  if (succeeded(target)) {
    warnOfMerePassages(root, *target);
    warnOfDoubts(root, *target, [](StringRef) { return true; });
  }
  return target;
}

} // namespace mlir::llm
