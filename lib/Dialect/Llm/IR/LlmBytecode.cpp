//===- LlmBytecode.cpp - The version of bytecode --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/LlmBytecode.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Attributes and types are written as text, which is what Spec.md fixes.
struct LlmBytecodeInterface : BytecodeDialectInterface {
  explicit LlmBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    // Who writes may ask for another version.
    FailureOr<const DialectVersion *> asked =
        writer.getDialectVersion<LlmDialect>();
    writer.writeVarInt(
        succeeded(asked)
            ? static_cast<const LlmDialectVersion *>(*asked)->number
            : LlmDialectVersion::current);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > LlmDialectVersion::current) {
      reader.emitError() << "the 'llm' dialect has version " << number
                         << " there, and this tool reads versions up to "
                         << LlmDialectVersion::current
                         << ": read it with the llm-opt that wrote it, and "
                            "write it as text";
      return nullptr;
    }
    return std::make_unique<LlmDialectVersion>(number);
  }
};
} // namespace

void mlir::llm::addBytecodeInterface(LlmDialect &dialect) {
  dialect.addInterface(std::make_unique<LlmBytecodeInterface>(&dialect));
}
