#include "core/webassembly/bucket_store.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

constexpr std::size_t scan_batch_size = 16;  // values of at most 256 KiB; a component has little memory

}  // namespace

std::vector<Change> last_changes(std::span<const Change> changes) {
  std::vector<Change> last;
  for (const Change& change : changes) {
    std::erase_if(last, [&change](const Change& earlier) { return earlier.key == change.key; });
    last.push_back(change);
  }
  return last;
}

class BucketSession final : public Session {
 public:
  explicit BucketSession(BucketStore& store) : store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    if (keys.empty()) co_return;
    // For a key that they cannot store, hosts return an error instead of no value.
    if (std::ranges::all_of(keys, key_within_limits)) co_return co_await store_.read(context, keys, values, buffers_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values[i] = std::nullopt;
      if (key_within_limits(keys[i])) co_await store_.read(context, keys.subspan(i, 1), values.subspan(i, 1), buffers_);
    }
  }

 private:
  BucketStore& store_;
  HostBuffers buffers_;
};

Task<std::unique_ptr<Session>> BucketStore::open(Context&) { co_return std::make_unique<BucketSession>(*this); }

Task<void> BucketStore::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  co_await apply(context, changes);
}

Task<bool> BucketStore::compare_and_swap(Context& context, std::string_view key, Value expected,
                                         std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  co_return co_await swap(context, key, expected, desired);
}

Task<bool> BucketStore::swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  HostBuffers buffers;
  Value current;
  co_await read(context, std::span(&key, 1), std::span(&current, 1), buffers);
  if (current != expected) co_return false;
  const Change change{key, desired};
  co_await apply(context, std::span(&change, 1));
  co_return true;
}

Task<void> BucketStore::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  auto names = co_await keys(context, prefix);
  std::erase_if(names,
                [prefix](const std::string& key) { return !key.starts_with(prefix) || !key_within_limits(key); });
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (std::size_t begin = 0; begin < views.size(); begin += scan_batch_size) {
    const auto batch = std::span(views).subspan(begin, std::min(scan_batch_size, views.size() - begin));
    HostBuffers buffers;
    std::vector<Value> values(batch.size());
    co_await read(context, batch, values, buffers);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      // A listed key may have been removed since.
      if (values[i] && !visitor.visit(batch[i], *values[i])) co_return;
    }
  }
}

}  // namespace portail
