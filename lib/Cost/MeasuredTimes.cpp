//===- MeasuredTimes.cpp - Measured times beside the formula --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/MeasuredTimes.h"
#include "llm/Workload/Composition.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

static constexpr int64_t million = 1'000'000;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  llvm::replace(text, ' ', '_');
  llvm::replace(text, ',', ';');
  return text;
}

/// Returns the share of the iterations that a mask leaves to a stage.
static int64_t shareOfPoints(const OpOnTarget &context, unsigned stage) {
  double all = 1;
  for (const Loop &loop : context.workload.loops)
    if (context.workload.stages[stage].loops.test(
            &loop - context.workload.loops.data()))
      all *= double(loop.extent);
  Count points =
      WorkloadOpInterface(context.op)
          .countPoints(context.workload, stage, context.workload.fullBox());
  return succeeded(points) && all > 0
             ? std::llround(double(*points) / all * double(million))
             : million;
}

OpForm llm::formOf(const OpOnTarget &context) {
  const Workload &workload = context.workload;
  OpForm form;
  SmallVector<std::string> types, names;
  for (const Buffer &buffer : workload.buffers)
    types.push_back(nameOf(buffer.elementType));
  for (const Loop &loop : workload.loops) {
    names.push_back(loop.name);
    form.sizes.push_back(loop.extent);
  }
  for (auto [index, stage] : llvm::enumerate(workload.stages))
    if (int64_t share = shareOfPoints(context, index); share != million) {
      names.push_back(stage.name + "_ppm");
      form.sizes.push_back(share);
    }
  form.name = (context.op->getName().getStringRef() + " " +
               llvm::join(types, ",") + " " + llvm::join(names, ","))
                  .str();
  return form;
}

namespace {
/// The words of a form's name.
struct FormWords {
  explicit FormWords(StringRef name) {
    std::tie(op, types) = name.split(' ');
    std::tie(types, sizes) = types.split(' ');
  }
  /// Whether ops of both forms do the same, but for what they read beside
  /// (biases, sinks, weights of norms).
  bool isAlike(const FormWords &other) const {
    return op == other.op && sizes == other.sizes &&
           types.split(',').first == other.types.split(',').first;
  }
  StringRef op, types, sizes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Returns log2, exactly for powers of 2 and linearly between them.
static double doublingsOf(int64_t size) {
  int exponent = 0;
  double fraction = std::frexp(double(std::max<int64_t>(size, 1)), &exponent);
  return double(exponent) + 2 * fraction - 2;
}

/// Returns the square of the number of doublings between two sizes.
static double squaredDistance(ArrayRef<int64_t> one, ArrayRef<int64_t> other) {
  double sum = 0;
  for (auto [a, b] : llvm::zip_equal(one, other)) {
    double apart = doublingsOf(a) - doublingsOf(b);
    sum += apart * apart;
  }
  return sum;
}

namespace {
/// The mean of measured / predicted around one size.
class FactorMean {
public:
  void add(double squaredDistance, double factor) {
    if (squaredDistance == 0) {
      sumAt += factor;
      ++countAt;
      return;
    }
    double weight = 1 / (squaredDistance * squaredDistance);
    sum += weight * factor;
    weights += weight;
  }
  MeasuredCorrection get() const {
    if (countAt > 0)
      return {sumAt / countAt, 1, false};
    constexpr double doublings = 2; // at which the formula counts
    constexpr double ofFormula =
        1 / (doublings * doublings * doublings * doublings);
    double all = weights + ofFormula;
    return {(sum + ofFormula) / all, weights / all, false};
  }

private:
  double sum = 0, weights = 0, sumAt = 0, countAt = 0;
};

/// The measured times between which that of an op lies.
struct MeasuredLimits {
  int64_t least = 0, most = 0; ///< picoseconds; 0: none

