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

#include "llm/Diagnostics/Reasons.h"
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

/// Energy of one multiply-accumulate of one element type.
struct MacEnergy {
  std::string elementType;
  int64_t femtojoules = 0;
  bool operator==(const MacEnergy &other) const;
};

/// A memory. One that is shared between engines has a rate that they compete
/// for. A memory that engines name as their private memory is there once for
/// each of them. Its rate, if it is given, is what arithmetic takes of it.
struct Memory {
  static constexpr int64_t defaultLanes = 1024;

  std::string name;
  /// The bytes that fit. They are 0 if they are not given (only for shared
  /// memories), so that nothing is checked.
  int64_t capacityBytes = 0;
  int64_t bytesPerSecond = 0;   ///< 0: private to an engine, no limit
  int64_t lanes = defaultLanes; ///< equal lanes that share its rate
  /// The part of the rate that long streams reach. If it is not given, they
  /// reach all of it.
  std::optional<int64_t> sustainedBytesPerSecond;
  std::optional<int64_t> femtojoulesPerByte;
  /// Room in a shared memory before the last, in which one engine keeps tiles
  /// that come back to it. Without it, they pass all memories again.
  std::optional<int64_t> bytesPerEngine;

  /// Returns the rate that the times use.
  int64_t usableBytesPerSecond() const {
    return sustainedBytesPerSecond.value_or(bytesPerSecond);
  }
  bool operator==(const Memory &other) const;
};

/// The most of a shared memory's rate that one engine can take.
struct Port {
  std::string memory;
  int64_t bytesPerSecond = 0;
  bool operator==(const Port &other) const;
};

/// A link to other devices of the same kind.
struct Link {
  std::string name;
  /// The rate of one device in one direction, with all its links together.
  int64_t bytesPerSecond = 0;
  int64_t devices = 2; ///< number that it joins, with this one
  /// Figures of the protocols of collectives (`timeCollective`).
  std::optional<int64_t> lowLatencyNanoseconds, stepNanoseconds,
      lowLatencyBytesPerSecond, bandwidthNanoseconds, sustainedBytesPerSecond,
      inSwitchNanoseconds, inSwitchBytesPerSecond;
  bool operator==(const Link &other) const;
};

/// What the kernels of one class of ops, or of one op, lose against the rates
/// of the datasheet. These are few, physical figures, fitted to measurements. A
/// figure that is not given loses nothing. lib/Target/FieldTable.cpp says what
/// each means.
struct KernelFigures {
  /// "contraction", "attention", "elementwise", or the name of an op
  /// ("llm.add"). The figures of an op stand before those of its class. The
  /// library of the figures may stand behind "@" ("attention@flash-attn").
  std::string kernel;
  std::optional<int64_t> launchNanoseconds, replayNanoseconds, splitNanoseconds,
      itemCycles, operandBytesPerKilocycle, cacheBytesPerKilocycle,
      itemBytesPerKilocycle, itemElements, rereadsRows, queryTile, keyTile,
      packsGroups, splitsUnpacked, skipsMasked, aluPer1000Scores,
      loneBlockCycles, regroupNanoseconds, firstByteNanoseconds,
      writtenBytePercent, residentBytesPerKilocycle;
  bool operator==(const KernelFigures &other) const;
};

/// Returns the classes, in the order of the documentation.
ArrayRef<StringRef> opClassNames();

/// `count` identical engines.
struct Engine {
  std::string name;
  EngineKindSet kinds;
  CostModelKind costModel = CostModelKind::Tiles;
  int64_t count = 1;
  int64_t units = 1;             ///< SMs or cores inside one engine
  std::vector<MacRate> macRates; ///< per unit
  /// Operations per cycle of one unit. Work that is not given is not modelled
  /// and takes no time.
  std::optional<int64_t> aluPerCycle, specialPerCycle, comparePerCycle;
  /// The clock that the units keep under load, if it is not the target's: a
  /// lower one by a power limit, or a higher one by a boost.
  std::optional<int64_t> sustainedClockHz;
  /// The highest clock that the datasheet names, if that is not the target's.
  /// No fit ends above it.
  std::optional<int64_t> boostClockHz;
  /// Room for the tiles of one unit (shared memory). If it is not given, there
  /// is no limit.
  std::optional<int64_t> unitMemoryBytes;
  /// Room for the sums of one unit's tile, in kernels. If it is not given,
  /// there is no limit.
  std::optional<int64_t> accumulatorBytes;
  /// What one unit streams from memory at most. If it is not given, there is no
  /// limit.
  std::optional<int64_t> streamBytesPerKilocycle;
  /// The smallest product that the multiply-accumulate array of a unit does. If
  /// it is not given, it is 1.
  std::optional<int64_t> granuleM, granuleN, granuleK;
  std::vector<MacEnergy> macEnergies;
  std::vector<KernelFigures> kernels; ///< one of a class or op, and a library
  std::string privateMemory;          ///< name of a private Memory; empty: none
  std::vector<Port> ports;            ///< a memory without one: its full rate
  int64_t overheadCycles = 0;         ///< before each part (launch)
  /// Whether this is a link of the target, which runs collectives
  /// (`Target::connect`). The name is that of the link.
  bool isLink = false;
  /// Says whether units share ops as tiles (`UnitKernel`).
  bool hasUnitTiles() const { return costModel == CostModelKind::Kernels; }
  /// Returns the figures of one op's kernel. Each is the op's own, or that of
  /// its class.
  KernelFigures kernelFigures(StringRef opClass, StringRef opName) const;
  bool isCompute() const {
    return kinds.contains(EngineKind::Matrix) ||
           kinds.contains(EngineKind::Vector);
  }
  bool operator==(const Engine &other) const;
};

