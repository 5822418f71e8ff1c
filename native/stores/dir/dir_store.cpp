#include "native/stores/dir/dir_store.hpp"

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "native/system/folder_owner.hpp"

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

}  // namespace portail::dir
