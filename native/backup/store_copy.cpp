#include "native/backup/store_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/task.hpp"
#include "core/base/text.hpp"
#include "core/storage/edition.hpp"
#include "core/storage/key.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/storage/read_value.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// The batch limits of an import.
constexpr std::size_t max_batch_values = 1'000;
constexpr std::size_t max_batch_bytes = std::size_t{8} * 1024 * 1024;

// A store may hold values of other programs.
bool is_copied(std::string_view key) { return is_key(key) && key != format_key; }

class DigestVisitor final : public Visitor {
 public:
  DigestVisitor(ProgressBar& bar, std::string_view step, std::uint64_t all) : bar_(bar), step_(step), all_(all) {}

  bool visit(std::string_view key, std::string_view value) override {
    if (!is_copied(key)) return true;
    ++digest_.keys;
    digest_.bytes += value.size();
    hash_.update(key);
    // Keys and lengths have no spaces, so the text is unambiguous.
    hash_.update(' ' + std::to_string(value.size()) + ' ');
    hash_.update(value);
    if (all_ > 0)
      bar_.show(step_, digest_.keys, all_);
    else
      bar_.show(step_, digest_.keys);
    return true;
  }
  StoreDigest finish() {
    digest_.hash = hash_.finish();
    return digest_;
  }

 private:
  ProgressBar& bar_;
  std::string_view step_;
  std::uint64_t all_;
  StoreDigest digest_;
  Blake2b hash_;
};

// Collects keys, and looks them up in batches.
class ForeignVisitor final : public Visitor {
 public:
  ForeignVisitor(Context& context, KeyValueStore& from, ProgressBar& bar) : context_(context), from_(from), bar_(bar) {}

  bool visit(std::string_view key, std::string_view) override {
    if (!is_copied(key)) return true;
    keys_.emplace_back(key);
    return keys_.size() < max_batch_values || flush();
  }
  // Looks up the collected keys; returns false on failure.
  bool flush() {
    result_ = run_ready(look_up());
    processed_ += keys_.size();
    bar_.show("looking", processed_);
    keys_.clear();
    return result_.has_value();
  }
  [[nodiscard]] const Result<void>& result() const { return result_; }
  [[nodiscard]] std::uint64_t foreign() const { return foreign_; }

 private:
  Task<void> look_up() {
    const std::vector<std::string_view> keys(keys_.begin(), keys_.end());
    std::vector<Value> found(keys.size());
    const auto session = co_await from_.open(context_);
    co_await session->get(context_, keys, found);
    foreign_ += static_cast<std::uint64_t>(std::ranges::count_if(found, [](const Value& value) { return !value; }));
  }

  Context& context_;
  KeyValueStore& from_;
  ProgressBar& bar_;
  std::vector<std::string> keys_;
  std::uint64_t processed_ = 0;
  std::uint64_t foreign_ = 0;
  Result<void> result_;
};

// Collects values, and writes them in batches.
class CopyVisitor final : public Visitor {
 public:
  CopyVisitor(Context& context, KeyValueStore& to, ProgressBar& bar, std::uint64_t all)
      : context_(context), to_(to), bar_(bar), all_(all) {}

  bool visit(std::string_view key, std::string_view value) override {
    if (!is_copied(key) || key == configuration_key) return true;
    return add(key, value);
  }
  // Returns false on failure.
  bool add(std::string_view key, std::string_view value) {
    values_.emplace_back(key, value);
    bytes_ += value.size();
    return (values_.size() < max_batch_values && bytes_ < max_batch_bytes) || flush();
  }

  // Writes the collected values; returns false on failure.
  bool flush() {
    result_ = run_ready(write_changed());
    processed_ += values_.size();
    bar_.show("copying", processed_, all_);
    values_.clear();
    bytes_ = 0;
    return result_.has_value();
  }
  [[nodiscard]] const Result<void>& result() const { return result_; }
  [[nodiscard]] std::uint64_t copied() const { return copied_; }

