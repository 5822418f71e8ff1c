// A checkpoint: the last records of the audit's chains and their hashes at one time. Signed, and kept where no writer
// of the store can reach it, it shows later whether records were removed or rewritten
// (docs/how-to/verify-the-audit.md). Pure functions and values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/crypto/hash.hpp"
#include "core/storage/audit_name.hpp"

namespace portail {

// The chains of records, by the value that names their last one.
enum class AuditChain : std::uint8_t {
  configuration,  // PUTs, imports, key sets, template files
  grants,
  calls,  // of the management interface, and erasures
};
inline constexpr std::array audit_chains{AuditChain::configuration, AuditChain::grants, AuditChain::calls};
[[nodiscard]] std::string_view name_of(AuditChain chain);
// Returns the chain's position in arrays by AuditChain.
[[nodiscard]] constexpr std::size_t index_of(AuditChain chain) { return static_cast<std::size_t>(chain); }

// The last record of a chain.
struct ChainEnd {
  AuditName last;
  Hash32 hash;
  friend bool operator==(const ChainEnd&, const ChainEnd&) = default;
};

struct Checkpoint {
  Instant time;
  std::optional<Instant> pruned_before;
  // By AuditChain; nullopt: the chain has no record, or its last one has no hash.
  std::array<std::optional<ChainEnd>, audit_chains.size()> ends;
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// Returns the JSON text that is signed.
[[nodiscard]] std::string checkpoint_text(const Checkpoint& checkpoint);
// Returns nullopt if the text is no checkpoint.
[[nodiscard]] std::optional<Checkpoint> parse_checkpoint(std::string_view text);

}  // namespace portail
