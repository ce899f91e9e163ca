//===- Members.h - Members of a JSON object, one by one ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULINGTEXT_MEMBERS_H
#define LLM_LIB_SCHEDULINGTEXT_MEMBERS_H

#include "llm/Files/LocatedJson.h"
#include "llm/Scheduling/Problem.h"

#include <map>

namespace mlir::llm {

using IndexByName = std::map<std::string, unsigned, std::less<>>;
using Names = std::vector<std::string>;

/// Reads members of one object. The first error is reported at its place, and
/// later calls read nothing.
class Members {
public:
  explicit Members(const LocatedJson &json);

  /// Fails if the object lacks one of these members.
  void require(std::initializer_list<StringRef> keys);
  /// Each of these leaves `into` as it is if the object has no such member.
  void count(StringRef key, int64_t &into); ///< 0 or more
  void flag(StringRef key, bool &into);
  void share(StringRef key, double &into); ///< a number, 0 or more
  void kinds(StringRef key, EngineKindSet &into);
  /// Reads a number for each name. All other numbers are 0. If none is given,
  /// `into` becomes empty or has zeros.
  void perName(StringRef key, const Names &names, std::vector<int64_t> &into);
  /// Reads a name, and finds its index in `known`.
  void index(StringRef key, StringRef what, const IndexByName &known,
             unsigned &into);
  void indices(StringRef key, StringRef what, const IndexByName &known,
               std::vector<unsigned> &into);
  /// Calls `read` for each element of an array, or for each member of an object
  /// with its name.
  void each(StringRef key,
            llvm::function_ref<LogicalResult(const LocatedJson &)> read);
  void eachNamed(
      StringRef key,
      llvm::function_ref<LogicalResult(StringRef name, const LocatedJson &)>
          read);
  /// Fails after an error, and if the object has other members.
  LogicalResult finish();
  bool has(StringRef key) const { return json.find(key); }

private:
  const LocatedJson *find(StringRef key);
  template <typename T>
  void set(FailureOr<T> value, T &into) {
    hasFailed |= failed(value);
    if (succeeded(value))
      into = std::move(*value);
  }

  const LocatedJson &json;
  std::vector<StringRef> known;
  bool hasFailed;
};

/// Finds the index of a name. Emits an error at the name if it is not known.
FailureOr<unsigned> findIndex(const LocatedJson &name, StringRef what,
                              const IndexByName &known);

} // namespace mlir::llm

#endif // LLM_LIB_SCHEDULINGTEXT_MEMBERS_H
