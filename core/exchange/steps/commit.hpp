// The writes of an import, collected and committed together. One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::size_t max_entities_per_commit = 1'000;
inline constexpr std::size_t max_bytes_per_commit = std::size_t{8} * 1024 * 1024;

class Commit {
 public:
  // A dry run discards the changes.
  Commit(KeyValueStore& store, bool dry_run) : store_(store), dry_run_(dry_run) {}

  void put(std::string key, std::string value);
  void remove(std::string key);
  // Whether the collected changes have the size of one commit.
  [[nodiscard]] bool is_full() const {
    return changes_.size() >= max_entities_per_commit || bytes_ >= max_bytes_per_commit;
  }

  // Writes the collected changes, in their order.
  Task<void> write(Context& context);
  // Writes the changes if the commit is full.
  Task<void> write_if_full(Context& context);

 private:
  struct OwnedChange {
    std::string key;
    std::optional<std::string> value;
  };
  KeyValueStore& store_;
  bool dry_run_;
  std::vector<OwnedChange> changes_;
  std::size_t bytes_ = 0;
};

}  // namespace portail
