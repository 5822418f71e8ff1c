#include "native/stores/spin_sqlite/spin_sqlite_scheme.hpp"

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "native/stores/folder_import_lock.hpp"
#include "native/stores/spin_sqlite/spin_sqlite_store.hpp"

namespace portail::spin_sqlite {
namespace {

struct Location {
  std::string_view file;
  std::string_view label = "default";  // Spin's default
};

Location split_location(std::string_view location) {
  constexpr std::string_view option = "?label=";
  const std::size_t at = location.rfind(option);
  if (at == std::string_view::npos) return {.file = location};
  return {.file = location.substr(0, at), .label = location.substr(at + option.size())};
}

}  // namespace

std::expected<void, std::string> check_location(std::string_view location) {
  const Location parts = split_location(location);
  if (!parts.file.empty() && !parts.label.empty()) return {};
  return std::unexpected(std::string("the store spin-sqlite: needs a ") + (parts.file.empty() ? "file" : "label") +
                         ": spin-sqlite:FILE[?label=LABEL]");
}

std::string_view file_of(std::string_view location) { return split_location(location).file; }

OpenedStore open_store(std::string_view location, StoreAccess access) {
  const Location parts = split_location(location);
  return Store::open(parts.file, parts.label,
                     {.create = access == StoreAccess::fill || access == StoreAccess::create,
                      .read_only = access == StoreAccess::read || access == StoreAccess::check,
                      .check_every_page = access == StoreAccess::check});
}

std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location) {
  const std::filesystem::path file = split_location(location).file;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return acquire_folder_import_lock(folder, file.filename().string() + ".import.lock");
}

}  // namespace portail::spin_sqlite
