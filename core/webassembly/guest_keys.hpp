// The key sources of a portal in a WebAssembly host, which has no thread of its own: they work when requests come. One
// thread; other requests run while one waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/auth/key_schedule.hpp"
#include "core/auth/key_source.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The maximum interval of reads of the store. Without keys, and for tokens with unknown keys, the minimum one.
inline constexpr std::chrono::milliseconds max_read_interval = std::chrono::seconds(30);
inline constexpr std::chrono::milliseconds min_read_interval = std::chrono::seconds(1);

// Returns whether less than the interval has passed since the last read. If the clock was set back, it does not count.
[[nodiscard]] constexpr bool was_read_within(std::optional<Instant> read_at, std::chrono::milliseconds interval,
                                             Instant now) {
  return read_at && now >= *read_at && now < after(*read_at, interval);
}

// A key source that works before and after requests.
class GuestKeys : public KeySource {
 public:
  // Must be called before each request. `has_token`: the request needs keys.
  virtual Task<void> prepare(Context& context, bool has_token) = 0;
  // Must be called after each answer was sent. Work that no answer needed is done now.
  virtual void after_answer(Context& context) = 0;
};

// The key set in use, and the log of its diagnostics. One thread.
class InstalledKeys {
 public:
  // Must be called before each request.
  void count_request() {
    if (requests_ < 2) ++requests_;
  }

  [[nodiscard]] const SharedKeySet& current() const { return keys_; }
  // Logs the diagnostics of the set, but not during the first request: a host that creates an instance for each request
  // would log them for each.
  void install(Context& context, const LoadedKeySet& loaded);
  [[nodiscard]] bool has_unlogged_diagnostics() const { return has_unlogged_diagnostics_; }
  // Logs them. `loaded` is the set in use.
  void log_diagnostics(Context& context, const LoadedKeySet& loaded);
  void drop_diagnostics() { has_unlogged_diagnostics_ = false; }
  void reset() { keys_.reset(); }

 private:
  SharedKeySet keys_;
  std::uint8_t requests_ = 0;              // so far, at most 2
  bool has_unlogged_diagnostics_ = false;  // of keys_
};

// The key source of components: the constant key set of the settings, or the stored value config.jwks, which is read
// again periodically, so that keys rotate without a new deployment. One thread; other requests run while one waits.
class StoredKeys final : public GuestKeys {
 public:
  // `configured` is the set of the settings; nullopt: the set is stored. `store` must outlive this.
  StoredKeys(std::optional<LoadedKeySet> configured, KeyValueStore& store)
      : configured_(std::move(configured)), store_(store) {}

  // Reads the set if it was not read within the interval. Until the first successful read, every request reads; later,
  // one request reads while the others use the current keys. If the store fails or the value is not a key set, the keys
  // stay valid for the default maximum age.
  Task<void> prepare(Context& context, bool has_token) override;
  void after_answer(Context&) override {}

  [[nodiscard]] SharedKeySet current() override { return keys_.current(); }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& previous) override;

 private:
  Task<void> read(Context& context);
  // Called after a read: without requests nothing is read, and no keys expire.
  void expire_keys(Context& context);
  // Does nothing if the text is unchanged.
  void load(Context& context, std::string_view text);

  std::optional<LoadedKeySet> configured_;
  KeyValueStore& store_;
  InstalledKeys keys_;
  std::optional<Instant> read_at_;   // the end of the first read, or the start of a later one
  std::optional<std::string> text_;  // of the last read
  bool is_text_valid_ = false;       // whether text_ is a key set
  bool is_unreadable_ = false;       // the last read failed, which was logged
  Instant last_valid_at_{};          // time of the last read of a key set
};

}  // namespace portail
