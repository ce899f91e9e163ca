//===- Reasons.h - Why something cannot be, and who is told -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that refuses returns a failure, as everywhere in MLIR. Its caller
// chooses who is told the reason: the user by a diagnostic, a caller that can
// go on by a text, or nobody.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_REASONS_H
#define LLM_DIAGNOSTICS_REASONS_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::llm {

/// A reason while `<<` puts it into words, like an InFlightDiagnostic.
class Refusal {
public:
  /// Tells the user.
  Refusal(InFlightDiagnostic &&told) : told(std::move(told)) {}
  /// Tells nobody.
  Refusal() = default;
  /// Writes the complete text to `into`, if `into` is still empty. So of
  /// several reasons, the first is kept.
  Refusal(Location loc, std::string *into)
      : kept(std::in_place, loc, DiagnosticSeverity::Error), into(into) {}
  Refusal(Refusal &&other);
  Refusal &operator=(Refusal &&) = delete;
  ~Refusal();

  template <typename Arg>
  Refusal &operator<<(Arg &&arg) & {
    if (Diagnostic *words = told.getUnderlyingDiagnostic())
      *words << std::forward<Arg>(arg);
    else if (kept)
      *kept << std::forward<Arg>(arg);
    return *this;
  }
  template <typename Arg>
  Refusal &&operator<<(Arg &&arg) && {
    return std::move(*this << std::forward<Arg>(arg));
  }
  /// Adds a note to the diagnostic, if there is one.
  void addNote(const Twine &note) {
    if (told.getUnderlyingDiagnostic())
      told.attachNote() << note;
  }

  operator LogicalResult() const { return failure(); }
  template <typename T>
  operator FailureOr<T>() const {
    return failure();
  }

private:
  InFlightDiagnostic told;
  std::optional<Diagnostic> kept;
  std::string *into = nullptr;
};

/// A function that begins a refusal. MLIR's `getChecked` takes it, and a
/// function that returns an InFlightDiagnostic converts to it.
using EmitError = function_ref<Refusal()>;

/// Says who is told why a function refuses.
class Reasons {
public:
  /// Tells the user, by an error at the op.
  Reasons() = default;
  static Reasons unsaid() { return Reasons(Told::Nobody, nullptr); }
  /// Keeps the first reason, as the diagnostic would say it. `text` must
  /// outlive this.
  static Reasons into(std::string &text) { return Reasons(Told::Text, &text); }

  /// Begins with the name of the op, as its `emitOpError` does.
  Refusal refuse(Operation *op) const;
  /// Refuses what is no op, with an error at `loc`.
  Refusal refuse(Location loc) const;

private:
  enum class Told { User, Text, Nobody };
  Reasons(Told told, std::string *text) : told(told), text(text) {}

  Told told = Told::User;
  std::string *text = nullptr;
};

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_REASONS_H
