//===- FuzzPasses.cpp - Fuzz the parser and the passes --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `// target=npu tile schedule report=json` ahead of the IR: the passes to run,
// by the words of `stepWords`. What a pass guarantees is required of it, so
// that wrong answers are found and not only crashes.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "PassOracles.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Target/Target.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

namespace mlir::llm::fuzz {

namespace {
struct StepWord {
  StringRef word;
  StringRef pipeline;
  StepKind kind;
};
} // namespace

static constexpr StepWord stepWords[] = {
    {"target", "llm-target", StepKind::Target},
    {"target=npu", "llm-target{name=npu}", StepKind::Target},
    {"target=nvl-ax", "llm-target{name=nvl-ax}", StepKind::Target},
    {"target=jgs", "llm-target{name=jgs}", StepKind::Target},
    {"target=a100-sxm", "llm-target{name=a100-sxm}", StepKind::Target},
    {"target=h100-sxm", "llm-target{name=h100-sxm}", StepKind::Target},
    {"engines=1", "llm-target{engines=1}", StepKind::Target},
    {"engines=3", "llm-target{engines=3}", StepKind::Target},
    {"engines=2000", "llm-target{engines=2000}", StepKind::Target},
    {"engines=0", "llm-target{engines=0}", StepKind::Target},
    {"bind", "llm-bind-shapes{sizes=batch=2,kv_len=7}", StepKind::Rewrite},
    {"bind=seq", "llm-bind-shapes{sizes=seq=3}", StepKind::Rewrite},
    {"decompose", "func.func(llm-decompose-attention)", StepKind::Rewrite},
    {"fuse", "func.func(llm-fuse-projections)", StepKind::Rewrite},
    {"shard", "llm-shard", StepKind::Cut},
    {"shard=tp", "llm-shard{tp=2}", StepKind::Cut},
    {"shard=sp", "llm-shard{tp=2 sp=true}", StepKind::Cut},
    {"shard=rows", "llm-shard{tp=2 dp=2 sp=true}", StepKind::Cut},
    {"shard=ep", "llm-shard{ep=2}", StepKind::Cut},
    {"shard=dp", "llm-shard{dp=2}", StepKind::Cut},
    {"shard=pp", "llm-shard{pp=2}", StepKind::Cut},
    {"shard=cp", "llm-shard{tp=2 cp=2}", StepKind::Cut},
    {"shard=keys", "llm-shard{tp=4 cp=2}", StepKind::Cut},
    {"shard=rounds", "llm-shard{pp=2 pp-rounds=2}", StepKind::Cut},
    {"shard=all", "llm-shard{tp=2 pp=2 interleave=2}", StepKind::Cut},
    {"partition", "llm-partition", StepKind::Cut},
    {"partition=chunks", "llm-partition{overlap-chunks=2}", StepKind::Cut},
    {"kernels", "llm-fuse", StepKind::Rewrite},
    {"kernels=legal", "llm-fuse{when=legal}", StepKind::Rewrite},
    {"tile", "llm-tile", StepKind::Cost},
    {"tile=theoretical", "llm-tile{strategy=theoretical}", StepKind::Cost},
    {"tile=manual", "llm-tile{strategy=manual}", StepKind::Cost},
    {"cost", "llm-cost", StepKind::Cost},
    {"verify-cost", "llm-verify-cost", StepKind::VerifyCost},
    {"schedule", "llm-schedule", StepKind::Schedule},
    {"schedule=2", "llm-schedule{engines=2}", StepKind::Schedule},
    {"schedule=earliest", "llm-schedule{policy=earliest}", StepKind::Schedule},
    {"verify-schedule", "llm-verify-schedule", StepKind::VerifySchedule},
    {"perfetto", "llm-export-perfetto{file=$}", StepKind::Perfetto},
    {"perfetto=cycles", "llm-export-perfetto{file=$ time=cycles}",
     StepKind::Perfetto},
    {"report", "llm-export-report{file=$}", StepKind::Report},
    {"report=json", "llm-export-report{file=$ format=json}",
     StepKind::ReportJson},
    {"report=csv", "llm-export-report{file=$ format=csv}", StepKind::Report},
    {"dot", "llm-export-dot{file=$}", StepKind::Report},
    {"dot=1", "llm-export-dot{file=$ depth=1 color=kind}", StepKind::Report},
};

static const StepWord *findStep(StringRef word) {
  for (const StepWord &step : stepWords)
    if (step.word == word)
      return &step;
  return nullptr;
}

static const DialectRegistry &registry() {
  static const DialectRegistry *known = [] {
    auto *registry = new DialectRegistry;
    ::mlir::registerAllDialects(*registry);
    ::mlir::registerAllExtensions(*registry);
    llm::registerAllDialects(*registry);
    llm::registerAllPasses();
    return registry;
  }();
  return *known;
}

/// Making a context takes far longer than most inputs do, but what is uniqued
/// in it is never freed.
static MLIRContext &renewedContext() {
  constexpr unsigned runsPerContext = 200;
  static std::unique_ptr<MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % runsPerContext == 0) {
    context.reset();
    context = std::make_unique<MLIRContext>(registry(),
                                            MLIRContext::Threading::DISABLED);
    // Programs without ops of it are printed with its aliases before a pass
    // loads it, too.
    context->loadDialect<LlmDialect>();
  }
  return *context;
}

