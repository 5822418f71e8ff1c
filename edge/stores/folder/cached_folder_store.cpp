#include "edge/stores/folder/cached_folder_store.hpp"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/files/file_names.hpp"
#include "core/files/value_reader.hpp"

namespace portail::edge {
namespace {

ClockReading read_clocks(const Context& context) {
  using std::chrono::steady_clock;
  const auto steady = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now().time_since_epoch());
  return {.wall = context.clock.now(), .steady = steady.count()};
}

class CachedSession final : public Session {
 public:
  explicit CachedSession(CachedFolderStore& folder) : folder_(folder) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    std::vector<FoundValue> found(keys.size());
    co_await folder_.find(context, keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!found[i]) {
        context.log.warn("store: a read failed", found[i].error().reason);
        co_await std::unexpected(found[i].error().failure);
      }
      ValueCache::SharedValue value = *found[i];
      values[i] = value ? Value(*value) : std::nullopt;
      if (!value) continue;
      copied_ += value->size();
      values_.push_back(std::move(value));
    }
  }
  [[nodiscard]] std::size_t copied_bytes() const override { return copied_; }

 private:
  CachedFolderStore& folder_;
  std::vector<ValueCache::SharedValue> values_;
  std::size_t copied_ = 0;
};

}  // namespace

CachedFolderStore::CachedFolderStore(std::unique_ptr<FolderStore> store, std::string path)
    : ForwardingStore(*store), store_(std::move(store)), path_(std::move(path)) {}

Task<std::unique_ptr<Session>> CachedFolderStore::open(Context&) { co_return std::make_unique<CachedSession>(*this); }

Task<void> CachedFolderStore::find(Context& context, std::span<const std::string_view> keys,
                                   std::span<FoundValue> found) {
  struct PendingStat {
    std::size_t index;
    std::unique_ptr<FileStat> stat;
  };
  std::vector<PendingStat> pending;
  ClockReading before;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto name = FileName::of_key(keys[i]);
    if (!name) {
      found[i] = nullptr;
    } else if (cache_.should_stat(keys[i], context.clock.now()) && folder()) {
      if (pending.empty()) before = read_clocks(context);
      pending.push_back({.index = i, .stat = std::make_unique<FileStat>(folder_->path + name->c_str())});
      pending.back().stat->start(folder_types_borrow_descriptor(folder_->folder.get()));
    } else {
      found[i] = read(keys[i]);
    }
  }
  for (const auto& [index, stat] : pending) {
    for (Subtask* call : {&stat->status_call(), &stat->identity_call()}) {
      while (!call->returned()) call->on_event(*co_await Wait(call->waitable()));
    }
  }
  for (const auto& [index, stat] : pending) {
    FileMetadata status;
    const StatResult result = stat->result(status);
    found[index] = result == StatResult::file ? cache_.find(keys[index], status, before) : nullptr;
    if (result == StatResult::absent || *found[index]) continue;
    found[index] = read(keys[index]);
    if (result == StatResult::file && found[index] && *found[index]) {
      found[index] = cache_.insert(keys[index], status, before, std::string(**found[index]));
    }
  }
}

FoundValue CachedFolderStore::read(std::string_view key) {
  ValueReader files;
  const auto value = files.read(store_->folder(), *FileName::of_key(key));
  if (!value) return std::unexpected(value.error());
  if (!*value) return nullptr;
  return std::make_shared<const std::string>(**value);
}

PreopenedFolder* CachedFolderStore::folder() {
  if (!std::exchange(folder_checked_, true)) folder_ = find_preopened_folder(path_);
  return folder_ ? &*folder_ : nullptr;
}

}  // namespace portail::edge
