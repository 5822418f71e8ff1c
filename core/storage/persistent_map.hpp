// An ordered map of keys to padded values whose every version stays as it is: a change gives a new version that shares
// all but the path to what changed (a treap with copied paths). Copying a version is copying one pointer, so a snapshot
// costs nothing and a reader needs no lock. A version may be read by many threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/storage/key_value_store.hpp"

namespace portail {

class PersistentMap {
 public:
  PersistentMap() = default;

  // The value lives as long as any version that holds it, and has readable_padding zero bytes after it.
  [[nodiscard]] Value find(std::string_view key) const;
  // This version with `key` set to a copy of `value`. `priority` is a fresh random number: it keeps the tree balanced.
  [[nodiscard]] PersistentMap with(std::string_view key, std::string_view value, std::uint64_t priority) const;
  [[nodiscard]] PersistentMap without(std::string_view key) const;
  // Every key that begins with `prefix`, in ascending order of bytes, until the visitor says stop.
  void scan(std::string_view prefix, Visitor& visitor) const;

 private:
  struct Node;
  struct Tree;  // the algorithms
  using NodePointer = std::shared_ptr<const Node>;

  explicit PersistentMap(NodePointer root) : root_(std::move(root)) {}

  NodePointer root_;
};

}  // namespace portail
