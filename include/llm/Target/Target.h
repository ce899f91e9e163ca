//===- Target.h - Typed view of the hardware description --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target lives on the module as a `#dlti.target_system_spec` with one device.
// It is made of `#dlti.map` and builtin attributes only, so that stock tools
// print and keep it. The compiler reads it as a `Target`. Only this library
// knows the keys of the attribute.
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

/// A memory. Engines compete for the rate of a shared memory. If engines name a
/// memory as their private memory, each of them has one. Its rate, if it is
/// given, limits what arithmetic reads and writes.
struct Memory {
  static constexpr int64_t defaultLanes = 1024;

  std::string name;
  /// The bytes that fit. 0 means that they are not given, and not checked (only
  /// for shared memories).
  int64_t capacityBytes = 0;
  int64_t bytesPerSecond = 0;   ///< 0: no limit, only for a private memory
  int64_t lanes = defaultLanes; ///< equal lanes that share its rate
  /// The rate that long streams reach. If it is not given, they reach
  /// `bytesPerSecond`.
  std::optional<int64_t> sustainedBytesPerSecond;
  std::optional<int64_t> femtojoulesPerByte;
  /// Room of one engine in a shared memory before the last one. It keeps tiles
  /// there to which it comes back. Without room, they pass all memories again.
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

/// A link to other devices of the same kind, by default over switches. Links
/// stand from near to far: one joins groups of those that the one before joins.
/// The figures of a library stand behind "@" ("nvlink@vllm").
struct Link {
  std::string name;
  /// The rate of one device in one direction, with all its links together.
  int64_t bytesPerSecond = 0;
  int64_t devices = 2; ///< how many devices it joins, with this one
  /// Figures of the protocols of collectives (`timeCollective`).
  std::optional<int64_t> lowLatencyNanoseconds, stepNanoseconds,
      lowLatencyBytesPerSecond, ll128Nanoseconds, ll128BytesPerSecond,
      bandwidthNanoseconds, sustainedBytesPerSecond, inSwitchNanoseconds,
      inSwitchBytesPerSecond;
  /// Figures of an all-to-all, if it is not timed as a ring.
  std::optional<int64_t> exchangeNanoseconds, exchangePeerNanoseconds,
      exchangeLowLatencyBytesPerSecond, exchangeBandwidthNanoseconds,
      exchangeBytesPerSecond;
  /// Figures of an all-reduce whose chips read each other's memory, and the
  /// most bytes for which a library takes it.
  std::optional<int64_t> oneShotNanoseconds, oneShotPeerNanoseconds,
      oneShotBytesPerSecond, twoShotNanoseconds, twoShotPeerNanoseconds,
      twoShotBytesPerSecond, shotMostBytes;
  /// As those of kernels, of collectives on this link.
  std::optional<int64_t> p10Percent, p90Percent;
  /// Figures of what goes to experts and comes back (`timeCollective`).
  std::optional<int64_t> expertDispatchNanoseconds,
      expertDispatchPeerNanoseconds, expertDispatchBytesPerSecond,
      expertCombineNanoseconds, expertCombinePeerNanoseconds,
      expertCombineBytesPerSecond;
  /// What joins the devices instead of switches: a wire between any two, or
  /// rings along up to three dimensions, of which x counts neighbours.
  std::optional<int64_t> fullyConnected, torusX, torusY, torusZ;
  /// Of a library: 1 if its figures count where no library is chosen.
  std::optional<int64_t> isDefault;
  bool operator==(const Link &other) const;
};

/// A tile of the results of a product, as a unit makes it in a kernel that a
/// library has.
struct ProductTile {
  /// The library takes it for products of no more rows than that, and of more
  /// than the tiles before it are for. If it is not given, it is for all other
  /// products.
  std::optional<int64_t> mostRows;
  int64_t rows = 0, columns = 0;
  /// How many tiles, one below the other, start together in a cluster of units.
  int64_t clusterRows = 1;
  bool operator==(const ProductTile &other) const;
};

/// Figures of the kernels of one class of ops, or of one op. They say by how
/// much kernels are slower than the rates of the datasheet. These few, physical
/// figures are fitted to measurements. A figure that is not given costs no
/// time. lib/Target/FieldTable.cpp says what each means.
struct KernelFigures {
  /// "contraction", "attention", "selection", "elementwise", or the name of an
  /// op ("llm.add"). Figures of an op take precedence over those of its class.
  /// A name may end in "@" and the library of the figures
  /// ("attention@flash-attn"). Behind it, "#" and a word tell kernels of one
  /// library for different `formats` apart ("attention@flash-attn#fp8").
  std::string kernel;
  std::optional<int64_t> launchNanoseconds, replayNanoseconds, splitNanoseconds,
      itemCycles, operandBytesPerKilocycle, cacheBytesPerKilocycle,
      itemBytesPerKilocycle, itemElements, rereadsRows, queryTile,
      decodeQueryTile, keyTile, packsGroups, splitsUnpacked, skipsMasked,
      aluPer1000Scores, loneBlockCycles, regroupNanoseconds,
      firstByteNanoseconds, writtenBytePercent, residentBytesPerKilocycle,
      macsPercent, overlapPercent, streamsAhead, scoresKeys, rowCycles,
      rowBytesPerKilocycle, chunkCycles, packsWindows, itemRows, packedHeads;
  /// Measured times as shares of predicted ones, in percent: what a tenth of
  /// measured ops, and what nine tenths of them, stay below.
  std::optional<int64_t> p10Percent, p90Percent;
  /// Of a library: 1 if its figures count where no library is chosen that has
  /// any of the kernel. Of one that was chosen, for all formats or for some: 0.
  std::optional<int64_t> isDefault;
  /// The number formats (`scaledFormatNames`, `narrowTypeNames`) of the ops for
  /// which a library has these kernels. If there are none, it has them for all.
  std::vector<std::string> formats;
  /// The tiles of a library that takes them by the number of rows, those for
  /// fewer rows first. Where several are for as many rows, it takes the fastest
  /// one. It cuts no reductions. If there are none, all tiles that libraries
  /// ship are tried.
  std::vector<ProductTile> tiles;
  bool operator==(const KernelFigures &other) const;
};

/// Returns the library that the name of figures ends in, or "".
StringRef libraryOf(StringRef kernel);
/// Returns the classes of ops, in the order of the documentation.
ArrayRef<StringRef> opClassNames();
/// Returns the classes whose figures an op of a class has, from the widest to
/// its own: "attention", "attention_decode" and "attention_decode_mha".
SmallVector<StringRef, 3> opClassesFor(StringRef opClass);
StringRef widestClassOf(StringRef opClass);

/// A group of `count` identical engines.
struct Engine {
  std::string name;
  EngineKindSet kinds;
  CostModelKind costModel = CostModelKind::Tiles;
  int64_t count = 1;
  int64_t units = 1;             ///< SMs or cores inside one engine
  std::vector<MacRate> macRates; ///< per unit
  /// The operations per cycle of one unit. An op that does work without a rate
  /// is an error.
  std::optional<int64_t> aluPerCycle, specialPerCycle, comparePerCycle;
  /// The clock that the units keep under load, if it is not the target's. It
  /// may be lower because of a power limit, or higher because of a boost.
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
  /// The most bytes that one unit streams from memory in 1000 cycles. If it is
  /// not given, there is no limit.
  std::optional<int64_t> streamBytesPerKilocycle;
  /// The smallest product (rows, columns, terms) that the multiply-accumulate
  /// array of a unit computes. A size that is not given is 1.
  std::optional<int64_t> granuleM, granuleN, granuleK;
  std::vector<MacEnergy> macEnergies;
  std::vector<KernelFigures> kernels; ///< one for each class or op and library
  std::string privateMemory;          ///< name of a Memory; empty: none
  std::vector<Port> ports;            ///< without one, a memory has full rate
  int64_t overheadCycles = 0;         ///< before each part (launch)
  /// Whether this is a link of the target, which runs collectives
  /// (`Target::connect`). The name is that of the link.
  bool isLink = false;
  /// Says whether units share ops as tiles (`UnitKernel`).
  bool hasUnitTiles() const { return costModel == CostModelKind::Kernels; }
  /// Returns the figures of one op's kernel. Each is the op's own if it is
  /// given, or else that of its class. `format` is that of its operands, or ""
  /// (`formatOf`).
  KernelFigures kernelFigures(StringRef opClass, StringRef opName,
                              StringRef format = "") const;
  bool isCompute() const {
    return kinds.contains(EngineKind::Matrix) ||
           kinds.contains(EngineKind::Vector);
  }
  bool operator==(const Engine &other) const;
};

/// How long ops of one size took on this machine, beside the formula.
struct MeasuredTime {
  /// The sizes, as the form of the ops has them.
  std::vector<int64_t> sizes;
  /// The time. 0: it is not that of an op of a program (its operands lay in the
  /// cache), or not that of this machine (fields were set since).
  int64_t picoseconds = 0;
  int64_t perMillion = 0; ///< of the time that the formula says
  /// How many kernels were timed together. Of several, this is the main one,
  /// and the picoseconds are what the others leave.
  int64_t kernels = 1;
  bool operator==(const MeasuredTime &other) const {
    return sizes == other.sizes && picoseconds == other.picoseconds &&
           perMillion == other.perMillion && kernels == other.kernels;
  }
};

/// The measured times of ops of one form: an op, its element types, and its
/// loops (`OpForm`).
struct MeasuredForm {
  std::string form;
  std::vector<MeasuredTime> times;
  bool operator==(const MeasuredForm &other) const {
    return form == other.form && times == other.times;
  }
};

/// An error in a target: the path of the field, such as "engines.core.count",
/// and what is wrong with it.
struct TargetProblem {
  std::string path, reason;
};

/// The machine. It must not change after `check`. The queries require a sound
/// target.
struct Target {
  static constexpr int64_t defaultClockHz = 1000000000;
  static constexpr int64_t maxEngines = 1048576; ///< of one group

