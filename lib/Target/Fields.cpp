//===- Fields.cpp - Target descriptions as fields -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "FieldTable.h"
#include "llm/Dialect/Llm/Plans/Formats.h"
#include "llm/Files/WholeNumber.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm {

/// Lists the keys of a part: first those of other fields, and then those of
/// whole numbers.
template <typename Part>
static std::vector<StringRef> keysOf(ArrayRef<OtherField> others,
                                     ArrayRef<NumberField<Part>> numbers) {
  std::vector<StringRef> keys;
  for (const OtherField &other : others)
    keys.push_back(other.key);
  for (const NumberField<Part> &number : numbers)
    keys.push_back(number.key);
  return keys;
}

static std::vector<StringRef> targetKeys() {
  return keysOf(targetOthers(), targetNumbers());
}
static std::vector<StringRef> engineKeys() {
  return keysOf(engineOthers(), engineNumbers());
}
/// Lists the keys of an engine that a calibration may change.
static std::vector<StringRef> calibratedEngineKeys() {
  std::vector<StringRef> keys = keysOf({}, engineNumbers());
  keys.push_back(keys::macs);
  keys.push_back(keys::macEnergies);
  keys.push_back(keys::kernels);
  return keys;
}
static std::vector<StringRef> memoryKeys() {
  return keysOf({}, memoryNumbers());
}
static std::vector<StringRef> linkKeys() { return keysOf({}, linkNumbers()); }
static std::vector<StringRef> kernelKeys() {
  return keysOf(kernelOthers(), kernelNumbers());
}
static std::vector<StringRef> productTileKeys() {
  return keysOf({}, productTileNumbers());
}

std::vector<StringRef> knownFormats() {
  std::vector<StringRef> names = scaledFormatNames().vec();
  llvm::append_range(names, narrowTypeNames());
  return names;
}

std::vector<StringRef> targetJsonFields() {
  std::vector<StringRef> all;
  for (const std::vector<StringRef> &keys :
       {targetKeys(), engineKeys(), memoryKeys(), linkKeys(), kernelKeys(),
        productTileKeys()})
    llvm::append_range(all, keys);
  return all;
}

const Field *Field::find(StringRef key) const {
  for (const auto &[name, field] : members)
    if (kind == Kind::Map && name == key)
      return &field;
  return nullptr;
}

std::string Field::pathOf(StringRef key) const {
  return path.empty() ? key.str() : path + "." + key.str();
}

std::string Field::describe() const {
  switch (kind) {
  case Kind::Boolean:
    return boolean ? "true" : "false";
  case Kind::String:
    return "\"" + text + "\"";
  case Kind::List:
    return "a list";
  case Kind::Map:
    return "a map";
  case Kind::Number:
  case Kind::Other:
    return text;
  }
  return "";
}

