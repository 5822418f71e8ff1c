// The key source of a URL. The fetched set is stored as a KeyRecord, which all instances over the store share, and
// which a compare-and-swap protects: one instance fetches for all. One that serves one request only reads it. Requests
// wait only for keys that their own token needs.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/auth/key_url.hpp"
#include "core/base/frame_arena.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/webassembly/guest_keys.hpp"
#include "core/webassembly/http_client.hpp"
#include "core/webassembly/key_record.hpp"

namespace portail {

struct FetchPlan {
  KeyLocation location;
  std::string issuer;  // that a discovery document must name
  RefreshIntervals times;
  RefreshIntervals::Duration timeout = std::chrono::seconds(10);  // of one fetch
  // The host ends instances with their answers: the request that finds a refresh due, one of all, waits for it.
  bool precedes_answer = false;
};

class FetchedKeys final : public GuestKeys {
 public:
  // `store` and `client` must outlive this.
  FetchedKeys(FetchPlan plan, KeyValueStore& store, HttpClient& client);

  // Reads the record if it was not read within the interval. Without keys, a request with a token waits for a fetch.
  Task<void> prepare(Context& context, bool has_token) override;
  // Starts a fetch if one is due.
  void after_answer(Context& context) override;

  [[nodiscard]] SharedKeySet current() override { return keys_.current(); }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& previous) override;

 private:
  [[nodiscard]] KeyRecord record() const;
  [[nodiscard]] bool is_refreshing() const { return refresh_ && !refresh_->done(); }
  enum class Reason : std::uint8_t { schedule, unknown_key };
  [[nodiscard]] bool is_due(const KeyRecord& record, Reason reason, Instant at) const;

  // Reads the record, and uses its keys. Returns false if the store failed.
  Task<bool> read(Context& context);
  // Uses the keys of value_.
  void load(Context& context);
  void expire_keys(Context& context, const KeyRecord& last, Instant now);

  // Waits for the refresh of this instance, for `max_wait` at most.
  Task<void> wait_for_refresh(Context& context);
  // Starts refresh(), which goes on after the request.
  void start_refresh(Context& context, Reason reason);
  // Fetches the set and stores it, unless another instance does or did.
  Task<void> refresh(Context& context, Reason reason);
  // Returns a key set's text. The error is one line for the operator.
  using Fetched = std::expected<std::string, std::string>;
  Task<Fetched> fetch(Context& context, Instant deadline);
  Task<Fetched> get(Context& context, std::string_view url, Instant deadline);
  // Replaces value_, in the store too. Returns false if another instance has replaced it.
  Task<bool> replace(Context& context, const KeyRecord& record);

  FetchPlan plan_;
  std::string source_;
  std::string key_;  // of the record in the store
  KeyValueStore& store_;
  HttpClient& client_;
  InstalledKeys keys_;
  std::optional<Instant> read_at_;    // the end of the first read, or the start of a later one
  std::optional<std::string> value_;  // the record, as read or written
  bool is_unstored_ = false;          // value_ could not be written
  bool is_unreadable_ = false;        // the last read failed, which was logged
  std::string loaded_set_;            // the text of the key set in keys_, or of one that is invalid
  bool is_due_ = false;               // when the current request began

  FrameArena frames_;
  std::optional<Context> context_;
  // The last member, as it must be destroyed first.
  std::optional<Task<void>> refresh_;
};

}  // namespace portail
