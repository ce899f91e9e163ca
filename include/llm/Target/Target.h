//===- Target.h - Typed view of the hardware description --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target lives on the module as a `#dlti.target_system_spec` with one device,
// made of
// `#dlti.map` and builtin attributes only, so that stock tools print and keep
// it. This is the one place that knows its keys: the compiler reads a `Target`.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TARGET_TARGET_H
#define LLM_TARGET_TARGET_H

#include "llm/Support/Kinds.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::llm {

/// Multiply-accumulates per cycle of one unit, for one element type.
struct MacRate {
  /// MLIR's spelling: "f32", "bf16", "f8E4M3FN", "i8", ...
  std::string elementType;
  int64_t macsPerCycle = 0;
  bool operator==(const MacRate &other) const;
};

/// A memory. One that is shared between engines has a rate that they compete
/// for; one that is private to an engine has only a capacity (its traffic is
/// not modelled yet).
struct Memory {
  static constexpr int64_t defaultLanes = 1024;

  std::string name;
  /// 0: not given, nothing is checked against it (shared memories only).
  int64_t capacityBytes = 0;
  int64_t bytesPerSecond = 0;   ///< 0: private to an engine, no rate
  int64_t lanes = defaultLanes; ///< equal lanes that a shared rate is cut into
  bool isShared() const { return bytesPerSecond > 0; }
  bool operator==(const Memory &other) const;
};

/// The most of a shared memory's rate that one engine can take.
struct Port {
  std::string memory;
  int64_t bytesPerSecond = 0;
  bool operator==(const Port &other) const;
};

/// `count` identical engines.
struct Engine {
  std::string name;
  EngineKindSet kinds;
  int64_t count = 1;
  int64_t units = 1;             ///< SMs or cores inside one engine
  std::vector<MacRate> macRates; ///< per unit
  /// Per cycle of one unit; nothing given: this work is not modelled and takes
  /// no time.
  std::optional<int64_t> aluPerCycle, specialPerCycle, comparePerCycle;
  std::string privateMemory;  ///< name of a private Memory; empty: none
  std::vector<Port> ports;    ///< no entry for a memory: its full rate
  int64_t overheadCycles = 0; ///< before each part (launch)
  bool isCompute() const {
    return kinds.contains(EngineKind::Matrix) ||
           kinds.contains(EngineKind::Vector);
  }
  bool operator==(const Engine &other) const;
};

/// Something in a target that cannot be: the path of the field,
/// "engines.core.count", and what is wrong with it.
struct TargetProblem {
  std::string path, reason;
};

/// The machine. Immutable after `check`; the queries are for targets that are
/// sound.
struct Target {
  static constexpr int64_t defaultClockHz = 1000000000;
  static constexpr int64_t maxEngines = 1048576; ///< of one group

  std::string name;
  /// Where the figures come from; "invented" if they are.
  std::string description;
  int64_t clockHz = 0;
  bool clockIsGiven = true; ///< false: a tick of 1 GHz stands in
  std::vector<Engine> engines;
  std::vector<Memory> memories; ///< the shared ones from near to far, DRAM last

  const Memory *findMemory(StringRef name) const;
  /// The memories whose rate is shared, in order; lanes are given in this
  /// order.
  SmallVector<const Memory *> sharedMemories() const;
  /// The last shared memory: where values live between ops.
  const Memory &dram() const;
  /// The private memory of an engine, or null.
  const Memory *privateMemoryOf(const Engine &engine) const;
  /// The lanes of `memory` that one engine's port can take, at least 1.
  int64_t portLanes(const Engine &engine, const Memory &memory) const;
  /// The first engine group that has every kind, or null.
  const Engine *findEngine(EngineKindSet kinds) const;

  /// The rate for contractions of `elementType`, per cycle of the whole engine:
  /// its own, else that of the next wider type of the same class (`usedType`
  /// says which). Nothing when no type is wide enough.
  static std::optional<int64_t>
  macsPerCycle(const Engine &engine, Type elementType, std::string &usedType);
  /// Alu, Special or Compare operations per cycle of the whole engine.
  static std::optional<int64_t> opsPerCycle(const Engine &engine,
                                            WorkKind kind);

  /// Everything that is inconsistent, empty when the target is sound.
  std::vector<TargetProblem> findProblems() const;
  /// The same as text: "'engines.core.count' must be ...".
  std::vector<std::string> check() const;

  bool operator==(const Target &other) const;
};

using EmitError = function_ref<InFlightDiagnostic()>;

/// A built-in preset by name ("npu", "nvl-ax", "jgs", "a100-sxm", "h100-sxm"),
/// or an error that lists them.
FailureOr<Target> loadPreset(StringRef name, MLIRContext *context,
                             EmitError emitError);
std::vector<std::string> presetNames();
inline constexpr StringRef defaultPresetName = "npu";

/// A user's file: JSON as in lib/Target/presets/README.md, or (name ends in
/// .csv) the spreadsheet form, of which `column` names the device. Errors point
/// into the file; what is wrong with the arguments (no such file, `column` for
/// JSON) goes to `emitError`.
FailureOr<Target> loadTargetFile(StringRef path, StringRef column,
                                 MLIRContext *context, EmitError emitError);

/// The same two forms as text; `bufferName` stands for the file in locations.
FailureOr<Target> parseTargetJson(StringRef text, StringRef bufferName,
                                  MLIRContext *context);
FailureOr<Target> parseTargetCsv(StringRef text, StringRef bufferName,
                                 StringRef column, MLIRContext *context);

/// Every field name of the JSON and of the CSV form, for documentation.
std::vector<StringRef> targetJsonFields();
std::vector<StringRef> targetCsvFields();

/// Sets the count of the compute engines. Errors: `count` < 1 or above
/// 1,048,576, no or several compute groups. `remark`, if it returns a text, is
/// what the user should know (that N whole chips now share one memory). On an
/// error the target stays as it was.
LogicalResult setComputeEngines(Target &target, int64_t count,
                                EmitError emitError, std::string &remark);

/// To and from the module's `dlti.target_system_spec`, whose one device has the
/// target's name. A module without one has no target: ask `hasTarget` first,
/// `readTarget` reports it as an error, as it does everything that it does not
/// understand. `writeTarget` wants a sound target, and replaces the attribute.
/// `checkInnerModules` is the part of `readTarget` for a module without one:
/// targets of modules within it would be passed over.
bool hasTarget(ModuleOp module);
LogicalResult checkInnerModules(ModuleOp module);
FailureOr<Target> readTarget(ModuleOp module);
void writeTarget(ModuleOp module, const Target &target);

/// The machine as far as the cost of one op on one engine group can see it:
/// everything but the counts of engines. Part of the fingerprint of a cost.
std::string describeForCost(const Target &target, const Engine &engine);

} // namespace mlir::llm

#endif // LLM_TARGET_TARGET_H