InFlightDiagnostic Field::emitError() const {
  return mlir::emitError(location) << context;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Makes a target of fields. It reads on after an error, so that a user sees
/// all errors at once.
class Reader {
public:
  FailureOr<Target> read(const Field &root, std::optional<StringRef> name,
                         bool calibrated);

private:
  void readEngine(StringRef name, const Field &field);
  void readKinds(const Field &field, Engine &engine);
  void readMemory(StringRef name, const Field &field);
  void readLink(StringRef name, const Field &field);
  void readMacRates(const Field &field, Engine &engine);
  void readMacEnergies(const Field &engineField, Engine &engine);
  void readCostModel(const Field &engineField, Engine &engine);
  void readKernels(const Field &engineField, Engine &engine);
  void readFormats(const Field &kernel, std::vector<std::string> &formats);
  void readTiles(const Field &kernel, std::vector<ProductTile> &tiles);
  void readMeasuredForm(StringRef name, const Field &field);
  std::optional<MeasuredTime> readMeasuredTime(const Field &field,
                                               size_t sizes);
  /// Reads figures that replace those of the datasheet, in parts that are
  /// there.
  void readCalibration(const Field &field);
  template <typename Part>
  void readCalibratedParts(const Field &calibration, StringRef key,
                           std::vector<Part> &parts,
                           function_ref<void(const Field &, Part &)> read);
  void reportProblems(const Field &root);

  /// Returns false, with an error, unless the field is a map of known keys.
  bool expectMap(const Field &field);
  void expectKeys(const Field &map, ArrayRef<StringRef> known);
  void readText(const Field &map, StringRef key, std::string &text);
  void readInteger(const Field &map, StringRef key, int64_t least,
                   int64_t &value);
  /// Reads all whole numbers of a part that are given.
  template <typename Part>
  void readNumbers(const Field &map, ArrayRef<NumberField<Part>> numbers,
                   Part &part);
  std::optional<int64_t> asInteger(const Field &field, int64_t least,
                                   StringRef unit = "");
  /// Reads a map from element types or ports to numbers.
  void readRates(const Field &map, StringRef key, int64_t least,
                 function_ref<void(StringRef, int64_t)> add);
  /// Calls `read` for each member of the map, which must be there.
  void forEachMember(const Field &map, StringRef key,
                     function_ref<void(StringRef, const Field &)> read);

  InFlightDiagnostic emitError(const Field &field) {
    sound = false;
    return field.emitError();
  }
  InFlightDiagnostic emitWrongKind(const Field &field, StringRef wanted) {
    return emitError(field)
           << (field.path.empty() ? "the target" : "'" + field.path + "'")
           << " must be " << wanted << ", got " << field.describe();
  }

  Target target;
  bool sound = true;
  unsigned unknownFields = 0;
};
} // namespace

bool Reader::expectMap(const Field &field) {
  if (field.kind == Field::Kind::Map)
    return true;
  emitWrongKind(field, "a map of named fields");
  return false;
}

StringRef findSpokenField(StringRef word) {
  constexpr std::pair<StringRef, StringRef> words[] = {
      {"bandwidth", "bytes_per_second"},
      {"capacity", "capacity_bytes"},
      {"size", "capacity_bytes"},
      {"clock", "clock_hz"},
      {"frequency", "clock_hz"},
      {"flops", "macs_per_cycle_per_unit"},
      {"tflops", "macs_per_cycle_per_unit"},
      {"tops", "macs_per_cycle_per_unit"},
      {"cores", "count"},
      {"power", "power_limit_watts"}};
  for (auto [spoken, field] : words)
    if (word.lower() == spoken)
      return field;
  return "";
}

static std::string didYouMeanField(StringRef name, ArrayRef<StringRef> known) {
  StringRef meant = findSpokenField(name);
  return llvm::is_contained(known, meant)
             ? ("; did you mean '" + meant + "'?").str()
             : didYouMean(name, known);
}

/// A file of another kind has none of the fields, so reporting the first ones
/// is enough.
static constexpr unsigned maxUnknownFields = 3;

void Reader::expectKeys(const Field &map, ArrayRef<StringRef> known) {
  for (const auto &[name, field] : map.members) {
    if (llvm::is_contained(known, name))
      continue;
    if (++unknownFields > maxUnknownFields) {
      sound = false;
      continue;
    }
    emitError(field) << "'" << field.path << "' is not a known field"
                     << didYouMeanField(name, known)
                     << " (known here: " << llvm::join(known, ", ") << ")";
  }
}

void Reader::readText(const Field &map, StringRef key, std::string &text) {
  const Field *field = map.find(key);
  if (!field)
    return;
  if (field->kind == Field::Kind::String)
    text = field->text;
  else
    emitWrongKind(*field, "a string");
}

