// A store of a test with a deadline and its log lines; otherwise as StoreClient. One thread.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

inline constexpr std::unexpected unavailable(Failure::unavailable);
inline constexpr std::unexpected cancelled(Failure::cancelled);

// Returns the opened store; on an error the test fails and null is returned.
template <typename Store>
std::unique_ptr<Store> opened_or_failed(std::expected<std::unique_ptr<Store>, std::string> opened) {
  if (!opened) ADD_FAILURE() << opened.error();
  return opened ? std::move(*opened) : nullptr;
}

class LoggedStore {
 public:
  explicit LoggedStore(std::unique_ptr<KeyValueStore> opened) : store(std::move(opened)) {}

  Result<std::unique_ptr<Session>> open() { return run_ready(store->open(context)); }
  Result<std::optional<std::string>> get(Session& session, std::string_view key) {
    Value value;
    if (auto got = run_ready(session.get(context, std::span(&key, 1), std::span(&value, 1))); !got) {
      return std::unexpected(got.error());
    }
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }
  Result<std::optional<std::string>> get(std::string_view key) {
    auto session = open();
    if (!session) return std::unexpected(session.error());
    return get(**session, key);
  }
  Result<void> put(std::string_view key, std::string_view value) {
    const Change change{key, value};
    return run_ready(store->write(context, std::span(&change, 1)));
  }
  Result<bool> swap(std::string_view key, Value expected, std::string_view desired) {
    return run_ready(store->compare_and_swap(context, key, expected, desired));
  }
  Result<void> scan(std::string_view prefix) {
    struct : Visitor {
      bool visit(std::string_view, std::string_view) override { return true; }
    } ignoring;
    return run_ready(store->scan(context, prefix, ignoring));
  }

 private:
  CountingContext test_;

 public:
  std::unique_ptr<KeyValueStore> store;
  CollectingLog& log = test_.log;
  Context& context = test_.context;
};

}  // namespace portail