/// Whether an entry of some list `name = [...]` is not as it should be, or the
/// list has no end.
static bool hasOddEntry(StringRef text, StringRef name,
                        function_ref<bool(StringRef)> isFine) {
  for (StringRef rest = text.split(name).second; !rest.empty();
       rest = rest.split(name).second) {
    StringRef list = rest.ltrim();
    if (!list.consume_front("=") || !list.ltrim().starts_with("[") ||
        !list.contains(']'))
      return true;
    SmallVector<StringRef> entries;
    rest.take_until([](char letter) { return letter == ']'; })
        .split('[')
        .second.split(entries, ',');
    if (!::llvm::all_of(entries,
                        [&](StringRef entry) { return isFine(entry.trim()); }))
      return true;
  }
  return false;
}

/// Linalg's parsers take entries of lists for what they should be, and go on
/// without a list that could not be read.
static bool hitsLinalgParser(StringRef text) {
  auto isString = [](StringRef entry) {
    return entry.empty() || entry.starts_with("\"");
  };
  auto isNumber = [](StringRef entry) {
    int64_t number;
    return !entry.getAsInteger(10, number);
  };
  return text.contains("linalg.") &&
         (hasOddEntry(text, "iterator_types", isString) ||
          hasOddEntry(text, "permutation", isNumber) ||
          hasOddEntry(text, "dimensions", isNumber));
}

/// The verifiers of expand_shape and collapse_shape take the last dimension of
/// each group, as in [[0, 1], []], before they look whether there is one.
static bool hitsReshapeVerifier(StringRef text) {
  std::string dense;
  ::llvm::copy_if(text, std::back_inserter(dense),
                  [](char letter) { return !::llvm::isSpace(letter); });
  return text.contains("_shape") &&
         (StringRef(dense).contains("[[]") || StringRef(dense).contains(",[]"));
}

/// The parser of linalg.generic frees a region that could not be read while
/// others still refer to its values, as where a block is defined twice.
static bool hitsGenericParser(StringRef text) {
  if (!text.contains("linalg.generic"))
    return false;
  std::vector<::llvm::StringSet<>> labels(1); // of the regions around
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    StringRef label = line.ltrim().take_while(
        [](char letter) { return letter == '^' || ::llvm::isAlnum(letter); });
    if (label.starts_with("^") && !labels.back().insert(label).second)
      return true;
    for (char letter : line) {
      if (letter == '{')
        labels.emplace_back();
      else if (letter == '}' && labels.size() > 1)
        labels.pop_back();
    }
  }
  return false;
}

/// The parser of linalg.elementwise makes the body before it looks at the
/// types, and stops where a function has no form for whole numbers, as exp.
static bool hitsElementwiseParser(StringRef text) {
  while (!text.empty()) {
    auto [before, behind] = text.split("linalg.elementwise");
    StringRef types = behind.take_front(behind.find("->"));
    if (::llvm::Regex("x[su]?i[0-9]|xindex").match(types))
      return true;
    text = behind;
  }
  return false;
}

/// The parser of array<index: ...> asks for the width of index.
static bool hitsArrayParser(StringRef text) {
  return ::llvm::Regex("array<[[:space:]]*index").match(text);
}