std::optional<int64_t> Reader::asInteger(const Field &field, int64_t least,
                                         StringRef unit) {
  std::string wanted =
      least == 1 ? "a positive whole number"
                 : "a whole number of at least " + std::to_string(least);
  if (field.kind != Field::Kind::Number) {
    InFlightDiagnostic diagnostic = emitWrongKind(field, wanted);
    // What is set on a command line has no quotes anyhow.
    if (field.kind == Field::Kind::String)
      diagnostic << (field.context.empty()
                         ? "; numbers have no quotes, and the unit in the name "
                           "of their field"
                         : ", which is no number");
    return std::nullopt;
  }
  llvm::Expected<int64_t> value = parseWholeNumber(field.text);
  if (!value) {
    InFlightDiagnostic diagnostic = emitWrongKind(field, wanted);
    diagnostic << ": " << llvm::toString(value.takeError());
    bool hasUnit = llvm::any_of(field.text, [](char letter) {
      return llvm::isAlpha(letter) && letter != 'e';
    });
    if (hasUnit && !unit.empty())
      diagnostic << "; the unit is " << unit;
    return std::nullopt;
  }
  if (*value >= least && *value <= maxCount)
    return *value;
  InFlightDiagnostic diagnostic = emitWrongKind(field, wanted);
  if (*value > maxCount)
    diagnostic << ": the most is " << withThousandsSeparators(maxCount);
  return std::nullopt;
}

void Reader::readInteger(const Field &map, StringRef key, int64_t least,
                         int64_t &value) {
  if (const Field *field = map.find(key))
    value = asInteger(*field, least).value_or(value);
}

template <typename Part>
void Reader::readNumbers(const Field &map, ArrayRef<NumberField<Part>> numbers,
                         Part &part) {
  for (const NumberField<Part> &number : numbers)
    if (const Field *field = map.find(number.key))
      if (std::optional<int64_t> value =
              asInteger(*field, number.least, number.unit))
        number.set(part, *value);
}

void Reader::readRates(const Field &map, StringRef key, int64_t least,
                       function_ref<void(StringRef, int64_t)> add) {
  const Field *rates = map.find(key);
  if (!rates)
    return;
  if (rates->kind != Field::Kind::Map) {
    StringRef name = key == keys::ports ? "dram" : "bf16";
    emitWrongKind(
        *rates,
        ("a map of named numbers, such as {\"" + name + "\": 4096}").str());
    return;
  }
  for (const auto &[name, field] : rates->members)
    if (std::optional<int64_t> rate = asInteger(field, least))
      add(name, *rate);
}

void Reader::forEachMember(const Field &map, StringRef key,
                           function_ref<void(StringRef, const Field &)> read) {
  const Field *group = map.find(key);
  if (!group) {
    emitError(map) << "'" << map.pathOf(key) << "' is missing";
    return;
  }
  if (!expectMap(*group))
    return;
  for (const auto &[name, field] : group->members)
    if (expectMap(field))
      read(name, field);
}

void Reader::readKinds(const Field &field, Engine &engine) {
  const Field *kinds = field.find(keys::kinds);
  if (!kinds) {
    emitError(field) << "'" << field.pathOf(keys::kinds) << "' is missing";
    return;
  }
  if (kinds->kind != Field::Kind::List) {
    emitWrongKind(*kinds, "a list of engine kinds");
    return;
  }
  for (const auto &[ignored, element] : kinds->members) {
    std::optional<EngineKind> kind;
    if (element.kind == Field::Kind::String)
      kind = parseEngineKind(element.text);
    if (kind)
      engine.kinds.insert(*kind);
    else
      emitWrongKind(element,
                    "\"matrix\", \"vector\", \"memory\" or \"network\"");
  }
}

void Reader::readCostModel(const Field &engineField, Engine &engine) {
  const Field *field = engineField.find(keys::costModel);
  if (!field)
    return;
  std::optional<CostModelKind> kind;
  if (field->kind == Field::Kind::String)
    kind = parseCostModelKind(field->text);
  if (kind)
    engine.costModel = *kind;
  else
    emitWrongKind(*field, "\"tiles\", \"kernels\" or \"roofline\"");
}