 private:
  Task<void> write_changed() {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : values_) keys.push_back(key);
    std::vector<Value> found(keys.size());
    const auto session = co_await to_.open(context_);
    co_await session->get(context_, keys, found);
    std::vector<Change> changes;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (const std::string_view value = values_[i].second; found[i] != value) changes.push_back({keys[i], value});
    }
    if (!changes.empty()) co_await to_.write(context_, changes);
    copied_ += changes.size();
  }

  Context& context_;
  KeyValueStore& to_;
  ProgressBar& bar_;
  std::uint64_t all_;
  std::vector<std::pair<std::string, std::string>> values_;
  std::size_t bytes_ = 0;
  std::uint64_t processed_ = 0;
  std::uint64_t copied_ = 0;
  Result<void> result_;
};

// Returns the configuration of `from`, which is copied last, since its edition vouches for the other values. One that
// an interrupted copy wrote is no longer complete.
Task<std::optional<std::string>> begin_copy(Context& context, KeyValueStore& from, KeyValueStore& to) {
  auto configuration = co_await read_value(context, from, configuration_key);
  if (const auto copied = co_await read_value(context, to, configuration_key)) {
    const std::string incomplete = incomplete_configuration(*copied);
    const Change change{configuration_key, incomplete};
    co_await to.write(context, std::span(&change, 1));
  }
  co_return configuration;
}

Task<bool> write_format(Context& context, KeyValueStore& from, KeyValueStore& to) {
  const auto format = co_await read_value(context, from, format_key);
  if (!format) co_return false;
  const Change change{format_key, format};
  co_await to.write(context, std::span(&change, 1));
  co_return true;
}

}  // namespace

std::string format_digest(const StoreDigest& digest) {
  return counted(digest.keys, "key", "keys") + ", " + counted(digest.bytes, "byte", "bytes") + ", hash " +
         lower_hex(digest.hash);
}

void append_members(JsonWriter& json, const StoreDigest& digest) {
  json.name("keys").integer(static_cast<std::int64_t>(digest.keys));
  json.name("bytes").integer(static_cast<std::int64_t>(digest.bytes));
  json.name("hash").string(lower_hex(digest.hash));
}

std::expected<StoreDigest, Failure> digest_of(Context& context, KeyValueStore& store, ProgressBar& bar,
                                              std::string_view step, std::uint64_t all) {
  DigestVisitor visitor(bar, step, all);
  if (const auto scanned = run_ready(store.scan(context, "", visitor)); !scanned) {
    return std::unexpected(scanned.error());
  }
  return visitor.finish();
}

std::expected<std::uint64_t, Failure> foreign_keys(Context& context, KeyValueStore& from, KeyValueStore& to,
                                                   ProgressBar& bar) {
  ForeignVisitor visitor(context, from, bar);
  const auto scanned = run_ready(to.scan(context, "", visitor));
  if (!visitor.result()) return std::unexpected(visitor.result().error());
  if (!scanned) return std::unexpected(scanned.error());
  if (!visitor.flush()) return std::unexpected(visitor.result().error());
  return visitor.foreign();
}

std::expected<std::uint64_t, Failure> copy_values(Context& context, KeyValueStore& from, KeyValueStore& to,
                                                  ProgressBar& bar, std::uint64_t all) {
  CopyVisitor visitor(context, to, bar, all);
  const auto configuration = run_ready(begin_copy(context, from, to));
  if (!configuration) return std::unexpected(configuration.error());
  const auto scanned = run_ready(from.scan(context, "", visitor));
  if (!visitor.result()) return std::unexpected(visitor.result().error());
  if (!scanned) return std::unexpected(scanned.error());
  if (!visitor.flush() || (*configuration && !(visitor.add(configuration_key, **configuration) && visitor.flush())))
    return std::unexpected(visitor.result().error());
  return visitor.copied();
}

std::expected<bool, Failure> copy_format(Context& context, KeyValueStore& from, KeyValueStore& to) {
  return run_ready(write_format(context, from, to));
}

}  // namespace portail
