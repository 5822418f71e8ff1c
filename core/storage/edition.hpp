// The edition of a store's data, of everything that imports write: it changes with each import. It is a line of the
// value `configuration`, which each request reads anyway, its last one:
//
//   18446744073709551615 TAB false TAB Rien TAB IMPORT TAB begun|complete TAB LAST [TAB SECTIONS] LF
//
// IMPORT is the key of the import's audit record. An import writes the line before its first change, and again after
// its last one. LAST is the record of the last change of `configuration`. To programs that do not know editions, the
// line is the configuration of a mail object that does not exist: they keep it, but change the audit line, so that LAST
// differs from it, and the edition is invalid until the next import. SECTIONS is Edition::sections, unless that is 0.
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/storage/audit_name.hpp"
#include "core/storage/forwarding_store.hpp"
#include "core/storage/shared_check.hpp"
#include "core/storage/value_cache.hpp"

namespace portail {

// The id in the line: no mail object has it.
inline constexpr std::uint64_t edition_line_id = 18'446'744'073'709'551'615U;

struct Edition {
  AuditName import;
  bool is_complete = false;  // the import wrote its last change, and `sections` is 0
  // Those that this import, or one before it that was interrupted, has begun to write: bits in the order of Section.
  std::uint32_t sections = 0;
  friend bool operator==(const Edition&, const Edition&) = default;
};

// Removes the line from the content of `configuration`. Returns the edition; nullopt if there is no line, or it is
// invalid.
std::optional<Edition> take_edition(AuditedValue& configuration);
// Returns the line; `last` is the record that the value's audit line names.
[[nodiscard]] std::string edition_line(const Edition& edition, const AuditName& last);
// Returns the value `configuration` with an edition that is not complete. A copy of a store writes it before all values
// that the edition vouches for, and the value itself after them.
[[nodiscard]] std::string incomplete_configuration(std::string_view value);

// Caches the values of a store by its edition, for key-value services without a revision. When a session is opened, it
// reads `configuration`; while the edition is the same, the other values come from the cache, except those of volatile
// keys. Values that do not exist are read again by each session. Requests that can be suspended share this reading
// (shared_check.hpp).
//
// The store must be linearizable: a read that begins after another read has seen a write sees this write too, also of
// another key. Its compare_and_swap must be atomic. Between an import's first and last change, and after an import that
// was interrupted, each value is read. Any thread.

class EditionStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<std::unique_ptr<Session>> open(Context& context) override;

  [[nodiscard]] CacheCounts cache_counts() { return cache_.counts(); }

  // For sessions: the value of `configuration` that another one has read.
  using ConfigurationCheck = SharedCheck<std::optional<std::string>>;
  using SharedConfiguration = ConfigurationCheck::Result;

 private:
  ValueCache cache_;
  ConfigurationCheck checks_;
};

}  // namespace portail