void Reader::readKernels(const Field &engineField, Engine &engine) {
  if (!engineField.find(keys::kernels))
    return;
  forEachMember(engineField, keys::kernels,
                [&](StringRef kernel, const Field &field) {
                  KernelFigures figures;
                  figures.kernel = kernel.str();
                  expectKeys(field, kernelKeys());
                  readNumbers(field, kernelNumbers(), figures);
                  readFormats(field, figures.formats);
                  readTiles(field, figures.tiles);
                  engine.kernels.push_back(std::move(figures));
                });
}

void Reader::readFormats(const Field &kernel,
                         std::vector<std::string> &formats) {
  const Field *list = kernel.find(keys::formats);
  if (!list)
    return;
  if (list->kind != Field::Kind::List) {
    emitWrongKind(*list, "a list of formats, such as [\"fp8_channel\"]");
    return;
  }
  std::vector<StringRef> known = knownFormats();
  for (const auto &[ignored, field] : list->members) {
    if (field.kind == Field::Kind::String &&
        llvm::is_contained(known, field.text))
      formats.push_back(field.text);
    else
      emitWrongKind(field, "the name of a format")
          << didYouMean(field.text, known)
          << " (formats: " << llvm::join(known, ", ") << ")";
  }
}

void Reader::readTiles(const Field &kernel, std::vector<ProductTile> &tiles) {
  const Field *list = kernel.find(keys::tiles);
  if (!list)
    return;
  if (list->kind != Field::Kind::List) {
    emitWrongKind(*list, "a list of tiles, such as [{\"most_rows\": 64, "
                         "\"rows\": 64, \"columns\": 128}, {\"rows\": 128, "
                         "\"columns\": 128}]");
    return;
  }
  for (const auto &[ignored, field] : list->members) {
    if (!expectMap(field))
      continue;
    expectKeys(field, productTileKeys());
    readNumbers(field, productTileNumbers(), tiles.emplace_back());
  }
}

void Reader::readMacEnergies(const Field &engineField, Engine &engine) {
  readRates(engineField, keys::macEnergies, 0,
            [&](StringRef type, int64_t energy) {
              engine.macEnergies.push_back({type.str(), energy});
            });
}

/// Reads rates, which replace those that are there.
void Reader::readMacRates(const Field &field, Engine &engine) {
  readRates(field, keys::macs, 1, [&](StringRef type, int64_t rate) {
    auto known = llvm::find_if(engine.macRates, [&](const MacRate &each) {
      return each.elementType == type;
    });
    if (known == engine.macRates.end())
      engine.macRates.push_back({type.str(), rate});
    else
      known->macsPerCycle = rate;
  });
}

void Reader::readEngine(StringRef name, const Field &field) {
  Engine engine;
  engine.name = name.str();
  expectKeys(field, engineKeys());
  readKinds(field, engine);
  readCostModel(field, engine);
  readNumbers(field, engineNumbers(), engine);
  readMacRates(field, engine);
  readMacEnergies(field, engine);
  readKernels(field, engine);
  readText(field, keys::privateMemory, engine.privateMemory);
  readRates(field, keys::ports, 1, [&](StringRef memory, int64_t rate) {
    engine.ports.push_back({memory.str(), rate});
  });
  target.engines.push_back(std::move(engine));
}

void Reader::readMemory(StringRef name, const Field &field) {
  Memory memory;
  memory.name = name.str();
  expectKeys(field, memoryKeys());
  readNumbers(field, memoryNumbers(), memory);
  target.memories.push_back(std::move(memory));
}

void Reader::readLink(StringRef name, const Field &field) {
  Link link;
  link.name = name.str();
  expectKeys(field, linkKeys());
  readNumbers(field, linkNumbers(), link);
  target.links.push_back(std::move(link));
}

