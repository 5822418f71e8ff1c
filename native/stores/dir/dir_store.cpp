#include "native/stores/dir/dir_store.hpp"

#include <cerrno>
#include <cstring>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/folder_store.hpp"
#include "core/storage/key.hpp"
#include "native/stores/folder_use.hpp"
#include "native/system/atomic_file.hpp"

namespace portail::dir {
namespace {

Result<void> refuse_if(Context& context, const std::optional<std::string>& fault) {
  if (!fault) return {};
  log_replaced(context, *fault);
  return std::unexpected(Failure::unavailable);
}

}  // namespace

Task<std::unique_ptr<Session>> Store::open(Context& context) {
  co_await check_path(context);
  co_return co_await target().open(context);
}

Task<void> Store::write(Context& context, std::span<const Change> changes) {
  co_await check_path(context);
  const FolderOwner owner(folder_.path());
  co_await target().write(context, changes);
  co_await refuse_if(context, folder_.fault());
}

Task<bool> Store::compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  co_await check_path(context);
  const FolderOwner owner(folder_.path());
  const bool swapped = co_await target().compare_and_swap(context, key, expected, desired);
  co_await refuse_if(context, folder_.fault());
  co_return swapped;
}

Task<void> Store::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  co_await check_path(context);
  co_await target().scan(context, prefix, visitor);
}

Result<void> Store::check_path(Context& context) {
  const std::lock_guard lock(mutex_);
  return refuse_if(context, replacement_.fault(context, [this] { return folder_.fault(); }));
}

namespace {

std::unexpected<std::string> cannot_be_locked(std::string_view folder, int code) {
  return std::unexpected(std::string(folder) + " cannot be locked: " + std::strerror(code));
}

}  // namespace

OpenedStore open_store(std::string_view folder, StoreAccess access) {
  const bool writes = access != StoreAccess::read && access != StoreAccess::check;
  const FolderOwner owner(folder);
  const std::string first_file(format_key);
  if (auto checked = check_owner(folder, first_file.c_str()); !checked) return std::unexpected(checked.error());
  std::error_code ignored;  // FolderStore::open reports the error
  const bool may_create = access != StoreAccess::serve || std::filesystem::exists(folder, ignored);
  auto store = FolderStore::open(
      std::string(folder),
      {.create = writes && may_create, .read_only = !writes, .check_every_file = access == StoreAccess::check});
  if (!store) return std::unexpected(store.error());
  if (const int code = mark_folder_used((*store)->folder())) return cannot_be_locked(folder, code);
  struct stat opened{};
  if (fstat((*store)->folder(), &opened) != 0) return cannot_be_locked(folder, errno);
  return std::make_unique<Store>(std::move(*store), std::string(folder), opened);
}

std::expected<bool, std::string> is_shared(KeyValueStore& store) {
  const auto used = is_folder_used(static_cast<Store&>(store).folder());
  if (!used) return cannot_be_locked("the folder", used.error());
  return *used;
}

std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view folder) {
  return acquire_folder_import_lock(folder, import_lock_name);
}

CacheCounts cache_counts(KeyValueStore& store) { return static_cast<Store&>(store).cache_counts(); }

}  // namespace portail::dir
