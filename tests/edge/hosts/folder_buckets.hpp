// The buckets of the tests' hosts: each is a folder in /buckets. Reads and writes of the key "refused" fail, and the
// keys cannot be listed while one of them is "unlisted". One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/folder/folder_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

class FolderBucket {
 public:
  // Returns null if the folder cannot be opened.
  static std::unique_ptr<FolderBucket> open(std::string_view name) {
    const std::string folder = "/buckets/" + std::string(name);
    auto store = FolderStore::open(folder, {});
    if (!store) store = FolderStore::open(folder, {.create = true});
    return store ? std::unique_ptr<FolderBucket>(new FolderBucket(std::move(*store))) : nullptr;
  }

  Result<std::optional<std::string>> get(std::string_view key) {
    if (key == refused) return std::unexpected(Failure::unavailable);
    auto session = run_ready(store_->open(context_));
    if (!session) return std::unexpected(session.error());
    Value value;
    if (auto got = run_ready((*session)->get(context_, std::span(&key, 1), std::span(&value, 1))); !got) {
      return std::unexpected(got.error());
    }
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }
  Result<void> write(std::string_view key, Value value) {
    if (key == refused) return std::unexpected(Failure::unavailable);
    const Change change{key, value};
    return run_ready(store_->write(context_, std::span(&change, 1)));
  }
  Result<bool> swap(std::string_view key, Value expected, std::string_view desired) {
    if (key == refused) return std::unexpected(Failure::unavailable);
    return run_ready(store_->compare_and_swap(context_, key, expected, desired));
  }
  Result<std::vector<std::string>> keys() {
    struct Names : Visitor {
      bool visit(std::string_view key, std::string_view) override {
        all.emplace_back(key);
        return true;
      }
      std::vector<std::string> all;
    } names;
    if (auto done = run_ready(store_->scan(context_, "", names)); !done) return std::unexpected(done.error());
    if (std::ranges::contains(names.all, unlisted)) return std::unexpected(Failure::unavailable);
    return std::move(names.all);
  }

 private:
  static constexpr std::string_view refused = "refused";
  static constexpr std::string_view unlisted = "unlisted";

  explicit FolderBucket(std::unique_ptr<KeyValueStore> store) : store_(std::move(store)) {}

  std::unique_ptr<KeyValueStore> store_;
  // Prints failures of a folder to the output of the test.
  struct PrintedLog : Log {
    void warn(std::string_view event, std::string_view detail) override {
      std::fprintf(stderr, "host: %s: %s\n", std::string(event).c_str(), std::string(detail).c_str());
    }
    void record(std::string_view) override {}
  } log_;
  CountingContext test_;
  Context context_{test_.clock, test_.random, log_, test_.frames};
};

// Conversion to and from the lists of the bindings: bytes of the C heap, which the callee frees.
template <class List>
List to_list(std::string_view bytes) {
  auto* copy = static_cast<std::uint8_t*>(std::malloc(bytes.empty() ? 1 : bytes.size()));
  std::memcpy(copy, bytes.data(), bytes.size());
  return {.ptr = copy, .len = bytes.size()};
}
template <class List>
std::string to_text(const List& list) {
  return {reinterpret_cast<const char*>(list.ptr), list.len};
}

}  // namespace portail