template <typename Part>
void Reader::readCalibratedParts(
    const Field &calibration, StringRef key, std::vector<Part> &parts,
    function_ref<void(const Field &, Part &)> read) {
  if (!calibration.find(key))
    return;
  forEachMember(calibration, key, [&](StringRef name, const Field &field) {
    auto part = llvm::find_if(
        parts, [&](const Part &part) { return part.name == name; });
    if (part == parts.end())
      emitError(field) << "'" << field.path << "' is calibrated, but '" << key
                       << "' has no '" << name << "'";
    else
      read(field, *part);
  });
}

void Reader::readCalibration(const Field &field) {
  if (!expectMap(field))
    return;
  expectKeys(field, keysOf<Target>(calibrationOthers(), {}));
  readText(field, keys::fittedOn, target.fittedOn);
  const Field *fittedOn = field.find(keys::fittedOn);
  if (!fittedOn || fittedOn->isEmptyText())
    emitError(fittedOn ? *fittedOn : field)
        << "'" << field.pathOf(keys::fittedOn)
        << "' must say which measurements the figures were fitted on";
  readCalibratedParts<Engine>(field, keys::engines, target.engines,
                              [&](const Field &field, Engine &engine) {
                                expectKeys(field, calibratedEngineKeys());
                                readNumbers(field, engineNumbers(), engine);
                                readMacRates(field, engine);
                                readMacEnergies(field, engine);
                                readKernels(field, engine);
                              });
  readCalibratedParts<Memory>(field, keys::memories, target.memories,
                              [&](const Field &field, Memory &memory) {
                                expectKeys(field, memoryKeys());
                                readNumbers(field, memoryNumbers(), memory);
                              });
  readCalibratedParts<Link>(field, keys::links, target.links,
                            [&](const Field &field, Link &link) {
                              expectKeys(field, linkKeys());
                              readNumbers(field, linkNumbers(), link);
                            });
}

std::vector<int64_t> numbersOf(const MeasuredTime &time) {
  std::vector<int64_t> numbers = time.sizes;
  numbers.insert(numbers.end(),
                 {time.picoseconds, time.perMillion, time.kernels});
  return numbers;
}

/// Reads the list that `numbersOf` gives.
std::optional<MeasuredTime> Reader::readMeasuredTime(const Field &field,
                                                     size_t sizes) {
  constexpr size_t others = 3;
  if (field.kind != Field::Kind::List ||
      field.members.size() != sizes + others) {
    emitWrongKind(field, ("a list of " + Twine(sizes) +
                          " sizes, picoseconds, millionths of the "
                          "formula's time, and kernels")
                             .str());
    return std::nullopt;
  }
  std::vector<int64_t> numbers;
  for (const auto &[ignored, member] : field.members)
    numbers.push_back(
        asInteger(member, numbers.size() == sizes ? 0 : 1).value_or(1));
  return MeasuredTime{{numbers.begin(), numbers.begin() + sizes},
                      numbers[sizes],
                      numbers[sizes + 1],
                      numbers[sizes + 2]};
}

void Reader::readMeasuredForm(StringRef name, const Field &field) {
  auto [ignored, sizes] = name.rsplit(' ');
  if (name.count(' ') != 2 || sizes.empty()) {
    emitError(field) << "'" << field.path
                     << "' must name an op, its element types and its loops, "
                        "such as \"llm.matmul bf16,bf16,bf16 m,n,k\"";
    return;
  }
  if (field.kind != Field::Kind::List) {
    emitWrongKind(field, "a list of measured times");
    return;
  }
  MeasuredForm form{name.str(), {}};
  for (const auto &[ignored, member] : field.members)
    if (std::optional<MeasuredTime> time =
            readMeasuredTime(member, sizes.count(',') + 1))
      form.times.push_back(std::move(*time));
  target.measured.push_back(std::move(form));
}

static void collectPlaces(const Field &field,
                          llvm::StringMap<const Field *> &places) {
  places.try_emplace(field.path, &field);
  for (const auto &[ignored, member] : field.members)
    collectPlaces(member, places);
}

