#include "core/storage/persistent_map.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace portail {
namespace {

// Shared by all the versions that hold it.
struct Entry {
  Entry(std::string_view name, std::string_view value) : key(name), size(value.size()) {
    padded.reserve(size + readable_padding);
    padded.append(value).append(readable_padding, '\0');
  }
  [[nodiscard]] std::string_view value() const { return std::string_view(padded).substr(0, size); }

  std::string key;
  std::size_t size;
  std::string padded;
};
using EntryPointer = std::shared_ptr<const Entry>;

}  // namespace

// A binary search tree by key, and a heap by priority: no child's is above its parent's.
struct PersistentMap::Node {
  EntryPointer entry;
  std::uint64_t priority;
  NodePointer left;
  NodePointer right;

  [[nodiscard]] std::string_view key() const { return entry->key; }
};

struct PersistentMap::Tree {
  static NodePointer make(const EntryPointer& entry, std::uint64_t priority, NodePointer left, NodePointer right) {
    return std::make_shared<const Node>(Node{entry, priority, std::move(left), std::move(right)});
  }
  static NodePointer with_left(const Node& node, NodePointer left) {
    return make(node.entry, node.priority, std::move(left), node.right);
  }
  static NodePointer with_right(const Node& node, NodePointer right) {
    return make(node.entry, node.priority, node.left, std::move(right));
  }

  static NodePointer insert(const NodePointer& node, const EntryPointer& entry, std::uint64_t priority) {
    if (!node) return make(entry, priority, nullptr, nullptr);
    if (entry->key == node->key()) return make(entry, node->priority, node->left, node->right);
    if (entry->key < node->key()) {
      NodePointer left = insert(node->left, entry, priority);
      if (left->priority <= node->priority) return with_left(*node, std::move(left));
      return with_right(*left, with_left(*node, left->right));
    }
    NodePointer right = insert(node->right, entry, priority);
    if (right->priority <= node->priority) return with_right(*node, std::move(right));
    return with_left(*right, with_right(*node, right->left));
  }

  // The key must be there.
  static NodePointer remove(const Node& node, std::string_view key) {
    if (key == node.key()) return merge(node.left, node.right);
    return key < node.key() ? with_left(node, remove(*node.left, key)) : with_right(node, remove(*node.right, key));
  }

  // All of left's keys are below all of right's.
  static NodePointer merge(const NodePointer& left, const NodePointer& right) {
    if (!left) return right;
    if (!right) return left;
    return left->priority >= right->priority ? with_right(*left, merge(left->right, right))
                                             : with_left(*right, merge(left, right->left));
  }

  // False once the visitor has said stop.
  static bool scan(const Node* node, std::string_view prefix, Visitor& visitor) {
    if (!node) return true;
    if (node->key() < prefix) return scan(node->right.get(), prefix, visitor);
    if (!node->key().starts_with(prefix)) return scan(node->left.get(), prefix, visitor);
    return scan(node->left.get(), prefix, visitor) && visitor.visit(node->key(), node->entry->value()) &&
           scan(node->right.get(), prefix, visitor);
  }
};

Value PersistentMap::find(std::string_view key) const {
  for (const Node* node = root_.get(); node;) {
    int order = key.compare(node->key());
    if (order == 0) return node->entry->value();
    node = (order < 0 ? node->left : node->right).get();
  }
  return std::nullopt;
}

PersistentMap PersistentMap::with(std::string_view key, std::string_view value, std::uint64_t priority) const {
  return PersistentMap(Tree::insert(root_, std::make_shared<const Entry>(key, value), priority));
}

PersistentMap PersistentMap::without(std::string_view key) const {
  return find(key) ? PersistentMap(Tree::remove(*root_, key)) : *this;
}

void PersistentMap::scan(std::string_view prefix, Visitor& visitor) const { Tree::scan(root_.get(), prefix, visitor); }

}  // namespace portail
