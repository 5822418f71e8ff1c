#include "edge/fastly/kv_store.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <unistd.h>

#include "core/json/reader.hpp"
#include "edge/fastly/body.hpp"
#include "edge/http/instance.hpp"

namespace portail::fastly {
namespace {

constexpr std::size_t max_concurrent_calls = 16;
constexpr std::size_t max_metadata_size = 2048;  // of the platform; values of other writers may have some
constexpr std::size_t max_page_size = std::size_t{4} * 1024 * 1024;  // of a list of keys
// Before each attempt to replace a value. The platform refuses one if the value that was read is an earlier one, or if
// there were too many writes.
constexpr std::array<useconds_t, 6> swap_pauses{0, 50'000, 100'000, 200'000, 400'000, 800'000};  // microseconds

constexpr std::string_view read_failed = "store: a read failed";
constexpr std::string_view write_failed = "store: a write failed";
constexpr std::string_view scan_failed = "store: a scan failed";

std::string_view text_of(StoreError error) {
  switch (error) {
    case StoreError::bad_request:
      return "the KV store refused the request";
    case StoreError::precondition_failed:
      return "the KV store has another value";
    case StoreError::payload_too_large:
      return "a value is too large";
    case StoreError::too_many_requests:
      return "the KV store had too many requests";
    default:
      return "the KV store failed";
  }
}

std::unexpected<Failure> failed(Context& context, std::string_view event, StoreError error) {
  context.log.warn(event, text_of(error));
  return std::unexpected(Failure::unavailable);
}

// Called after each wait.
void invalidate_time() { edge::Instance::current().invalidate_time(); }

Result<void> check_deadline(const Context& context) {
  if (context.clock.now() >= context.deadline) return std::unexpected(Failure::cancelled);
  return {};
}

// A value with the number that the store gave it.
struct Stored {
  std::string bytes;
  std::uint64_t generation = 0;
};
using Found = std::expected<std::optional<Stored>, StoreError>;

std::optional<Handle> begin_lookup(Handle store, std::string_view key) {
  const std::uint32_t options = 0;
  Handle lookup = 0;
  if (fastly_kv_lookup(store, key.data(), key.size(), 0, &options, &lookup) != Status::ok) return std::nullopt;
  return lookup;
}

Found end_lookup(Handle lookup) {
  std::array<char, max_metadata_size> metadata;
  std::size_t metadata_size = 0;
  Handle handle = 0;
  Stored stored;
  StoreError error = StoreError::unset;
  const Status status = fastly_kv_lookup_wait(lookup, &handle, metadata.data(), metadata.size(), &metadata_size,
                                              &stored.generation, &error);
  invalidate_time();
  if (status != Status::ok) return std::unexpected(StoreError::internal_error);
  if (error == StoreError::not_found) return std::nullopt;
  if (error != StoreError::ok) return std::unexpected(error);
  auto bytes = read_whole(HostBody(handle), max_value_size);
  if (!bytes) return std::unexpected(StoreError::internal_error);
  if (bytes->size() > max_value_size) return std::unexpected(StoreError::payload_too_large);
  stored.bytes = std::move(*bytes);
  return stored;
}

Found look_up(Handle store, std::string_view key) {
  const auto lookup = begin_lookup(store, key);
  return lookup ? end_lookup(*lookup) : Found(std::unexpected(StoreError::internal_error));
}

std::optional<Handle> begin_insert(Handle store, std::string_view key, std::string_view value, std::uint32_t mask,
                                   const InsertOptions& options) {
  HostBody body = new_body(value);
  Handle insert = 0;
  if (!body || fastly_kv_insert(store, key.data(), key.size(), body.release(), mask, &options, &insert) != Status::ok) {
    return std::nullopt;
  }
  return insert;
}

StoreError end_insert(std::optional<Handle> insert) {
  StoreError error = StoreError::unset;
  const bool ended = insert && fastly_kv_insert_wait(*insert, &error) == Status::ok;
  invalidate_time();
  return ended ? error : StoreError::internal_error;
}

// A write or a removal that has begun.
struct Write {
  std::optional<Handle> handle;
  bool is_removal;
};

Write begin_write(Handle store, const Change& change) {
  if (change.value) {
    return {.handle = begin_insert(store, change.key, *change.value, 0, InsertOptions()), .is_removal = false};
  }
  const std::uint32_t options = 0;
  Handle removal = 0;
  const bool begun = fastly_kv_delete(store, change.key.data(), change.key.size(), 0, &options, &removal) == Status::ok;
  return {.handle = begun ? std::optional(removal) : std::nullopt, .is_removal = true};
}

StoreError end_write(const Write& write) {
  if (!write.is_removal) return end_insert(write.handle);
  StoreError error = StoreError::unset;
  const bool ended = write.handle && fastly_kv_delete_wait(*write.handle, &error) == Status::ok;
  invalidate_time();
  if (!ended) return StoreError::internal_error;
  return error == StoreError::not_found ? StoreError::ok : error;
}

// Adds the keys of a page to `names`. Returns the cursor of the next page, empty at the end; nullopt: not a page.
std::optional<std::string> add_keys(std::string_view page, std::vector<std::string>& names) {
  const auto document = parse_json(page);
  const auto root = document ? object_of(document->root()) : std::nullopt;
  const auto data = root ? member(*root, "data") : std::nullopt;
  const auto keys = data ? array_of(*data) : std::nullopt;
  const auto meta = root ? member(*root, "meta") : std::nullopt;
  const auto description = meta ? object_of(*meta) : std::nullopt;
  if (!keys || !description) return std::nullopt;
  for (const JsonValue key : *keys) {
    const auto name = string_of(key);
    if (!name) return std::nullopt;
    names.emplace_back(*name);
  }
  const auto cursor = member(*description, "next_cursor");
  if (!cursor) return "";
  const auto text = string_of(*cursor);
  if (!text) return std::nullopt;
  return std::string(*text);
}

}  // namespace

std::expected<std::unique_ptr<KvStore>, std::string> KvStore::open(const std::string& name) {
  Handle store = 0;
  if (fastly_kv_open(name.data(), name.size(), &store) == Status::ok) return std::make_unique<KvStore>(store);
  return std::unexpected("the KV store \"" + name + "\" cannot be opened: link it to the service under this name");
}

Task<void> KvStore::read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                         HostBuffers& buffers) {
  for (std::size_t begin = 0; begin < keys.size(); begin += max_concurrent_calls) {
    co_await check_deadline(context);
    const auto batch = keys.subspan(begin, std::min(max_concurrent_calls, keys.size() - begin));
    std::vector<std::optional<Handle>> lookups;
    for (const std::string_view key : batch) lookups.push_back(begin_lookup(store_, key));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto found = lookups[i] ? end_lookup(*lookups[i]) : Found(std::unexpected(StoreError::internal_error));
      if (!found) co_await failed(context, read_failed, found.error());
      values[begin + i] = std::nullopt;
      if (!*found) continue;
      const auto bytes = std::make_shared<const std::string>(std::move((*found)->bytes));
      values[begin + i] = *bytes;
      buffers.push_back(bytes);
    }
  }
}

