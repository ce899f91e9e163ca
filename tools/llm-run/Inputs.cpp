//===- Inputs.cpp - What a program is run on ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Execution/Npy.h"
#include "llm/Files/InputFile.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Returns the argument of the function whose elements these are, if there is
/// one.
static BlockArgument findArgument(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<SizedOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op))
      return nullptr;
    tensor = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(tensor);
  return isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ? argument
                                                                      : nullptr;
}

ModelFacts llm::findFacts(FunctionOpInterface function) {
  ModelFacts facts;
  if (auto program =
          function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName))
    facts.family = program.getModel().str();
  function.walk([&](EmbeddingOp op) {
    facts.vocabulary = op.getTable().getType().getDimSize(0);
    if (BlockArgument tokens = findArgument(op.getTokens()))
      facts.vocabularyOf[tokens.getArgNumber()] = *facts.vocabulary;
  });
  function.walk([&](SizeOp) { facts.hasOpenSizes = true; });
  function.walk([&](RopeOp op) {
    facts.rope = op.getLoc();
    facts.isInterleaved = op.getInterleaved();
  });
  return facts;
}

//===----------------------------------------------------------------------===//
// Tokens and caches
//===----------------------------------------------------------------------===//

LogicalResult Inputs::readTokens() {
  std::string given = options.tokens, where = "--tokens";
  if (!options.promptFile.empty()) {
    auto file = readInputFile(options.promptFile);
    if (!file)
      return emitError(loc) << llvm::toString(file.takeError());
    given = (*file)->getBuffer().str();
    where = options.promptFile;
  }
  SmallVector<StringRef> texts;
  llvm::SplitString(given, texts, ", \t\r\n");
  if (!options.promptFile.empty() && texts.empty())
    return emitError(loc) << "'" << where << "' has no tokens";
  for (StringRef text : texts) {
    int64_t token;
    if (text.getAsInteger(10, token) || token < 0)
      return emitError(loc) << "'" << where
                            << "' must be whole numbers with commas or spaces "
                               "between them, got '"
                            << text << "'";
    if (facts.vocabulary && token >= *facts.vocabulary)
      return emitError(loc) << "token " << token << " is not below "
                            << *facts.vocabulary << ", the number of tokens";
    tokens.push_back(token);
  }
  if (!tokens.empty() && !facts.vocabulary)
    return emitError(loc) << "'" << where
                          << "' has the tokens of a whole model, and the "
                             "program has no embedding (llm-translate "
                             "--layers=all)";
  return success();
}

