// A store in a bucket of wasi:keyvalue: what its drafts have in common, which is all but reading and swapping. Draft
// names the types and functions of one draft's interface `store`, as `wit-bindgen c` makes them. Calls block until the
// host has answered. One thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/guest/bucket_store.hpp"
#include "edge/host/lists.hpp"
#include "edge/host/owned.hpp"

namespace portail::edge {

template <class Draft>
class WasiBucket : public BucketStore {
 public:
  // The host's calls know no deadline: a request whose own has passed while one of them failed makes no other.
  Task<std::unique_ptr<Session>> open(Context& context) override {
    if (has_failed_ && time_now() >= context.deadline) co_await std::unexpected(Failure::unavailable);
    has_failed_ = false;
    co_return co_await BucketStore::open(context);
  }

 protected:
  using Bucket = Owned<typename Draft::Bucket, Draft::drop_bucket>;
  using Error = typename Draft::Error;

  explicit WasiBucket(Bucket bucket) : bucket_(std::move(bucket)) {}

  // `name` is the host's name for it. The error is one line for the operator.
  static std::expected<Bucket, std::string> open_bucket(const std::string& name) {
    auto identifier = list_of<typename Draft::String>(name);
    typename Draft::Bucket opened{};
    Error error{};
    if (Draft::open(&identifier, &opened, &error)) return Bucket(opened);
    return std::unexpected("the bucket \"" + name + "\" cannot be opened: " + taken(error));
  }

  // For the generated functions.
  [[nodiscard]] auto bucket() const { return Draft::borrow_bucket(bucket_.get()); }

  // Frees `error`.
  static std::string taken(Error& error) {
    enum : std::uint8_t { no_such_store, access_denied, other };  // the cases of the interface's variant `error`
    std::string text = "the host gives no reason";
    if (error.tag == no_such_store) text = "the host has no such store";
    if (error.tag == access_denied) text = "the host does not let this component at the store";
    if (error.tag == other) text = view_of(error.val.other);
    Draft::free_error(&error);
    return text;
  }
  std::unexpected<Failure> failed(Context& context, std::string_view event, Error& error) {
    has_failed_ = true;
    context.log.warn(event, taken(error));
    return std::unexpected(Failure::unavailable);
  }

  Task<void> apply(Context& context, std::span<const Change> changes) override {
    for (const Change& change : changes) {
      auto key = list_of<typename Draft::String>(change.key);
      auto value = list_of<typename Draft::Bytes>(change.value.value_or(""));
      Error error{};
      const bool done =
          change.value ? Draft::set(bucket(), &key, &value, &error) : Draft::remove(bucket(), &key, &error);
      if (!done) co_await failed(context, "store: a write failed", error);
    }
  }

  Task<std::vector<std::string>> keys(Context& context) override {
    std::vector<std::string> names;
    typename Draft::Page page{};
    do {
      auto before = std::exchange(page, {});
      Error error{};
      auto* const cursor = before.cursor.is_some ? &before.cursor.val : nullptr;
      const bool listed = Draft::list_keys(bucket(), cursor, &page, &error);
      Draft::free_page(&before);
      if (!listed) co_return failed(context, "store: a scan failed", error);
      for (std::size_t i = 0; i < page.keys.len; ++i) names.emplace_back(view_of(page.keys.ptr[i]));
    } while (page.cursor.is_some);
    Draft::free_page(&page);
    co_return names;
  }

 private:
  // The context's clock stands still while a call blocks.
  static Instant time_now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return {std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000};
  }

  Bucket bucket_;
  bool has_failed_ = false;  // in the last call
};

}  // namespace portail::edge