Task<void> KvStore::apply(Context& context, std::span<const Change> changes) {
  for (std::size_t begin = 0; begin < changes.size(); begin += max_concurrent_calls) {
    co_await check_deadline(context);
    const auto batch = last_changes(changes.subspan(begin, std::min(max_concurrent_calls, changes.size() - begin)));
    std::vector<Write> writes;
    for (const Change& change : batch) writes.push_back(begin_write(store_, change));
    StoreError outcome = StoreError::ok;
    for (const Write& write : writes) {
      const StoreError error = end_write(write);
      if (error != StoreError::ok) outcome = error;
    }
    if (outcome != StoreError::ok) co_await failed(context, write_failed, outcome);
  }
}

Task<bool> KvStore::swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  StoreError error = StoreError::unset;
  for (const useconds_t pause : swap_pauses) {
    if (pause > 0) usleep(pause);
    co_await check_deadline(context);
    const auto found = look_up(store_, key);
    if (!found) co_return failed(context, read_failed, found.error());
    const Value current = *found ? Value((*found)->bytes) : std::nullopt;
    // The answer to an earlier attempt may have been lost.
    if (pause > 0 && current == desired) co_return true;
    if (current != expected) co_return false;
    InsertOptions options;
    if (*found) {
      options.generation = (*found)->generation;
    } else {
      options.mode = InsertMode::add;
    }
    error = end_insert(begin_insert(store_, key, desired, *found ? has_generation : 0, options));
    if (error == StoreError::ok) co_return true;
    if (error == StoreError::precondition_failed || error == StoreError::too_many_requests) continue;
    // The store may have written before it failed.
    const auto now = look_up(store_, key);
    if (now && *now && (*now)->bytes == desired) co_return true;
    co_return failed(context, write_failed, error);
  }
  co_return failed(context, write_failed, error);
}

Task<std::vector<std::string>> KvStore::keys(Context& context, std::string_view prefix) {
  std::vector<std::string> names;
  std::string cursor;
  do {
    co_await check_deadline(context);
    ListOptions options{
        .cursor = cursor.data(), .cursor_size = cursor.size(), .prefix = prefix.data(), .prefix_size = prefix.size()};
    const std::uint32_t mask = (cursor.empty() ? 0 : has_cursor) | (prefix.empty() ? 0 : has_prefix);
    Handle list = 0;
    Handle body = 0;
    StoreError error = StoreError::unset;
    const bool ended = fastly_kv_list(store_, mask, &options, &list) == Status::ok &&
                       fastly_kv_list_wait(list, &body, &error) == Status::ok;
    invalidate_time();
    if (!ended || error != StoreError::ok) {
      co_return failed(context, scan_failed, ended ? error : StoreError::internal_error);
    }
    const auto page = read_whole(HostBody(body), max_page_size);
    auto next = page ? add_keys(*page, names) : std::nullopt;
    if (!next) co_return failed(context, scan_failed, StoreError::internal_error);
    cursor = std::move(*next);
  } while (!cursor.empty());
  co_return names;
}

}  // namespace portail::fastly
