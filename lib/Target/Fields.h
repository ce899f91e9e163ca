//===- Fields.h - Target descriptions as fields -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON files and `#dlti.map` attributes hold a target under the same keys. Both
// become a tree of fields, and one reader makes the `Target` and all messages.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TARGET_FIELDS_H
#define LLM_LIB_TARGET_FIELDS_H

#include "llm/Diagnostics/Spelling.h"
#include "llm/Target/Target.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::llm {

/// The keys of fields that are no whole numbers. (Those of whole numbers are in
/// FieldTable.cpp.)
namespace keys {
inline constexpr llvm::StringLiteral name = "name";
inline constexpr llvm::StringLiteral description = "description";
inline constexpr llvm::StringLiteral clockHz = "clock_hz";
inline constexpr llvm::StringLiteral clockIsGiven = "clock_is_given";
inline constexpr llvm::StringLiteral calibration = "calibration";
inline constexpr llvm::StringLiteral fittedOn = "fitted_on";
inline constexpr llvm::StringLiteral measured = "measured";
inline constexpr llvm::StringLiteral engines = "engines";
inline constexpr llvm::StringLiteral kinds = "kinds";
inline constexpr llvm::StringLiteral costModel = "cost_model";
inline constexpr llvm::StringLiteral macs = "macs_per_cycle_per_unit";
inline constexpr llvm::StringLiteral macEnergies = "femtojoules_per_mac";
inline constexpr llvm::StringLiteral kernels = "kernels";
inline constexpr llvm::StringLiteral formats = "formats";
inline constexpr llvm::StringLiteral tiles = "tiles";
inline constexpr llvm::StringLiteral privateMemory = "private_memory";
inline constexpr llvm::StringLiteral ports = "port_bytes_per_second";
inline constexpr llvm::StringLiteral memories = "memories";
inline constexpr llvm::StringLiteral links = "links";
// These are whole numbers that messages name.
inline constexpr llvm::StringLiteral count = "count";
inline constexpr llvm::StringLiteral accumulatorBytes =
    "accumulator_bytes_per_unit";
inline constexpr llvm::StringLiteral capacityBytes = "capacity_bytes";
inline constexpr llvm::StringLiteral lanes = "lanes";
inline constexpr llvm::StringLiteral bytesPerEngine = "bytes_per_engine";
} // namespace keys

/// One value of a description, with its path and the place where it was
/// written.
struct Field {
  enum class Kind { Number, Boolean, String, List, Map, Other };

  Field(std::string path, Location location, std::string context = "")
      : path(std::move(path)), location(location), context(std::move(context)) {
  }

  Kind kind = Kind::Other;
  std::string path; ///< "engines.core.count"; empty for the whole
  Location location;
  std::string context; ///< text before each message
  /// The text of a number or a string. For other values, what messages call
  /// them.
  std::string text;
  bool boolean = false;
  /// The members of a map, or the elements of a list, which have no keys.
  std::vector<std::pair<std::string, Field>> members;

  bool isEmptyText() const { return kind == Kind::String && text.empty(); }
  const Field *find(StringRef key) const;
  /// Makes a path: "engines.core" + "count".
  std::string pathOf(StringRef key) const;
  std::string describe() const;
  InFlightDiagnostic emitError() const;
};

/// Makes and checks the target. `name` is given if the form keeps it outside
/// the fields (as the device of a DLTI specification). Otherwise it is the
/// field "name". Without `calibrated`, fields under "calibration" are checked
/// and not used.
FailureOr<Target> readTargetFields(const Field &root,
                                   std::optional<StringRef> name,
                                   bool calibrated = true);

/// Makes the fields of a target file that describes this target, except its
/// name. Messages about them point to `location` and begin with `context`.
Field targetToFields(const Target &target, Location location,
                     std::string context);

/// Returns the list of numbers that a measured time is in files and attributes:
/// its sizes, picoseconds, millionths of the formula's time, and kernels.
std::vector<int64_t> numbersOf(const MeasuredTime &time);

/// Finds figures that are in another unit than they should be: no chip has
/// them. The target is sound.
std::vector<TargetProblem> findDoubts(const Target &target);

/// Warns of those whose paths are given, where the fields stand.
void warnOfDoubts(const Field &root, const Target &target,
                  ::llvm::function_ref<bool(StringRef path)> isGiven);

/// Finds the field that is meant by what a figure is called in conversation:
/// "bandwidth" is "bytes_per_second". Returns "" for another word.
StringRef findSpokenField(StringRef word);

/// The names of the formats for which a library may have kernels: those of
/// block-scaled values, and narrow types.
std::vector<StringRef> knownFormats();

/// The spellings of element types that may have a rate.
ArrayRef<StringRef> knownElementTypes();

} // namespace mlir::llm

#endif // LLM_LIB_TARGET_FIELDS_H