  std::string name;
  /// Where the figures come from; "invented" if they are.
  std::string description;
  int64_t clockHz = 0;
  bool clockIsGiven = true; ///< false: 1 GHz is assumed
  std::vector<Engine> engines;
  std::vector<Memory> memories; ///< the shared ones from near to far, DRAM last
  std::vector<Link> links;
  /// The links between the chips of the program's grid, as resources that
  /// collectives share. They have the names of links. Empty for one chip. They
  /// and their engines follow from the grid (`connect`), and are not written.
  std::vector<Memory> network;
  /// Power of the whole device. If they are not given, there is no limit and no
  /// idle power.
  std::optional<int64_t> powerLimitWatts, idleWatts;
  /// What one op may draw, in percent of the limit, and for how long, before
  /// the limit acts. If they are not given, it acts at once.
  std::optional<int64_t> burstPercent, burstMicroseconds;
  /// 1: under the power limit voltage falls with the clock, and with it what
  /// each operation takes.
  std::optional<int64_t> energyFollowsClock;
  /// The measurements to which the sustained rates and the figures of kernels
  /// were fitted, or from which they were carried over. It is empty if there
  /// are none.
  std::string fittedOn;
  /// Measured times, which correct the costs of ops like them (Spec.md).
  std::vector<MeasuredForm> measured;

