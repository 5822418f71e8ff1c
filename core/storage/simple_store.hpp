// The base class of a program's own store: it implements KeyValueStore by four functions that read and write single
// values. A derived class whose values a map, a file or a table contains needs nothing else. A database over a network
// is faster as a KeyValueStore, which reads several values in one call and need not block.
// Any thread: one call of the four functions is made at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"
#include "core/storage/mutex.hpp"

namespace portail {

class SimpleStore : public KeyValueStore {
 public:
  // Default: no traits. Override it with compare_and_swap if no other process or object writes to the values.
  [[nodiscard]] Traits traits() const override { return {}; }
  // These are inline, so that the class has no key function: a program with RTTI can derive from it, although the
  // library is compiled without.
  Task<std::unique_ptr<Session>> open(Context& context) final { return open_session(context); }
  Task<void> write(Context& context, std::span<const Change> changes) final { return write_each(context, changes); }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) final {
    return compare_and_put(context, key, expected, desired);
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) final {
    return visit_each(context, prefix, visitor);
  }

 protected:
  // Keys and values are within the limits of key_value_store.hpp, which also defines the failures. No function may
  // call the store, or throw: the library is compiled without exceptions.

  // Returns the value stored at `key`, or nullopt.
  virtual Result<std::optional<std::string>> get(std::string_view key) = 0;
  // Sets `key` to `value`, durably.
  virtual Result<void> put(std::string_view key, std::string_view value) = 0;
  // Removes `key`, durably; success also if it does not exist.
  virtual Result<void> remove(std::string_view key) = 0;
  // Returns each key that begins with `prefix`, in any order. Imports and exports need it, requests do not.
  virtual Result<std::vector<std::string>> keys(std::string_view prefix) = 0;

 private:
  friend class SimpleSession;
  using Entries = std::vector<std::pair<std::string, std::string>>;

  Task<std::unique_ptr<Session>> open_session(Context& context);
  Task<void> write_each(Context& context, std::span<const Change> changes);
  Task<bool> compare_and_put(Context& context, std::string_view key, Value expected, std::string_view desired);
  Task<void> visit_each(Context& context, std::string_view prefix, Visitor& visitor);

  // These hold the mutex. They are no coroutines: one that fails would hold it until its Task is destroyed.
  Result<std::vector<std::optional<std::string>>> read(std::span<const std::string_view> names);
  Result<void> apply(std::span<const Change> changes);
  Result<bool> swap(const Change& change, Value expected);
  Result<Entries> entries(std::string_view prefix);

  Mutex mutex_;
};

}  // namespace portail