/// If a value is used before it is defined, and its definition is in a region
/// of tensor.pad whose type is malformed, the parser of the function writes to
/// the use that went with the region.
static bool hitsPadParser(StringRef text) {
  if (!text.contains("tensor.pad"))
    return false;
  ::llvm::Regex definition("(%[A-Za-z0-9_$.-]+)[[:space:]]*=");
  SmallVector<StringRef> found;
  for (StringRef rest = text; definition.match(rest, &found);
       rest = rest.substr(found[0].end() - rest.begin()))
    if (text.find(found[1]) < size_t(found[1].begin() - text.begin()))
      return true;
  return false;
}

/// Upstream's own faults, in libMLIR, which is not built with its assertions.
static bool hitsUpstream(StringRef text) {
  if (hitsLinalgParser(text) || hitsReshapeVerifier(text) ||
      hitsGenericParser(text) || hitsElementwiseParser(text) ||
      hitsArrayParser(text) || hitsPadParser(text))
    return true;
  // Its parser recurses without a limit into types, attributes and regions.
  int depth = 0, deepest = 0;
  for (char letter : text) {
    depth += StringRef("<([{").contains(letter);
    depth -= StringRef(">)]}").contains(letter);
    deepest = std::max(deepest, depth);
  }
  return deepest > 200;
}

void runPasses(StringRef text) {
  if (text.size() > maxInputBytes || hitsUpstream(text))
    return;
  MLIRContext &context = renewedContext();
  DiagnosticJudge judge(&context);
  Input input(text);
  if (input.body.contains("loc("))
    judge.allowUnknownLocations();
  // Upstream's lexer counts on the zero behind a file.
  std::string ir = input.body.str();
  auto module =
      parseSourceString<ModuleOp>(ir, ParserConfig(&context), "fuzz.mlir");
  if (failed(judge.judgeParser(bool(module))))
    return;
  PassOracle oracle(*module, judge);
  constexpr unsigned maxSteps = 8;
  unsigned steps = 0;
  for (StringRef word : input.settings)
    if (const StepWord *step = findStep(word))
      if (++steps > maxSteps || failed(oracle.run(step->pipeline, step->kind)))
        return;
  oracle.checkRoundTrip();
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {
    "target",
    "target=npu",
    "target=h100-sxm",
    "target=nvl-ax",
    "target=jgs",
    "target=a100-sxm",
    "engines=1",
    "engines=3",
    "engines=2000",
    "engines=0",
    "bind",
    "bind=seq",
    "decompose",
    "fuse",
    "kernels",
    "kernels=legal",
    "mask causal window 3",
    "lengths [5, 4]",
    "!llm.block_scaled<f4E2M1FN, [32], f8E8M0FNU>",
    "f8E4M3FN latents",
    "llm.size \"batch\"",
    "at [1, 2]",
    "tile",
    "tile=theoretical",
    "cost",
    "verify-cost",
    "schedule",
    "schedule=2",
    "schedule=earliest",
    "verify-schedule",
    "perfetto",
    "perfetto=cycles",
    "report",
    "report=json",
    "report=csv",
    "dot",
    "dot=1",
    "llm.tile",
    "llm.cost",
    "llm.slots",
    "llm.schedule",
    "llm.program",
    "transpose_rhs",
    "mask causal",
    "mask full",
    "silu",
    "gelu_tanh",
    "softplus",
    "!llm.state<batch = 1, 3x4xf32>",
    "every_step",
    "chunk 2",
    "qk_norm 1.0e-6",
    "limit -5.0",
    "delta",
    "additive",
    "bf16",
    "f32",
    "i4",
    "i1",
    "f8E4M3FN",
    "f80",
    "complex<f32>",
    "index",
    "?",
    "theoretical",
    "manual",
    "pinned",
    "overhead",
    "decode",
    "prefill",
    "page_size = 4",
    "0x7FF0000000000000",
    "\"\\FF\"",
    "\"\"",
    "\"a.{}\"",
    "\"parallel\"",
    "\"reduction\"",
    "arith.maximumf",
    "arith.mulf",
    "arith.divf",
    "math.exp",
    "tensor.pad",
    "tensor.insert_slice",
    "affine_map<(d0, d1) -> (d0 * 2 + d1)>",
    "affine_map<(d0, d1) -> (d1, d0)>",
    "affine_map<(d0, d1) -> (0, d0)>"};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runPasses, words)
