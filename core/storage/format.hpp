// The version of the storage layout, MAJOR or MAJOR.MINOR, stored under the key `format`. The first import writes it;
// every program checks it before it uses other keys. A later minor version only adds fields at the ends of lines, and
// lines of new kinds, which earlier programs ignore and preserve (docs/reference/storage-layout.md, "Versions"). Any
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/forwarding_store.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::string_view current_format = "1";

enum class FormatState : std::uint8_t {
  absent,       // the store is empty
  older_minor,  // the layout of an earlier minor version: an import makes it this program's
  current,      // this program's layout
  newer_minor,  // the layout of a later minor version: requests are served, imports are refused
  newer,        // the layout of a later major version: must be neither read nor written
  unknown,      // not a version number: not this program's data
};

// Returns the state of a store whose key `format` has that value, for a program that writes `current`.
FormatState format_state(Value version, std::string_view current = current_format);
// Returns whether requests may be served from the store.
constexpr bool is_readable(FormatState state) { return state != FormatState::newer && state != FormatState::unknown; }
// Returns whether the store has a portal that this program can read.
constexpr bool has_portal(FormatState state) { return state != FormatState::absent && is_readable(state); }
// Returns whether an import may write to the store.
constexpr bool accepts_imports(FormatState state) {
  return state == FormatState::absent || state == FormatState::older_minor || state == FormatState::current;
}

// Reads the key `format`. Fails with the failure of the read.
Task<FormatState> read_format(Context& context, Session& session);
// The same in a session of its own. `store` must outlive the task.
Task<FormatState> read_format(Context& context, KeyValueStore& store);

// Returns one line for the operator, without a full stop: the state and what to do.
std::string_view describe(FormatState state);

// A store that checks the version of its target's layout before it opens a session, for hosts that cannot check it at
// startup. If this program cannot read the layout, or the store was emptied since the last check, requests get 503, and
// nothing is read or written. Threads: as the target.

// What to do with an empty store: its name may be misspelt, or its volume may be missing.
enum class EmptyStorePolicy : std::uint8_t { accept, refuse };

class FormatCheckingStore final : public ForwardingStore {
 public:
  // `target` must outlive this.
  explicit FormatCheckingStore(KeyValueStore& target, EmptyStorePolicy empty_policy = EmptyStorePolicy::accept)
      : ForwardingStore(target), empty_policy_(empty_policy) {}

  // Reads `format` first, until it was readable once: one more batch for the first request of a process. Later it is
  // read again after a batch without any value. If the store is refused, fails with Failure::unavailable and logs one
  // line; a later minor version is logged once. A writer must read before it writes.
  Task<std::unique_ptr<Session>> open(Context& context) override;

  // For the sessions: fails if the store is refused in that state.
  Result<void> check(Context& context, FormatState found);

 private:
  const EmptyStorePolicy empty_policy_;
  std::atomic<std::optional<FormatState>> last_state_;  // nullopt: not checked yet
  std::atomic<bool> had_portal_ = false;                // since the start
};

}  // namespace portail