/// Something that is wrong in a target: the path of the field,
/// "engines.core.count", and what is wrong with it.
struct TargetProblem {
  std::string path, reason;
};

/// The machine. It is immutable after `check`. The queries are for targets that
/// are sound.
struct Target {
  static constexpr int64_t defaultClockHz = 1000000000;
  static constexpr int64_t maxEngines = 1048576; ///< of one group

  std::string name;
  /// Where the figures come from; "invented" if they are.
  std::string description;
  int64_t clockHz = 0;
  bool clockIsGiven = true; ///< if not, a tick of 1 GHz stands in
  std::vector<Engine> engines;
  std::vector<Memory> memories; ///< the shared ones from near to far, DRAM last
  std::vector<Link> links;
  /// The links between the chips of the program's grid, as what collectives
  /// share. They have the names of links. Empty for one chip. They and their
  /// engines follow from the grid (`connect`), and are not written.
  std::vector<Memory> network;
  /// Power of the whole device. Without them there is no limit, and no idle
  /// power.
  std::optional<int64_t> powerLimitWatts, idleWatts;
  /// The measurements on which the sustained rates and the figures of kernels
  /// were fitted, or from which they were carried; empty if there are none.
  std::string fittedOn;

  const Memory *findMemory(StringRef name) const;
  /// Says whether the memory is shared: it has a rate, and is the last that
  /// has, or no engine's private memory.
  bool isShared(const Memory &memory) const;
  /// The memories whose rate is shared, in order. Lanes are in this order.
  SmallVector<const Memory *> sharedMemories() const;
  /// These, and behind them the links of `network`: everything that parts hold
  /// lanes of, in the order of lanes.
  SmallVector<const Memory *> sharedResources() const;
  /// The one of these with that name, or null.
  const Memory *findSharedResource(StringRef name) const;
  /// Gives each link that this many chips need to reach each other an engine of
  /// kind network, which runs collectives one after the other, and a rate that
  /// they share. Returns what is wrong if no link joins so many chips; empty if
  /// nothing is. One chip needs no link.
  std::string connect(int64_t chips);
  /// Returns the last shared memory, where values live between ops.
  const Memory &dram() const;
  /// Returns the number of engines that compute. Each of them keeps
  /// `bytesPerEngine` in the shared memories.
  int64_t countComputeEngines() const;
  /// Says whether the memory has room for what all these engines keep there.
  bool hasRoomForEngines(const Memory &memory) const;
  /// Returns the private memory of an engine, or null.
  const Memory *privateMemoryOf(const Engine &engine) const;
  /// Returns the rate of one engine's port to `memory`, which is at most what
  /// streams reach.
  int64_t portBytesPerSecond(const Engine &engine, const Memory &memory) const;
  /// Returns the fewest lanes of `memory` that carry this rate.
  int64_t portLanes(const Engine &engine, const Memory &memory) const;
  /// Counts the engines of all groups that can fetch ahead.
  int64_t countMemoryEngines() const;
  /// Returns the first engine group that has every kind, or null.
  const Engine *findEngine(EngineKindSet kinds) const;
  /// Finds the groups that run an op of these kinds: the first group with all
  /// kinds. If there is none, it is the groups that do such work together,
  /// which are the first group for each kind, in the order of kinds. It is
  /// empty if a kind has no group. Only engines that compute, in tiles or at
  /// their peak, work together.
  SmallVector<const Engine *, 1> findEngines(EngineKindSet kinds) const;

  /// Returns the rate for contractions of `elementType`, per cycle of the whole
  /// engine. It is that of the type, or else that of the next wider type of the
  /// same class (`usedType` says which). Returns nothing if no type is wide
  /// enough.
  static std::optional<int64_t>
  macsPerCycle(const Engine &engine, Type elementType, std::string &usedType);
  /// Energy of one multiply-accumulate of the type, or of the type whose rate
  /// stands in for it. f16 and bf16 stand in for each other.
  static std::optional<int64_t> macFemtojoules(const Engine &engine,
                                               Type elementType);
  /// Alu, Special or Compare operations per cycle of the whole engine.
  static std::optional<int64_t> opsPerCycle(const Engine &engine,
                                            WorkKind kind);

  /// Finds everything that is inconsistent. A target without such problems is
  /// sound.
  std::vector<TargetProblem> findProblems() const;
  /// The same as text: "'engines.core.count' must be ...".
  std::vector<std::string> check() const;

  bool operator==(const Target &other) const;
};

