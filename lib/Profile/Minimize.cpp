//===- Minimize.cpp - Least value of a function without gradients ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Minimize.h"

#include <nlopt.h>

#include <memory>

using namespace mlir;

namespace {
using Function = llvm::function_ref<double(ArrayRef<double>)>;
} // namespace

static double call(unsigned size, const double *point, double *, void *data) {
  return (*static_cast<Function *>(data))(ArrayRef<double>(point, size));
}

static double runSimplex(std::vector<double> &point, ArrayRef<double> low,
                         ArrayRef<double> high, double firstStep,
                         unsigned evaluations, Function function) {
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> problem(
      nlopt_create(NLOPT_LN_NELDERMEAD, unsigned(point.size())), nlopt_destroy);
  nlopt_set_min_objective(problem.get(), call, &function);
  nlopt_set_lower_bounds(problem.get(), low.data());
  nlopt_set_upper_bounds(problem.get(), high.data());
  nlopt_set_initial_step1(problem.get(), firstStep);
  nlopt_set_maxeval(problem.get(), int(evaluations));
  nlopt_set_xtol_rel(problem.get(), 1e-5);
  nlopt_set_ftol_rel(problem.get(), 1e-6);
  double least = function(point);
  std::vector<double> moved = point;
  double found = least;
  if (nlopt_optimize(problem.get(), moved.data(), &found) > 0 &&
      found < least) {
    point = moved;
    least = found;
  }
  return least;
}

double mlir::llm::minimize(std::vector<double> &point, double reach,
                           unsigned evaluations, Function function) {
  std::vector<double> low = point, high = point;
  for (size_t index = 0; index < point.size(); ++index) {
    low[index] -= reach;
    high[index] += reach;
  }
  constexpr double firstSteps[] = {0.25, -0.15, 0.1, -0.05};
  constexpr double leastGain = 2e-5;
  double least = function(point);
  for (double step : firstSteps) {
    double before = least;
    least = runSimplex(point, low, high, step, evaluations, function);
    if (step != firstSteps[0] && before - least < leastGain)
      break;
  }
  return least;
}