  const Memory *findMemory(StringRef name) const;
  /// Says whether the memory is shared. It is if it has a rate, and is either
  /// the last memory with a rate or no engine's private memory.
  bool isShared(const Memory &memory) const;
  /// Returns the shared memories, in order. Lanes are in this order.
  SmallVector<const Memory *> sharedMemories() const;
  /// Returns the shared memories and then the links of `network`. Parts hold
  /// lanes of all of these, in this order.
  SmallVector<const Memory *> sharedResources() const;
  /// Returns the one of these with that name, or null.
  const Memory *findSharedResource(StringRef name) const;
  /// Connects this many chips. Each link that they need gets an engine of kind
  /// network, which runs collectives one after the other, and an entry in
  /// `network`. Returns an error as text if no link joins so many chips, or an
  /// empty text. One chip needs no link.
  std::string connect(int64_t chips);
  /// Returns the first link that joins as many devices; null if none does.
  const Link *findLink(int64_t devices) const;
  /// Returns the link with the figures of its default library over its own.
  Link withDefaultLibrary(const Link &link) const;
  /// Returns the last shared memory, where values live between ops.
  const Memory &dram() const;
  /// Returns the number of engines that compute. Each of them keeps
  /// `bytesPerEngine` in the shared memories.
  int64_t countComputeEngines() const;
  /// Says whether the memory has room for what all compute engines keep there.
  bool hasRoomForEngines(const Memory &memory) const;
  /// Returns the private memory of an engine, or null.
  const Memory *privateMemoryOf(const Engine &engine) const;
  /// Returns the rate of one engine's port to `memory`. It is at most the rate
  /// that long streams reach.
  int64_t portBytesPerSecond(const Engine &engine, const Memory &memory) const;
  /// Returns the fewest lanes of `memory` that carry this rate.
  int64_t portLanes(const Engine &engine, const Memory &memory) const;
  /// Returns the number of engines, in all groups, that can fetch ahead.
  int64_t countMemoryEngines() const;
  /// Returns the first engine group that has every kind, or null.
  const Engine *findEngine(EngineKindSet kinds) const;
  /// Returns the groups that run an op of these kinds. This is the first group
  /// with all kinds. If there is none, several groups work together: the first
  /// group for each kind, in the order of kinds. It is empty if a kind has no
  /// group. Only compute engines whose cost model is tiles or roofline work
  /// together.
  SmallVector<const Engine *, 1> findEngines(EngineKindSet kinds) const;