/// Finds a built-in preset by name ("npu", "a100-sxm", ...). An unknown name is
/// an error that lists them. If not `calibrated`, it has only the figures of
/// the datasheet.
FailureOr<Target> loadPreset(StringRef name, MLIRContext *context,
                             EmitError emitError, bool calibrated = true);
std::vector<std::string> presetNames();
inline constexpr StringRef defaultPresetName = "npu";
/// The name of the machine at hand, which is not one of `presetNames` (see
/// Host.h).
inline constexpr StringRef hostPresetName = "host";
/// A table of the presets and their main figures.
void listPresets(raw_ostream &os, MLIRContext *context);

/// Reads a user's file. It is JSON as in lib/Target/presets/README.md. If its
/// name ends in .csv, it is the spreadsheet form, and `column` names the
/// device. Errors point into the file. What is wrong with the arguments (no
/// such file, `column` for JSON) goes to `emitError`.
FailureOr<Target> loadTargetFile(StringRef path, StringRef column,
                                 MLIRContext *context, EmitError emitError,
                                 bool calibrated = true);

/// "What if": makes `target` with each of `changes` set. A change, as in
/// "memories.dram.bytes_per_second=4e12", is the path of a field in a target
/// file, and its value as there. The name says what was set, so that nobody
/// takes the result for the original chip. If a rate is set, what long streams
/// reach keeps its share of the rate, unless it is set, too. The same holds for
/// clocks under load if `clock_hz` is set. Errors point to `location` and begin
/// with `context`. They name the nearest field, and what target files refuse.
FailureOr<Target> changeTarget(const Target &target,
                               ArrayRef<std::string> changes, Location location,
                               StringRef context);

/// Reads the same two forms as text. `bufferName` stands for the file in
/// locations.
FailureOr<Target> parseTargetJson(StringRef text, StringRef bufferName,
                                  MLIRContext *context, bool calibrated = true);
FailureOr<Target> parseTargetCsv(StringRef text, StringRef bufferName,
                                 StringRef column, MLIRContext *context);

/// Writes `datasheet` and, under "calibration", how `target` differs from it.
/// `target` is the same machine with figures that were fitted
/// (`Target::fittedOn` says on what).
void writeTargetJson(raw_ostream &os, const Target &target,
                     const Target &datasheet);

/// The JSON form as a JSON schema, draft 2020-12.
void writeTargetSchema(raw_ostream &os);

/// A row of the tables in the presets' README: "target", "engine", "memory",
/// "link", "kernel" or "calibration", and what stands in its columns.
struct TargetFieldRow {
  StringRef table, key, unit, absent, meaning;
};
std::vector<TargetFieldRow> targetFieldRows();

/// Every field name of the JSON and of the CSV form, for documentation.
std::vector<StringRef> targetJsonFields();
std::vector<StringRef> targetCsvFields();

/// Says that so many whole devices (engines of several units) share one memory,
/// and how a program is cut over chips instead.
std::string describeSharedDram(const Target &target, const Engine &engine);

/// Sets the count of the compute engines. It is an error if `count` is below 1
/// or above 1,048,576, or if there are no or several compute groups. `remark`,
/// if it returns a text, is what the user should know (`describeSharedDram`).
/// On an error the target stays as it was.
LogicalResult setComputeEngines(Target &target, int64_t count,
                                EmitError emitError, std::string &remark);

/// Does the same for the group of that name, of any kind. It is an error if
/// there is none.
LogicalResult setEngines(Target &target, StringRef group, int64_t count,
                         EmitError emitError, std::string &remark);

/// Replaces figures of kernels and links that are of no library by those of
/// `library` ("attention@flash-attn", "nvlink@custom"). With `replayed`, it
/// replaces the launch of single kernels by that of graphs.
void selectKernels(Target &target, StringRef library, bool replayed);

/// Returns the libraries of the target's kernels, each once, in order.
std::vector<std::string> kernelLibraries(const Target &target);

/// Does `selectKernels` for a library that must be there. An error lists those
/// that are.
LogicalResult selectLibrary(Target &target, StringRef library,
                            EmitError emitError);

/// These convert to and from the module's `dlti.target_system_spec`, whose one
/// device has the target's name. A module without one has no target. Call
/// `hasTarget` first, because `readTarget` reports this as an error, as it does
/// everything that it does not understand. `writeTarget` needs a sound target,
/// and replaces the attribute. `checkInnerModules` is the part of `readTarget`
/// for a module without a target: targets of modules within it would be
/// ignored. `readOwnTarget` is the other part, for callers that may not look
/// into these modules.
bool hasTarget(ModuleOp module);
LogicalResult checkInnerModules(ModuleOp module);
InFlightDiagnostic emitInnerTarget(ModuleOp inner);
FailureOr<Target> readOwnTarget(ModuleOp module);
FailureOr<Target> readTarget(ModuleOp module);
void writeTarget(ModuleOp module, const Target &target);

/// Returns the machine as far as the cost of one op on one engine group depends
/// on it, which is everything but the counts of engines. It is part of the
/// fingerprint of a cost.
std::string describeForCost(const Target &target, const Engine &engine);

} // namespace mlir::llm

#endif // LLM_TARGET_TARGET_H
