#include "native/commands/command.hpp"

#include <filesystem>
#include <utility>

#include "core/base/task.hpp"
#include "core/storage/format.hpp"
#include "native/system/atomic_file.hpp"

namespace portail {

std::expected<OpenStore, Fault> open_portal(const SettingValues& values, StoreAccess access) {
  return open_portal(values.text("store"), values.where("store"), access);
}

std::expected<OpenStore, Fault> open_portal(const std::string& text, std::string_view where, StoreAccess access) {
  auto url = parse_store_url(text);
  if (!url) return wrong_usage(std::string(where) + ": " + url.error());
  if ((access == StoreAccess::fill || access == StoreAccess::create) && url->folder().has_parent_path()) {
    const FolderOwner owner(url->folder());
    // Opening reports the error.
    [[maybe_unused]] const auto created = create_private_directories(url->folder().parent_path());
  }
  auto store = open_store(*url, access);
  if (!store) return failure(store.error());
  CommandContext command;
  const auto format = run_ready(read_format(command.context, **store));
  if (!format)
    return failure("the store " + without_password(text) +
                   " cannot be read: " + command.last_warning.text_or("it does not answer"));
  if (!is_readable(*format)) {
    return failure("the store " + without_password(text) + ": " + std::string(describe(*format)));
  }
  if (*format == FormatState::newer_minor && access != StoreAccess::serve) {
    print_error("the store " + without_password(text) + ": " + std::string(describe(*format)));
  }
  const bool empty = *format == FormatState::absent;
  if (empty && access == StoreAccess::serve && url->scheme->is_persistent) {
    return failure("the store " + without_password(text) +
                   " is empty: import a document first, name another store, or serve it empty with --create");
  }
  return OpenStore{.url = std::move(*url), .store = std::move(*store), .empty = empty};
}

}  // namespace portail
