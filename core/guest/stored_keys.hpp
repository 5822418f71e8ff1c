// The key set where a component finds it: in its settings, for ever, or stored under config.jwks and read again every
// now and then, so that keys rotate without a new deployment. One thread; requests that wait are served meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/auth/key_source.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class StoredKeys final : public KeySource {
 public:
  static constexpr std::int64_t interval_seconds = 30;
  // The interval of reads while there are no keys, and the minimum interval of those that tokens of unknown keys cause.
  static constexpr std::int64_t pause_seconds = 1;
  // Of keys while no usable set is read, as natively where nothing is set (native/keys/refresh_schedule.hpp).
  static constexpr std::int64_t longest_age_seconds = std::int64_t{24} * 60 * 60;

  // `given` is the set of the settings; nothing: it is stored. `store` outlives this.
  StoredKeys(std::optional<LoadedKeySet> given, KeyValueStore& store) : given_(std::move(given)), store_(store) {}

  // Before each request: reads the set where it was not read yet, or not lately. Before the first successful read every
  // request reads; later one of them does, and the others go on with the current keys. These stay in use where the
  // store does not answer, or says what is no key set, up to longest_age_seconds.
  Task<void> keep_current(Context& context);

  [[nodiscard]] SharedKeySet current() override { return keys_; }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& seen) override;

 private:
  [[nodiscard]] bool read_within(std::int64_t seconds, Instant now) const;
  Task<void> read(Context& context);
  // Called after a read: without requests nothing is read, and no keys age.
  void forget_old_keys(Context& context);
  // The same text again changes nothing.
  void load(Context& context, std::string_view text);
  void take(Context& context, const LoadedKeySet& loaded);
  // Says what an operator should know of the set: not to the first request, since it would be lines for each request
  // where a host makes an instance for each. A stored set is taken once more for it, when it is read again.
  void tell(Context& context, const LoadedKeySet& loaded);

  std::optional<LoadedKeySet> given_;
  KeyValueStore& store_;
  SharedKeySet keys_;
  std::optional<Instant> read_at_;   // the first reading's end, or the beginning of a later one
  std::optional<std::string> text_;  // as it was read last
  bool usable_ = false;              // whether text_ is a key set
  Instant good_at_{};                // when a key set was read last
  std::uint8_t requests_ = 0;        // so far; two are many
  bool untold_ = false;              // what there is to say of keys_
};

}  // namespace portail
