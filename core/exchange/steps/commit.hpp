// The writes of an import: changes are gathered, and committed together. One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::size_t most_entities_in_commit = 1'000;
inline constexpr std::size_t most_bytes_in_commit = std::size_t{8} * 1024 * 1024;

class Commit {
 public:
  // A dry run gathers and forgets.
  Commit(KeyValueStore& store, bool dry_run) : store_(store), dry_run_(dry_run) {}

  void put(std::string key, std::string value);
  void remove(std::string key);
  // Whether as much is gathered as one commit should hold.
  [[nodiscard]] bool is_full() const {
    return changes_.size() >= most_entities_in_commit || bytes_ >= most_bytes_in_commit;
  }

  // Makes the gathered changes, in their order.
  Task<void> write(Context& context);
  // The same, where it is full.
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
