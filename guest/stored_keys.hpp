// The key set where a component finds it: in its settings, for ever, or stored under config.jwks and read again every
// now and then, so that keys rotate without a new deployment. One thread; requests that wait are served meanwhile.
#pragma once

#include <optional>
#include <string>

#include "core/auth/key_source.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class StoredKeys final : public KeySource {
 public:
  static constexpr std::int64_t interval_seconds = 30;
  // Whoever sends tokens of unknown keys does not make us read more often than this.
  static constexpr std::int64_t pause_seconds = 1;

  // `settings` is the key set's text; empty: it is stored. `store` outlives this.
  StoredKeys(std::string settings, KeyValueStore& store) : settings_(std::move(settings)), store_(store) {}

  // Before each request: reads the set where it was not read yet, or not lately. Where the store does not answer, the
  // keys that were read last stay in use.
  Task<void> keep_current(Context& context);

  [[nodiscard]] SharedKeySet current() override { return keys_; }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& seen) override;

 private:
  Task<void> read(Context& context);
  // Says what an operator should know of the text; the same text again changes nothing.
  void load(Context& context, std::string_view text);

  std::string settings_;
  KeyValueStore& store_;
  SharedKeySet keys_;
  std::optional<Instant> read_at_;
  std::string text_;  // that keys_ were made from
};

}  // namespace portail
