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

// Tiles and costs stay at their ops, on lines of their own (Syntax.h): of two
// ops with equal ones, one can be edited alone, and a new op gives no other
// alias a new number.
OpAsmDialectInterface::AliasResult Aliases::getAlias(Attribute attribute,
                                                     raw_ostream &os) const {
  if (!isa<TargetSystemSpecAttr>(attribute))
    return AliasResult::NoAlias;
  os << "target";
  return AliasResult::OverridableAlias;
}
