// The storage port. This header is the specification for authors of stores; tests/stores/conformance.hpp is the suite
// that each must pass, and core/storage/memory_store.hpp the smallest example.
//
// Keys     1 to 200 bytes of [a-z0-9_=A-F.-], made by core/storage/key.hpp.
// Values   UTF-8 text or bytes, 0 to 256 KiB (largest_value).
// Limits   Any key or value of a write outside these sizes is Failure::too_large, and nothing of the write is done
//          (core/storage/limits.hpp checks it). Reading such a key finds nothing.
// Threads  A KeyValueStore is called from many threads at once; a Session belongs to one request, one thread at a time.
// Waiting  A store that has the answer gives it at once. One that must wait suspends the coroutine, and gives up with
//          Failure::cancelled when context.deadline has passed.
// Cancelling  Destroying a Task abandons a read. What the host still reads from or writes to belongs to the store until
//          the host is done with it: arguments are copied before the first suspension. A write that was begun
//          completes.
// Failing  Failure::unavailable when the engine cannot answer now (the caller may try again), Failure::corrupt when its
//          files are damaged. A failed write changed nothing, or, if its outcome is unknown (its answer was lost, its
//          time was up), everything, now or later. A store whose answers can be lost reads again before it fails. If
//          the outcome is still unknown, the caller must read again.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

inline constexpr std::size_t largest_key = 200;
inline constexpr std::size_t largest_value = 256 * 1024;

using Value = std::optional<std::string_view>;  // absence is not a failure

struct Change {
  std::string_view key;
  Value value;  // absent: the key is removed, or was not there, which is success too
};

// One request's view of the store.
class Session {
 public:
  virtual ~Session() = default;

  // Fills values[i] with the value of keys[i], whatever it held before; both spans have the same length and stay the
  // caller's; a key may be there twice. The views live as long as the session. After a failure the values mean nothing.
  // One batch: the store makes one round trip of it where it can. Where the store has snapshots,
  // every get of a session sees the store as it was when the session was opened, whatever is written meanwhile.
  virtual Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) = 0;

  // Releases what the engine holds for this session and the values do not need: a transaction, a connection. By a
  // request that has read what it answers with, since its client may take its time with the answer. The values stay
  // valid. A later get() may see a later state. Default: nothing is released.
  virtual void release() {}

  // Bytes of memory that the values handed out so far occupy: 0 where they are the store's own.
  [[nodiscard]] virtual std::size_t copied() const { return 0; }
};

// What a scan hands over; both live until visit returns. Returning false ends the scan.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual bool visit(std::string_view key, std::string_view value) = 0;
};

class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  struct Traits {
    bool snapshots = false;         // a session sees one state
    bool compare_and_swap = false;  // compare_and_swap is atomic between all writers, processes included
    bool atomic_batches = false;    // write() takes effect whole, or not at all, for readers and for power loss
  };
  [[nodiscard]] virtual Traits traits() const = 0;

  // A new session; it must be destroyed before the store. It does not see writes that began after it was opened, where
  // the store has snapshots: open another one to read what was written.
  virtual Task<std::unique_ptr<Session>> open(Context& context) = 0;

  // Makes all the changes, in their order (of two with one key the later counts). Success means durable, in the store's
  // own words in docs/reference/stores.md.
  virtual Task<void> write(Context& context, std::span<const Change> changes) = 0;

  // Sets `key` to `desired` if its value is exactly `expected` (absent: if it has none). True: done, and durable.
  // False: the value was another one, nothing changed. Without the trait it is a read and a write, best effort.
  virtual Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                      std::string_view desired) = 0;

  // For tools only, never on a request's path: every key that begins with `prefix`, in ascending order of bytes, as of
  // one state where the store has snapshots. The visitor must not call the store.
  virtual Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) = 0;
};

}  // namespace portail
