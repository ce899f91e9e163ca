//===- Aliases.cpp - Long attributes on lines of their own ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"
#include "mlir/Dialect/DLTI/DLTI.h"

using namespace mlir;
using namespace mlir::llm;

static Attribute findIn(MapAttr map, StringRef key) {
  FailureOr<Attribute> value =
      map.query(StringAttr::get(map.getContext(), key));
  return succeeded(value) ? *value : Attribute();
}

/// Writes "matrix_vector_engine", so that another engine gives this one no
/// other name. What is no string is for the reader of targets to refuse.
static void nameEngine(Attribute kinds, raw_ostream &os) {
  if (auto list = dyn_cast<ArrayAttr>(kinds))
    for (Attribute kind : list)
      if (auto name = dyn_cast<StringAttr>(kind))
        os << name.getValue() << "_";
  os << "engine";
}

/// Names a map after what it is in a target (lib/Target/Fields.h), which one of
/// its keys tells. Short maps stay where they are.
static bool nameMap(MapAttr map, raw_ostream &os) {
  if (Attribute kinds = findIn(map, "kinds")) {
    nameEngine(kinds, os);
    return true;
  }
  static constexpr std::pair<StringRef, StringRef> names[] = {
      {"lanes", "shared_memory"},
      {"capacity_bytes", "private_memory"},
      {"bytes_per_second_per_direction", "link"},
      {"f32", "by_type"}, // rates or energies
      {"bf16", "by_type"},
      {"contraction", "kernels"},
      {"elementwise", "kernels"},
      {"launch_nanoseconds", "kernel"},
      {"item_bytes_per_kilocycle", "kernel"}};
  for (auto [key, name] : names)
    if (findIn(map, key)) {
      os << name;
      return true;
    }
  return false;
}

// Tiles and costs stay at their ops, on lines of their own (Syntax.h): of two
// ops with equal ones, one can be edited alone, and a new op gives no other
// alias a new number.
OpAsmDialectInterface::AliasResult Aliases::getAlias(Attribute attribute,
                                                     raw_ostream &os) const {
  auto map = dyn_cast<MapAttr>(attribute);
  if (isa<TargetSystemSpecAttr>(attribute))
    os << "target";
  else if (!map || !nameMap(map, os))
    return AliasResult::NoAlias;
  return AliasResult::OverridableAlias;
}
