//===- PlansDialect.h - Tiles, costs and schedules without ops --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM_PLANS_PLANSDIALECT_H
#define LLM_DIALECT_LLM_PLANS_PLANSDIALECT_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::llm {

/// The `llm` dialect without its ops: the attributes and types that say how a
/// program of other dialects (linalg, say) is tiled, what it costs and when it
/// runs. Its text form is that of `LlmDialect`. A context loads one of the two.
/// A program that only reads plans need not link the ops or their dependencies.
class PlansDialect : public Dialect {
public:
  explicit PlansDialect(MLIRContext *context);
  static constexpr StringLiteral getDialectNamespace() {
    return LlmDialect::getDialectNamespace();
  }

  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override;
  void printAttribute(Attribute attribute,
                      DialectAsmPrinter &printer) const override;
  Type parseType(DialectAsmParser &parser) const override;
  void printType(Type type, DialectAsmPrinter &printer) const override;
  LogicalResult verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) override;
  LogicalResult verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                         unsigned argIndex,
                                         NamedAttribute attribute) override;
  LogicalResult verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                            unsigned resultIndex,
                                            NamedAttribute attribute) override;

private:
  void registerAttributes();
  void registerTypes();
};

/// Returns the text of an attribute on one line, for messages and fingerprints.
/// In a printed program, tiles, costs and slots have several lines.
std::string printOnOneLine(Attribute attribute);

/// Returns the name that `llm.piece` gives to a dimension of a weight, a cache
/// or a state of this type.
std::string nameOfPieceDim(Type type, unsigned dim);

/// Verifies an attribute `llm.*` of an op or a function.
LogicalResult verifyPlan(Operation *op, NamedAttribute attribute);
/// Verifies such an attribute of an argument or a result of a function. `what`
/// names the argument or result in errors.
LogicalResult verifyOnFunctionValue(Operation *op, StringRef what,
                                    NamedAttribute attribute);

/// Writes the version of the dialect into bytecode, and refuses bytecode of a
/// later version. Attributes and types are written as text, whose form Spec.md
/// defines.
struct VersionedBytecode : BytecodeDialectInterface {
  explicit VersionedBytecode(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override;
  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override;
};

} // namespace mlir::llm

MLIR_DECLARE_EXPLICIT_TYPE_ID(mlir::llm::PlansDialect)

#endif // LLM_DIALECT_LLM_PLANS_PLANSDIALECT_H