  /// Returns the rate for contractions of `elementType`, per cycle of the whole
  /// engine. It is that of the type, or else that of the next wider type of the
  /// same class (`usedType` says which). Returns nothing if no type is wide
  /// enough.
  static std::optional<int64_t>
  macsPerCycle(const Engine &engine, Type elementType, std::string &usedType);
  /// Returns the energy of one multiply-accumulate of the type, or of the type
  /// whose rate is used for it. f16 and bf16 are used for each other.
  static std::optional<int64_t> macFemtojoules(const Engine &engine,
                                               Type elementType);
  /// Returns the Alu, Special or Compare operations per cycle of the whole
  /// engine.
  static std::optional<int64_t> opsPerCycle(const Engine &engine,
                                            WorkKind kind);

  /// Keeps of measured times how they compare with the formula, and forgets
  /// the times, which are those of another machine once fields were set.
  void forgetMeasuredTimes();

  /// Returns everything that is inconsistent. A target without such problems is
  /// sound.
  std::vector<TargetProblem> findProblems() const;
  /// Returns the same as texts: "'engines.core.count' must be ...".
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
/// Prints a table of the presets and their main figures.
void listPresets(raw_ostream &os, MLIRContext *context);

/// Reads a user's file. It is JSON as in lib/Target/presets/README.md. If its
/// name ends in .csv, it is the spreadsheet form, and `column` names the
/// device. Errors point into the file. Errors in the arguments (no such file,
/// `column` for JSON) go to `emitError`.
FailureOr<Target> loadTargetFile(StringRef path, StringRef column,
                                 MLIRContext *context, EmitError emitError,
                                 bool calibrated = true);

/// "What if": makes `target` with each of `changes` set. A change, as in
/// "memories.dram.bytes_per_second=4e12", is the path of a field in a target
/// file, and its value as there. The name of the result says what was set, so
/// that nobody takes it for the original chip. If a rate is set, the rate that
/// long streams reach keeps its share of it, unless it is set, too. The same
/// holds for clocks under load if `clock_hz` is set. Errors point to `location`
/// and begin with `context`. For an unknown field, they name the nearest one.
/// Values that target files refuse are also errors.
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
/// `target` is the same machine with fitted figures (`Target::fittedOn` says to
/// what).
void writeTargetJson(raw_ostream &os, const Target &target,
                     const Target &datasheet);

/// Writes the JSON schema (draft 2020-12) of target files.
void writeTargetSchema(raw_ostream &os);

/// A row of a table in the presets' README. `table` is "target", "engine",
/// "memory", "link", "kernel" or "calibration". The others are the row's
/// columns.
struct TargetFieldRow {
  StringRef table, key, unit, absent, meaning;
};
std::vector<TargetFieldRow> targetFieldRows();

/// These return every field name of the JSON and of the CSV form, for
/// documentation.
std::vector<StringRef> targetJsonFields();
std::vector<StringRef> targetCsvFields();

/// Returns a sentence that the engines of a group, which are whole devices,
/// share one memory, and how a program is cut over chips instead.
std::string describeSharedDram(const Target &target, const Engine &engine);

/// Sets the count of the compute engines. It is an error if `count` is below 1
/// or above 1,048,576, or if there are no or several compute groups. On an
/// error the target stays as it was. `remark` gets what the user should know
/// (`describeSharedDram`), if there is anything.
LogicalResult setComputeEngines(Target &target, int64_t count,
                                EmitError emitError, std::string &remark);

/// Does the same for the group of that name, of any kind. It is an error if
/// there is none.
LogicalResult setEngines(Target &target, StringRef group, int64_t count,
                         EmitError emitError, std::string &remark);

/// Replaces figures of kernels and links that are of no library by those of
/// `library` ("attention@flash-attn", "nvlink@custom"). If no library is named,
/// links have those of their default one. With `replayed`, it replaces the
/// launch of single kernels by that of graphs.
void selectKernels(Target &target, StringRef library, bool replayed);

/// Returns the libraries of the target's kernels and links, each once, in
/// order.
std::vector<std::string> kernelLibraries(const Target &target);

/// Does `selectKernels` for libraries (`a,b`), all of which must be there. Else
/// an error lists those that are. Links of none of these keep their default.
LogicalResult selectLibrary(Target &target, StringRef library,
                            EmitError emitError);

/// These convert to and from the module's `dlti.target_system_spec`, whose one
/// device has the target's name. A module without this attribute has no target.
/// Call `hasTarget` first, because `readTarget` reports that as an error, like
/// everything that it does not understand. `writeTarget` needs a sound target,
/// and replaces the attribute. It is an error if an inner module has a target,
/// because that would be ignored. `checkInnerModules` is the part of
/// `readTarget` that checks this. `readOwnTarget` is the other part, for
/// callers that must not look into inner modules.
bool hasTarget(ModuleOp module);
LogicalResult checkInnerModules(ModuleOp module);
InFlightDiagnostic emitInnerTarget(ModuleOp inner);
FailureOr<Target> readOwnTarget(ModuleOp module);
FailureOr<Target> readTarget(ModuleOp module);
void writeTarget(ModuleOp module, const Target &target);

/// Describes everything of the machine on which the cost of an op on one engine
/// group depends. That is all but the counts of engines. The text is part of
/// the fingerprint of a cost.
std::string describeForCost(const Target &target, const Engine &engine);

} // namespace mlir::llm

#endif // LLM_TARGET_TARGET_H
