#include "native/commands/command.hpp"

#include <filesystem>
#include <utility>

#include "core/base/task.hpp"
#include "core/storage/format.hpp"
#include "native/host/whole_file.hpp"

namespace portail {
namespace {

Task<FormatState> format_of(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  co_return co_await read_format(context, *session);
}

}  // namespace

std::expected<OpenStore, Fault> open_portal(const SettingValues& values, StoreAccess access) {
  return open_portal(values.text("store"), values.where("store"), access);
}

std::expected<OpenStore, Fault> open_portal(const std::string& text, std::string_view where, StoreAccess access) {
  auto url = parse_store_url(text);
  if (!url) return wrong_usage(std::string(where) + ": " + url.error());
  if ((access == StoreAccess::fill || access == StoreAccess::create) && url->folder().has_parent_path()) {
    // Opening says what is wrong.
    [[maybe_unused]] const auto made = make_folders(url->folder().parent_path());
  }
  auto store = open_store(*url, access);
  if (!store) return failure(store.error());
  CommandContext command;
  const auto format = run_ready(format_of(command.context, **store));
  if (!format)
    return failure("the store " + without_password(text) +
                   " cannot be read: " + command.remarks.text_or("it gives no answer"));
  if (*format == FormatState::newer || *format == FormatState::unknown) {
    return failure("the store " + without_password(text) + ": " + std::string(describe(*format)));
  }
  const bool empty = *format == FormatState::absent;
  if (empty && access == StoreAccess::serve && url->scheme->lasts) {
    return failure(
        "the store " + without_password(text) +
        " holds nothing: import a document into it first, name another store, or serve it as it is with --create");
  }
  return OpenStore{.url = std::move(*url), .store = std::move(*store), .empty = empty};
}

}  // namespace portail
