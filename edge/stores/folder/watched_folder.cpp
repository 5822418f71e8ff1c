#include "edge/stores/folder/watched_folder.hpp"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/files/file_names.hpp"
#include "core/files/value_files.hpp"

namespace portail::edge {
namespace {

Moment moment(const Context& context) {
  using std::chrono::steady_clock;
  const auto steady = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now().time_since_epoch());
  return {.wall = context.clock.now(), .steady = steady.count()};
}

class WatchedSession final : public Session {
 public:
  explicit WatchedSession(WatchedFolder& folder) : folder_(folder) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    std::vector<FoundValue> found(keys.size());
    co_await folder_.find(context, keys, found);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!found[i]) {
        context.log.warn("store: a read failed", found[i].error().why);
        co_await std::unexpected(found[i].error().failure);
      }
      KnownValues::SharedValue value = *found[i];
      values[i] = value ? Value(*value) : std::nullopt;
      if (!value) continue;
      copied_ += value->size();
      values_.push_back(std::move(value));
    }
  }
  [[nodiscard]] std::size_t copied() const override { return copied_; }

 private:
  WatchedFolder& folder_;
  std::vector<KnownValues::SharedValue> values_;
  std::size_t copied_ = 0;
};

}  // namespace

WatchedFolder::WatchedFolder(std::unique_ptr<FolderStore> store, std::string path)
    : ForwardingStore(*store), store_(std::move(store)), path_(std::move(path)) {}

Task<std::unique_ptr<Session>> WatchedFolder::open(Context&) { co_return std::make_unique<WatchedSession>(*this); }

Task<void> WatchedFolder::find(Context& context, std::span<const std::string_view> keys, std::span<FoundValue> found) {
  struct Looked {
    std::size_t place;
    std::unique_ptr<FileLook> look;
  };
  std::vector<Looked> looked;
  Moment before;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto name = FileName::of_key(keys[i]);
    if (!name) {
      found[i] = nullptr;
    } else if (values_.is_worth_a_look(keys[i], context.clock.now()) && folder()) {
      if (looked.empty()) before = moment(context);
      looked.push_back({.place = i, .look = std::make_unique<FileLook>(folder_->path + name->c_str())});
      looked.back().look->begin(folder_types_borrow_descriptor(folder_->folder.get()));
    } else {
      found[i] = read(keys[i]);
    }
  }
  for (const auto& [place, look] : looked) {
    for (Subtask* call : {&look->status_call(), &look->identity_call()}) {
      while (!call->returned()) call->take(*co_await Wait(call->waitable()));
    }
  }
  for (const auto& [place, look] : looked) {
    FileStatus status;
    const Seen seen = look->seen(status);
    found[place] = seen == Seen::file ? values_.find(keys[place], status, before) : nullptr;
    if (seen == Seen::absent || *found[place]) continue;
    found[place] = read(keys[place]);
    if (seen == Seen::file && found[place] && *found[place]) {
      found[place] = values_.keep(keys[place], status, before, std::string(**found[place]));
    }
  }
}

FoundValue WatchedFolder::read(std::string_view key) {
  ValueFiles files;
  const auto value = files.read(store_->folder(), *FileName::of_key(key));
  if (!value) return std::unexpected(value.error());
  if (!*value) return nullptr;
  return std::make_shared<const std::string>(**value);
}

FolderOfHost* WatchedFolder::folder() {
  if (!std::exchange(looked_for_folder_, true)) folder_ = find_folder_of_host(path_);
  return folder_ ? &*folder_ : nullptr;
}

}  // namespace portail::edge
