// The key source of components: the constant key set of the settings, or the stored value config.jwks, which is read
// again periodically, so that keys rotate without a new deployment. One thread; other requests run while one waits.
#pragma once

#include <optional>
#include <string>

#include "core/storage/key_value_store.hpp"
#include "core/webassembly/guest_keys.hpp"

namespace portail {

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
