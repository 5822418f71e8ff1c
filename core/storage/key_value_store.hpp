// The interface of stores, and its specification for their authors. Each store must pass the suite of
// tests/stores/conformance.hpp; core/storage/memory_store.hpp is the smallest example.
//
// Keys     1 to 200 bytes of [a-z0-9_=A-F.-], built by core/storage/key.hpp.
// Values   UTF-8 text or bytes, 0 to 256 KiB (max_value_size).
// Limits   If a key or value of a write is outside these sizes, the write fails with Failure::too_large and changes
//          nothing (see within_limits). A read of such a key returns nullopt.
// Threads  A KeyValueStore is called from many threads concurrently. A Session belongs to one request, and is used by
//          one thread at a time.
// Waiting  A store that has the answer returns it immediately. A store that must wait suspends the coroutine. After
//          context.deadline it fails with Failure::cancelled.
// Cancellation  Destroying a Task abandons a read. The store owns the memory that the host reads from or writes to,
//          until the host has finished with it: it copies arguments before the first suspension. A write that has
//          begun completes.
// Failures Failure::unavailable if the engine cannot answer now (the caller may retry); Failure::corrupt if its files
//          are damaged. A failed write changed nothing. If its outcome is unknown (its answer was lost, or its deadline
//          passed), it changed nothing or everything, now or later. A store whose answers can be lost reads again
//          before it fails. If the outcome is still unknown, the caller must read again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

inline constexpr std::size_t max_key_size = 200;
inline constexpr std::size_t max_value_size = 256 * 1024;

using Value = std::optional<std::string_view>;  // absence is not a failure

struct Change {
  std::string_view key;
  Value value;  // nullopt: remove the key; success also if the key does not exist
};

// A state of the store's values, except those of volatile keys (is_volatile_key in core/storage/key.hpp). The store
// defines the numbers.
struct StoreRevision {
  std::array<std::uint64_t, 3> numbers{};
  friend bool operator==(const StoreRevision&, const StoreRevision&) = default;
};

// One request's view of the store.
class Session {
 public:
  virtual ~Session() = default;

  // Sets values[i] to the value of keys[i]. Both spans have the same length and belong to the caller; a key may occur
  // twice. The views live as long as the session. After a failure the values are unspecified. One call is one batch,
  // and one round trip if the store supports it. If the store has snapshots, each get of a session reads the state of
  // one time, between the beginning of open() and the end of the first get.
  virtual Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) = 0;

  // Returns the store's revision when the session was opened; its values are of that revision or of later ones. If two
  // sessions have the same revision, no value has changed between their openings, except those of volatile keys.
  // nullopt: the store has none, or could not read it; the caller reads the values. Default: nullopt.
  [[nodiscard]] virtual std::optional<StoreRevision> revision() const { return std::nullopt; }

  // Releases resources of the engine that the values do not need: a transaction, a connection. A request calls it when
  // it has read all that its answer needs, since its client may read the answer slowly. The values stay valid. A later
  // get() may read a later state. Default: nothing is released.
  virtual void release() {}

  // Returns the bytes of memory that the session's values occupy; 0 if they are views of the store's own memory.
  [[nodiscard]] virtual std::size_t copied_bytes() const { return 0; }
};

// Receives the entries of a scan. Key and value live until visit returns. Returning false ends the scan.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual bool visit(std::string_view key, std::string_view value) = 0;
};

class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  struct Traits {
    bool snapshots = false;         // a session reads one state
    bool compare_and_swap = false;  // compare_and_swap is atomic between all writers, processes included
    bool atomic_batches = false;    // write() takes effect whole, or not at all, for readers and for power loss
    bool uses_editions = false;     // it meets the requirements of EditionStore (edition.hpp), and has no revision
  };
  [[nodiscard]] virtual Traits traits() const = 0;

  // Opens a session, which must be destroyed before the store. If the store has snapshots, the session does not see
  // writes that began after its first get; open another one to read them. A request to the portal releases its session
  // before it opens another one: those that hold one must not wait for those that do not.
  virtual Task<std::unique_ptr<Session>> open(Context& context) = 0;

  // Applies all changes in order (of two changes of a key, the later counts). Success means durable, as
  // docs/reference/stores.md defines it for the store.
  virtual Task<void> write(Context& context, std::span<const Change> changes) = 0;

  // Sets `key` to `desired` if its value is exactly `expected` (nullopt: if it has no value). True: the change is done
  // and durable. False: the value is different, and nothing changed. Without the trait it is a read and a write, best
  // effort.
  virtual Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                      std::string_view desired) = 0;

  // Visits every key that begins with `prefix`, in ascending order of bytes; if the store has snapshots, of one state.
  // For tools only, never to answer a request. The visitor must not call the store.
  virtual Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) = 0;
};

// The limits of keys and values, which every store checks before a write.

// Returns whether `bytes` is a valid key. An engine may hold other entries with other names.
constexpr bool is_key(std::string_view bytes) {
  return !bytes.empty() && bytes.size() <= max_key_size && std::ranges::all_of(bytes, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || c == '_' || c == '=' ||
           c == '.' || c == '-';
  });
}

// Returns whether a store can have the key, by its size.
inline bool key_within_limits(std::string_view key) { return !key.empty() && key.size() <= max_key_size; }

inline bool within_limits(const Change& change) {
  return key_within_limits(change.key) && (!change.value || change.value->size() <= max_value_size);
}

inline Result<void> check_limits(std::span<const Change> changes) {
  if (!std::ranges::all_of(changes, within_limits)) return std::unexpected(Failure::too_large);
  return {};
}

}  // namespace portail