  void add(ArrayRef<int64_t> sizes, const MeasuredTime &time) {
    if (time.picoseconds == 0 || time.kernels > 1)
      return;
    auto pairs = llvm::zip_equal(time.sizes, sizes);
    if (llvm::all_of(pairs, [](auto pair) {
          return std::get<0>(pair) <= std::get<1>(pair);
        }))
      least = std::max(least, time.picoseconds);
    if (llvm::all_of(pairs, [](auto pair) {
          return std::get<0>(pair) >= std::get<1>(pair);
        }))
      most = most ? std::min(most, time.picoseconds) : time.picoseconds;
  }
  double clamp(double picoseconds) const {
    if (most && least > most) // they contradict each other
      return picoseconds;
    picoseconds = std::max(picoseconds, double(least));
    return most ? std::min(picoseconds, double(most)) : picoseconds;
  }
};
} // namespace

MeasuredCorrection llm::correctionOf(const OpForm &form, const Target &target,
                                     double formulaSeconds) {
  constexpr double pico = 1e12;
  FactorMean mean;
  MeasuredLimits limits;
  double exactly = 0, measuredSum = 0;
  FormWords words(form.name);
  for (const MeasuredForm &measured : target.measured) {
    if (!words.isAlike(FormWords(measured.form)))
      continue;
    for (const MeasuredTime &time : measured.times) {
      mean.add(squaredDistance(time.sizes, form.sizes),
               double(time.perMillion) / double(million));
      if (measured.form != form.name)
        continue;
      limits.add(form.sizes, time);
      if (time.picoseconds > 0 && time.sizes == form.sizes) {
        measuredSum += double(time.picoseconds);
        ++exactly;
      }
    }
  }
  MeasuredCorrection correction = mean.get();
  if (formulaSeconds <= 0)
    return correction;
  double picoseconds = formulaSeconds * pico;
  correction.isMeasured = exactly > 0;
  double corrected = exactly > 0
                         ? measuredSum / exactly
                         : limits.clamp(picoseconds * correction.factor);
  correction.factor = corrected / picoseconds;
  return correction;
}

bool llm::canBeMeasured(const OpOnTarget &context) {
  return !context.workload.collective && context.hasOneWay();
}

MeasuredCorrection llm::correctionOf(const OpOnTarget &context,
                                     double formulaSeconds) {
  const Target &target = *context.target;
  if (target.measured.empty() || !canBeMeasured(context))
    return {};
  if (!context.workload.composition)
    return correctionOf(formOf(context), target, formulaSeconds);
  std::optional<MeasuredCorrection> found;
  for (const ComposedPart &part : context.workload.composition->parts) {
    OpOnTarget inside = context.inside(part);
    if (!inside.workload.macElementType())
      continue;
    if (found)
      return {};
    // Its own time is not that of the kernel: only the factor counts.
    found = correctionOf(formOf(inside), target, /*formulaSeconds=*/0);
  }
  return found.value_or(MeasuredCorrection());
}

//===----------------------------------------------------------------------===//
// How right corrections are
//===----------------------------------------------------------------------===//

const MeasuredForm *llm::findForm(const Target &target, const OpForm &form) {
  auto found =
      llvm::find_if(target.measured, [&](const MeasuredForm &measured) {
        return measured.form == form.name;
      });
  return found == target.measured.end() ? nullptr : &*found;
}

/// Returns the factor at a time's sizes by the times of other sizes.
static double factorByOthers(const MeasuredForm &form,
                             const MeasuredTime &left) {
  FactorMean mean;
  for (const MeasuredTime &time : form.times)
    if (time.sizes != left.sizes)
      mean.add(squaredDistance(time.sizes, left.sizes),
               double(time.perMillion) / double(million));
  return mean.get().factor;
}

std::optional<TimeSpread> llm::spreadLeftOut(const MeasuredForm &form) {
  constexpr size_t fewest = 20, most = 500;
  if (form.times.size() < fewest)
    return std::nullopt;
  size_t stride = (form.times.size() + most - 1) / most;
  std::vector<double> ratios;
  for (size_t at = 0; at < form.times.size(); at += stride) {
    const MeasuredTime &time = form.times[at];
    ratios.push_back(double(time.perMillion) / double(million) /
                     factorByOthers(form, time));
  }
  llvm::sort(ratios);
  return TimeSpread{ratios[ratios.size() / 10],
                    ratios[ratios.size() - 1 - ratios.size() / 10]};
}