/// Reports figures of ops that their dialect does not have. Ops of dialects
/// that are not loaded are not known, and are not reported.
static void addUnknownOps(const Target &target, MLIRContext *context,
                          std::vector<TargetProblem> &problems) {
  for (const Engine &engine : target.engines)
    for (const KernelFigures &figures : engine.kernels) {
      StringRef name = StringRef(figures.kernel).split('@').first;
      auto [dialect, ignored] = name.split('.');
      Dialect *loaded =
          name.contains('.') ? context->getLoadedDialect(dialect) : nullptr;
      if (!loaded || loaded->allowsUnknownOperations() ||
          RegisteredOperationName::lookup(name, context))
        continue;
      SmallVector<StringRef> known;
      for (RegisteredOperationName op : context->getRegisteredOperations())
        if (op.getDialectNamespace() == dialect)
          known.push_back(op.getStringRef());
      problems.push_back({(keys::engines + "." + engine.name + "." +
                           keys::kernels + "." + figures.kernel)
                              .str(),
                          "is no op of dialect '" + dialect.str() + "'" +
                              didYouMean(name, known)});
    }
}

/// Reports problems of the whole target at the closest field that was written.
void Reader::reportProblems(const Field &root) {
  llvm::StringMap<const Field *> places;
  collectPlaces(root, places);
  std::vector<TargetProblem> problems = target.findProblems();
  addUnknownOps(target, root.location.getContext(), problems);
  for (const TargetProblem &problem : problems) {
    StringRef path = problem.path;
    while (!path.empty() && !places.contains(path))
      path = path.contains('.') ? path.rsplit('.').first : "";
    const Field &place = path.empty() ? root : *places.lookup(path);
    emitError(place) << "'" << problem.path << "' " << problem.reason;
  }
}

FailureOr<Target> Reader::read(const Field &root, std::optional<StringRef> name,
                               bool calibrated) {
  if (!expectMap(root))
    return failure();
  std::vector<StringRef> known = targetKeys();
  if (name)
    target.name = name->str();
  else
    readText(root, keys::name, target.name);
  expectKeys(root, ArrayRef<StringRef>(known).drop_front(name ? 1 : 0));
  if (unknownFields > maxUnknownFields)
    return failure();
  if (!name && !root.find(keys::name))
    emitError(root) << "'name' is missing";
  readText(root, keys::description, target.description);

  target.clockHz = Target::defaultClockHz;
  target.clockIsGiven = root.find(keys::clockHz);
  readInteger(root, keys::clockHz, 1, target.clockHz);
  if (const Field *given = root.find(keys::clockIsGiven)) {
    if (given->kind != Field::Kind::Boolean)
      emitWrongKind(*given, "true or false");
    else if (given->boolean && !target.clockIsGiven)
      emitError(*given) << "'clock_is_given' is true and 'clock_hz' is missing";
    target.clockIsGiven &= given->boolean;
  }
  forEachMember(root, keys::engines, [&](StringRef name, const Field &field) {
    readEngine(name, field);
  });
  forEachMember(root, keys::memories, [&](StringRef name, const Field &field) {
    readMemory(name, field);
  });
  if (root.find(keys::links))
    forEachMember(root, keys::links, [&](StringRef name, const Field &field) {
      readLink(name, field);
    });
  readText(root, keys::fittedOn, target.fittedOn);
  if (const Field *measured = root.find(keys::measured))
    if (expectMap(*measured))
      for (const auto &[name, field] : measured->members)
        readMeasuredForm(name, field);
  readNumbers(root, targetNumbers(), target);
  if (const Field *calibration = root.find(keys::calibration)) {
    Target datasheet = target;
    readCalibration(*calibration);
    if (!calibrated)
      target = std::move(datasheet);
  }
  if (sound)
    reportProblems(root);
  if (!sound)
    return failure();
  return std::move(target);
}

FailureOr<Target> readTargetFields(const Field &root,
                                   std::optional<StringRef> name,
                                   bool calibrated) {
  return Reader().read(root, name, calibrated);
}

} // namespace mlir::llm
