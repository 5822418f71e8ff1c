#include "native/stores/spin_sqlite/spin_sqlite_scheme.hpp"

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "native/stores/folder_import_lock.hpp"
#include "native/stores/spin_sqlite/spin_sqlite_store.hpp"

namespace portail {
namespace {

struct SpinSqlitePlace {
  std::string_view file;
  std::string_view label = "default";  // Spin's own name for the store where none is named
};

SpinSqlitePlace split_place(std::string_view place) {
  constexpr std::string_view option = "?label=";
  const std::size_t at = place.rfind(option);
  if (at == std::string_view::npos) return {.file = place};
  return {.file = place.substr(0, at), .label = place.substr(at + option.size())};
}

}  // namespace

std::expected<void, std::string> check_spin_sqlite(std::string_view place) {
  const SpinSqlitePlace parts = split_place(place);
  if (!parts.file.empty() && !parts.label.empty()) return {};
  return std::unexpected(std::string("the store spin-sqlite: needs a ") + (parts.file.empty() ? "file" : "label") +
                         ": spin-sqlite:FILE[?label=LABEL]");
}

std::string_view file_of_spin_sqlite(std::string_view place) { return split_place(place).file; }

OpenedStore open_spin_sqlite(std::string_view place, StoreAccess access) {
  const SpinSqlitePlace parts = split_place(place);
  return SpinSqliteStore::open(parts.file, parts.label,
                               {.create = access == StoreAccess::fill || access == StoreAccess::create,
                                .read_only = access == StoreAccess::read || access == StoreAccess::check,
                                .check_every_page = access == StoreAccess::check});
}

std::expected<HeldImportLock, std::string> lock_spin_sqlite(std::string_view place) {
  const std::filesystem::path file = split_place(place).file;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return lock_folder_for_import(folder, file.filename().string() + ".import.lock");
}

}  // namespace portail
