//===- Reasons.h - Why something cannot be, and who is told -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that refuses returns a failure, as everywhere in MLIR. Its caller
// chooses to whom it says why: to the user, by a diagnostic, to a text of a
// caller that can go on, or to nobody.
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
  /// Puts the text into `into` when it is complete, if `into` is empty. If
  /// there are several reasons, the first says what is wrong.
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
  /// Adds what only a user reads.
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

/// MLIR's `getChecked` takes such a function. One that returns an
/// InFlightDiagnostic can be given, too.
using EmitError = function_ref<Refusal()>;

/// To whom a function tells why it refuses.
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
