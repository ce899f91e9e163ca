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
using namespace mlir::llm;

namespace {
using Function = llvm::function_ref<double(ArrayRef<double>)>;
} // namespace

static double call(unsigned size, const double *point, double *, void *data) {
  return (*static_cast<Function *>(data))(ArrayRef<double>(point, size));
}

static double runSimplex(SearchBox &box, double firstStep, unsigned evaluations,
                         double least, Function function) {
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> problem(
      nlopt_create(NLOPT_LN_NELDERMEAD, unsigned(box.point.size())),
      nlopt_destroy);
  nlopt_set_min_objective(problem.get(), call, &function);
  nlopt_set_lower_bounds(problem.get(), box.low.data());
  nlopt_set_upper_bounds(problem.get(), box.high.data());
  nlopt_set_initial_step1(problem.get(), firstStep);
  nlopt_set_maxeval(problem.get(), int(evaluations));
  nlopt_set_xtol_rel(problem.get(), 1e-5);
  nlopt_set_ftol_rel(problem.get(), 1e-6);
  std::vector<double> moved = box.point;
  double found = least;
  if (nlopt_optimize(problem.get(), moved.data(), &found) > 0 &&
      found < least) {
    box.point = moved;
    least = found;
  }
  return least;
}

bool mlir::llm::canMinimize() { return true; }

double mlir::llm::minimize(SearchBox &box, ArrayRef<double> firstSteps,
                           unsigned evaluations, Function function) {
  constexpr double leastGain = 2e-5;
  double least = function(box.point);
  for (double step : firstSteps) {
    double before = least;
    least = runSimplex(box, step, evaluations, least, function);
    if (step != firstSteps[0] && before - least < leastGain)
      break;
  }
  return least;
}
