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
/// runs. The text is that of `LlmDialect`. A context loads one of the two, and
/// what reads plans links neither the ops nor what they need.
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

/// Returns the text of an attribute on one line, for messages and fingerprints:
/// tiles, costs and slots have several where a program is printed.
std::string printOnOneLine(Attribute attribute);

/// Returns the name in `llm.piece` of a dimension of a weight, a cache or a
/// state of this type.
std::string nameOfPieceDim(Type type, unsigned dim);

/// Verifies an attribute `llm.*` of an op or a function.
LogicalResult verifyPlan(Operation *op, NamedAttribute attribute);
/// Verifies one of an argument or a result of a function; `what` says which.
LogicalResult verifyOnFunctionValue(Operation *op, StringRef what,
                                    NamedAttribute attribute);

/// Bytecode says the version of the dialect, and one of a later version is
/// refused. Attributes and types are written as text, which is what Spec.md
/// fixes.
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