/// Closes open sizes. Caches are [batch, capacity, heads, features], with room
/// for all runs.
FailureOr<RankedTensorType> Inputs::close(RankedTensorType type,
                                          const ProgramArgument &argument) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    bool isCapacity = dim == 1;
    int64_t known = isCache(argument) && dim < 2
                        ? sizes.lookup(isCapacity ? "kv_len" : "batch")
                        : 0;
    if (!known)
      return emitError(loc)
             << "an argument of the function is " << type
             << ", with open sizes; say them: '--tokens' or '--input'";
    bool isTooLarge =
        llvm::AddOverflow(known, isCapacity ? options.steps - 1 : 0, size);
    if (isTooLarge) // for any machine, which reserve() says
      size = std::numeric_limits<int64_t>::max();
  }
  return RankedTensorType::get(shape, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns the largest number of a type that has most numbers far from 0;
/// nothing for others.
static std::optional<float> findLargest(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return std::ldexp(1.0F, static_cast<int>(integer.getWidth()) - 1) - 1;
  auto type = cast<FloatType>(element);
  if (type.getWidth() >= 8)
    return std::nullopt;
  return llvm::APFloat::getLargest(type.getFloatSemantics()).convertToFloat();
}

/// Chooses a range for a whole tensor. Matrices have the deviation 1 /
/// sqrt(inputs). If they are scaled in blocks, they have all numbers of their
/// type, and scales that give this deviation. Vectors are around 1.
RandomRange Inputs::chooseRange(const ProgramArgument &argument,
                                RankedTensorType type) const {
  auto [values, layer] = StringRef(argument.name).split(".scales");
  bool isScale = !layer.empty();
  for (const ProgramArgument &each : executable.getArguments())
    if (isScale && each.kind == argument.kind && each.name == values)
      type = pieces.getWhole(each, cast<RankedTensorType>(each.type));
  if (type.getRank() < 2 || (isScale && layer != "0"))
    return {1, 1};
  auto inputs = static_cast<float>(type.getShape().back());
  std::optional<float> largest = findLargest(type.getElementType());
  if (!isScale)
    return {0, largest ? 2 * *largest : std::sqrt(12 / inputs)};
  float scale = largest ? std::sqrt(3 / inputs) / *largest : 1;
  return {scale, scale};
}

FailureOr<HostTensor> Inputs::makeTokens(RankedTensorType type) {
  auto count = static_cast<int64_t>(tokens.size());
  if (type.getRank() != 1 ||
      (!type.isDynamicDim(0) && type.getDimSize(0) != count))
    return emitError(loc)
           << "the prompt has " << count << (count == 1 ? " token" : " tokens")
           << ", and " << describeTaken(type)
           << (facts.hasOpenSizes
                   ? ""
                   : "; a program for any prompt is imported with --batch=1 "
                     "\"--seq=?\" \"--kv-len=?\"");
  HostTensor tensor(type.getElementType(), count);
  for (auto [i, token] : llvm::enumerate(tokens))
    tensor.set(i, static_cast<double>(token));
  return tensor;
}

LogicalResult Inputs::readFiles() {
  for (const std::string &path : options.files) {
    FailureOr<HostTensor> tensor = readNpy(path, loc);
    if (failed(tensor))
      return failure();
    given.push_back(std::move(*tensor));
  }
  return success();
}

static std::string spell(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.15g", number);
  return text;
}

LogicalResult Inputs::checkWhole(const HostTensor &given,
                                 const HostTensor &converted,
                                 unsigned number) const {
  auto table = facts.vocabularyOf.find(number);
  bool isLookedUp = table != facts.vocabularyOf.end();
  for (int64_t i = 0, count = given.getNumElements(); i < count; ++i) {
    double element = given.get(i);
    if (converted.get(i) != element)
      return emitError(loc)
             << "element " << i << " of '" << options.files[number] << "' is "
             << spell(element) << ", and the program takes elements of "
             << converted.getElementType();
    if (isLookedUp && !(element >= 0 && element < double(table->second)))
      return emitError(loc)
             << "element " << i << " of '" << options.files[number]
             << "' is token " << spell(element) << ", which is not in 0 to "
             << table->second - 1 << ", the tokens of the program's table";
  }
  return success();
}

FailureOr<HostTensor> Inputs::convertInput(RankedTensorType type,
                                           unsigned number) const {
  const HostTensor &tensor = given[number];
  if (!fits(tensor.getShape(), type))
    return emitError(loc) << "'" << options.files[number] << "' is "
                          << describe(tensor) << ", and "
                          << describeTaken(type);
  HostTensor converted = tensor.convertTo(type.getElementType());
  if (!isa<FloatType>(type.getElementType()) &&
      failed(checkWhole(tensor, converted, number)))
    return failure();
  return converted;
}

static bool areTokens(RankedTensorType type, const ModelFacts &facts) {
  return type.getElementType().isInteger() && facts.vocabulary;
}

bool Inputs::isGiven(RankedTensorType type, unsigned number) const {
  return number < given.size() || (areTokens(type, facts) && !tokens.empty());
}

FailureOr<HostTensor> Inputs::makeInput(const ProgramArgument &argument,
                                        unsigned number) {
  RankedTensorType type = getInputType(argument, number);
  number = argument.input;
  if (number < given.size())
    return convertInput(type, number);
  bool isTokens = areTokens(type, facts);
  if (isTokens && !tokens.empty())
    return makeTokens(type);
  FailureOr<RankedTensorType> closed = close(type, argument);
  if (failed(closed))
    return failure();
  auto inputs =
      static_cast<float>(closed->getRank() ? closed->getShape().back() : 1);
  HostTensor random =
      makeRandomTensor("argument " + std::to_string(number), *closed,
                       options.seed, {0, std::sqrt(12 / inputs)});
  if (isTokens)
    for (int64_t i = 0, count = random.getNumElements(); i < count; ++i)
      random.set(i, static_cast<double>((i * 7 + 3) % *facts.vocabulary));
  return random;
}

HostTensor Inputs::drawNumbers(const ProgramArgument &argument) {
  auto type = cast<RankedTensorType>(argument.type);
  int64_t rows =
      type.isDynamicDim(0) ? sizes.lookup("batch") : type.getDimSize(0);
  return makeRandomTensor(argument.name + " in step " + std::to_string(step),
                          type.clone({std::max<int64_t>(rows, 1)}),
                          options.samplingSeed, {0.5F, 1});
}

/// Reads the scale of all positions, if `argument` is one and the files have
/// it.
FailureOr<std::optional<HostTensor>>
Inputs::readCacheScale(const ProgramArgument &argument,
                       RankedTensorType type) const {
  StringRef name = argument.name;
  if (!files || type.getRank() || !name.consume_back(".scales0"))
    return std::optional<HostTensor>();
  bool isOfValues = name.ends_with(".values");
  // Groups of sequences have caches of their own, and one scale.
  constexpr StringRef attention = ".self_attn";
  StringRef cache = name.rsplit('.').first;
  if (size_t at = cache.rfind(attention); at != StringRef::npos)
    cache = cache.take_front(at + attention.size());
  return files->readCacheScale(cache, !isOfValues, type.getElementType());
}

/// Makes an empty cache. Scales that all positions share are 1 if they are not
/// given, as in serving stacks. Other scales are written with their positions.
static HostTensor makeEmptyCache(StringRef name, RankedTensorType type) {
  HostTensor tensor(type.getElementType(), type.getShape());
  if (name.contains(".scales"))
    tensor.fill([] { return 1.0F; });
  return tensor;
}

/// The name of a weight, with the piece that a chip has of it: it may have
/// several.
static std::string getKey(const ProgramArgument &argument) {
  std::string key = argument.name;
  if (argument.piece || argument.unpadded)
    llvm::raw_string_ostream(key)
        << " " << argument.piece << " " << argument.unpadded;
  return key;
}

FailureOr<HostTensor> Inputs::makeSource(const ProgramArgument &argument) {
  FailureOr<RankedTensorType> type =
      close(cast<RankedTensorType>(argument.type), argument);
  if (failed(type))
    return failure();
  if (isCache(argument)) {
    auto scale = readCacheScale(argument, *type);
    if (failed(scale))
      return failure();
    if (*scale)
      return **scale;
  }
  // A chip has its piece of what one chip would have.
  auto makeRandom = [&] {
    RankedTensorType wholeType = pieces.getWhole(argument, *type);
    HostTensor whole = makeRandomTensor(argument.name, wholeType, options.seed,
                                        chooseRange(argument, wholeType));
    HostTensor piece = pieces.take(argument, whole);
    // A view of the whole would keep all of it.
    bool isView = piece.getOwner() == whole.getOwner();
    return isView && wholeType != *type ? piece.copy() : piece;
  };
  // A prompt begins with an empty cache. If there are keys before the new
  // tokens, they get random numbers.
  bool isBehindOthers = sizes.lookup("kv_len") > sizes.lookup("seq");
  if (isCache(argument))
    return isBehindOthers || tokens.empty()
               ? makeRandom()
               : makeEmptyCache(argument.name, *type);
  FailureOr<HostTensor> weight = files ? readWeight(argument) : makeRandom();
  if (succeeded(weight))
    weights[getKey(argument)] = *weight;
  return weight;
}

LogicalResult Inputs::openWeights() {
  if (options.weights.empty())
    return success();
  FailureOr<std::unique_ptr<WeightFiles>> opened =
      WeightFiles::open(options.weights, loc);
  if (failed(opened))
    return failure();
  files = std::move(*opened);
  std::optional<bool> isInterleaved = files->hasInterleavedRows(facts.family);
  if (!facts.rope || !isInterleaved || *isInterleaved == facts.isInterleaved)
    return success();
  auto describe = [](bool isInterleaved) {
    return isInterleaved ? "neighbours (interleaved)" : "halves of a head";
  };
  return emitError(*facts.rope)
         << "rotates pairs of " << describe(facts.isInterleaved) << ", and '"
         << options.weights
         << "' has the rows of queries and keys for pairs of "
         << describe(*isInterleaved) << "; import the program from "
         << (*isInterleaved ? "this file, with --import-gguf"
                            : "the config of this checkpoint, with "
                              "--import-hf-config");
}

/// Reads a weight. Its scales are the arguments behind it.
FailureOr<HostTensor> Inputs::readWeight(const ProgramArgument &argument) {
  auto known = weights.find(getKey(argument));
  if (known != weights.end())
    return known->second;
  SmallVector<RankedTensorType> parts;
  const ProgramArgument *end = executable.getArguments().end(), *each;
  for (each = &argument; each != end; ++each) {
    bool isPart = each->kind == argument.kind &&
                  StringRef(each->name).starts_with(argument.name + ".scales");
    if (each != &argument && !isPart)
      break;
    parts.push_back(pieces.getWhole(*each, cast<RankedTensorType>(each->type)));
  }
  FailureOr<WeightParts> read = files->read(argument.name, parts, loc);
  if (failed(read))
    return failure();
  for (auto [part, tensor] : llvm::enumerate(*read)) {
    tensor = pieces.take((&argument)[part], tensor);
    if (options.copiesWeights)
      tensor = tensor.copy();
    weights[getKey((&argument)[part])] = tensor;
  }
  return read->front();
}

LogicalResult Inputs::prepare() {
  if (failed(openWeights()))
    return failure();
  if (failed(readFiles()) || failed(readTokens()) || failed(readSizes()) ||
      failed(bindOpenSizes()) || failed(reserveAll()))
    return failure();
  unsigned number = 0;
  bool isStage = false;
  for (const ProgramArgument &argument : executable.getArguments()) {
    if (argument.kind == ProgramArgument::Kind::Size) {
      values.push_back(sizes.lookup(argument.name));
      continue;
    }
    if (argument.kind == ProgramArgument::Kind::Random) {
      values.push_back(drawNumbers(argument));
      continue;
    }
    if (argument.kind == ProgramArgument::Kind::Received) {
      values.push_back(HostTensor()); // until it comes
      isStage = true;
      ++number;
      continue;
    }
    FailureOr<HostTensor> tensor = argument.kind == ProgramArgument::Kind::Input
                                       ? makeInput(argument, number++)
                                       : makeSource(argument);
    if (failed(tensor))
      return failure();
    values.push_back(*tensor);
  }
  given.clear();
  // A stage has some of the arguments of the whole program.
  if (!isStage && number < options.files.size())
    return emitError(loc) << options.files.size() << " files of '--input', and "
                          << "the function takes " << number;
  return success();
}

std::string Inputs::describeNonFinite() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto isFound = [&](const llvm::Twine &name, const HostTensor &tensor) {
    std::optional<int64_t> element = findNonFinite(tensor);
    if (element)
      os << "element " << *element << " of " << name << ", " << describe(tensor)
         << ": " << tensor.get(*element);
    return element.has_value();
  };
  for (const auto &[name, weight] : weights)
    if (isFound("weight '" + llvm::Twine(name) + "'", weight))
      return text;
  for (auto [argument, value] :
       llvm::zip_equal(executable.getArguments(), values))
    if (argument.kind == ProgramArgument::Kind::Input &&
        isFound("argument " + llvm::Twine(argument.input),
                std::get<HostTensor>(value)))
      return text;
  return text;
}

