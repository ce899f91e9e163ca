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

/// Reads members of one object. The first error is said at its place, and what
/// follows reads nothing.
class Members {
public:
  explicit Members(const LocatedJson &json);

  /// Fails where the object lacks one of these.
  void require(std::initializer_list<StringRef> keys);
  /// Each leaves `into` as it is where the object has no such member.
  void count(StringRef key, int64_t &into); ///< 0 or more
  void flag(StringRef key, bool &into);
  void share(StringRef key, double &into); ///< a number, 0 or more
  void kinds(StringRef key, EngineKindSet &into);
  /// A number for each name, all others 0; nothing at all: empty, or of zeros.
  void perName(StringRef key, const Names &names, std::vector<int64_t> &into);
  /// The place of the name that stands there.
  void index(StringRef key, StringRef what, const IndexByName &known,
             unsigned &into);
  void indices(StringRef key, StringRef what, const IndexByName &known,
               std::vector<unsigned> &into);
  /// Of each element of an array, or of each member of an object with its name.
  void each(StringRef key,
            llvm::function_ref<LogicalResult(const LocatedJson &)> read);
  void eachNamed(
      StringRef key,
      llvm::function_ref<LogicalResult(StringRef name, const LocatedJson &)>
          read);
  /// Fails after an error, and where the object has other members.
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

/// An error at the name where it is not known.
FailureOr<unsigned> findIndex(const LocatedJson &name, StringRef what,
                              const IndexByName &known);

} // namespace mlir::llm

#endif // LLM_LIB_SCHEDULINGTEXT_MEMBERS_H
