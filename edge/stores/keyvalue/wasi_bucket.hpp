// A store in a bucket of wasi:keyvalue, except for reads and swaps, which differ between the drafts of the interface.
// Draft has the types and functions of one draft's interface `store`, as `wit-bindgen c` generates them. Calls block
// until the host has returned. One thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/webassembly/bucket_store.hpp"
#include "edge/host/owned.hpp"

namespace portail::edge {

template <class Draft>
class WasiBucket : public BucketStore {
 public:
  // The host's calls have no deadline. After a failed call, a request whose deadline has passed fails without another
  // call.
  Task<std::unique_ptr<Session>> open(Context& context) override {
    if (has_failed_ && time_now() >= context.deadline) co_await std::unexpected(Failure::unavailable);
    has_failed_ = false;
    co_return co_await BucketStore::open(context);
  }

 protected:
  using Bucket = Owned<typename Draft::Bucket, Draft::drop_bucket>;
  using Error = typename Draft::Error;

  explicit WasiBucket(Bucket bucket) : bucket_(std::move(bucket)) {}

  // `name` is the host's name of the bucket. The error is one line for the operator.
  static std::expected<Bucket, std::string> open_bucket(const std::string& name) {
    auto identifier = list_of<typename Draft::String>(name);
    typename Draft::Bucket opened{};
    Error error{};
    if (Draft::open(&identifier, &opened, &error)) return Bucket(opened);
    return std::unexpected("the bucket \"" + name + "\" cannot be opened: " + consume_error(error));
  }

  // The handle for the generated functions.
  [[nodiscard]] auto bucket() const { return Draft::borrow_bucket(bucket_.get()); }

  // Returns the reason of `error`, and frees it.
  static std::string consume_error(Error& error) {
    enum : std::uint8_t { no_such_store, access_denied, other };  // the cases of the interface's variant `error`
    std::string text = "no reason given by the host";
    if (error.tag == no_such_store) text = "the host has no such store";
    if (error.tag == access_denied) text = "the host denies this component access to the store";
    if (error.tag == other) text = view_of(error.val.other);
    Draft::free_error(&error);
    return text;
  }
  // Logs `error`, frees it and returns the failure of the operation.
  std::unexpected<Failure> failed(Context& context, std::string_view event, Error& error) {
    has_failed_ = true;
    context.log.warn(event, consume_error(error));
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

  Task<std::vector<std::string>> keys(Context& context, std::string_view) override {
    std::vector<std::string> names;
    typename Draft::Page page{};
    do {
      auto previous = std::exchange(page, {});
      Error error{};
      auto* const cursor = previous.cursor.is_some ? &previous.cursor.val : nullptr;
      const bool listed = Draft::list_keys(bucket(), cursor, &page, &error);
      Draft::free_page(&previous);
      if (!listed) co_return failed(context, "store: a scan failed", error);
      for (std::size_t i = 0; i < page.keys.len; ++i) names.emplace_back(view_of(page.keys.ptr[i]));
    } while (page.cursor.is_some);
    Draft::free_page(&page);
    co_return names;
  }

 private:
  // Unlike this, the context's clock does not advance while a call blocks.
  static Instant time_now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return {std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000};
  }

  Bucket bucket_;
  bool has_failed_ = false;  // the last call
};

}  // namespace portail::edge