LogicalResult Inputs::advance(ArrayRef<HostTensor> results,
                              ArrayRef<HostTensor> ofProgram) {
  llvm::StringMap<HostTensor> states;
  const HostTensor *newTokens = ofProgram.empty() ? nullptr : ofProgram.begin();
  for (auto [result, tensor] :
       llvm::zip_equal(executable.getResults(), results))
    if (!result.cache.empty())
      states[result.cache] = tensor;
  bool isOpen = sizes.contains("kv_len") && sizes.contains("seq");
  if (!newTokens || !newTokens->getElementType().isInteger(32) || !isOpen)
    return emitError(loc)
           << "'--steps' needs a model that gives tokens and has open sizes; "
              "import it with --layers=all --seq=? --kv-len=?";
  tokens.clear();
  for (int64_t i = 0; i < newTokens->getNumElements(); ++i)
    tokens.push_back(static_cast<int64_t>(newTokens->get(i)));
  sizes["seq"] = 1;
  ++sizes["kv_len"];
  ++step;
  for (auto [argument, value] :
       llvm::zip_equal(executable.getArguments(), values)) {
    if (argument.kind == ProgramArgument::Kind::Size) {
      value = sizes.lookup(argument.name);
    } else if (argument.kind == ProgramArgument::Kind::Random) {
      value = drawNumbers(argument);
    } else if (isCache(argument) && states.contains(argument.name)) {
      value = states[argument.name];
    } else if (argument.kind == ProgramArgument::Kind::Input) {
      FailureOr<HostTensor> next =
          makeTokens(cast<RankedTensorType>(argument.type));
      if (failed(next))
        return failure();
      value = *next;
    }
  }
  return success();
}
