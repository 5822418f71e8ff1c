// Opening a FolderStore, with one line of error for each reason why a folder is unsuitable.
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/folder_check.hpp"
#include "core/storage/folder/folder_store.hpp"
#include "core/storage/folder/primitives.hpp"

namespace portail {
namespace {

#ifdef __wasi__
constexpr std::string_view missing =
    " cannot be reached: it does not exist, or the host does not preopen it (wasmtime: --dir HOST::GUEST)";
#else
constexpr std::string_view missing = " does not exist: import a document into it first, or name another store";
#endif

std::unexpected<std::string> fault(const std::string& path, std::string_view what) {
  return std::unexpected(path + std::string(what));
}
std::unexpected<std::string> system_error(const std::string& path, std::string_view what, int code) {
  return std::unexpected(path + std::string(what) + std::strerror(code));
}

std::string parent_of(const std::string& folder) {
  const std::size_t end = folder.find_last_not_of('/');
  const std::size_t slash = end == std::string::npos ? end : folder.rfind('/', end);
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : folder.substr(0, slash);
}

std::expected<void, std::string> create_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) == 0) {
    // Otherwise the folder's name could be lost at a power loss, although its contents are durable.
    if (const Descriptor parent(::open(parent_of(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); parent) {
      fsync(parent.number());
    }
    return {};
  }
  if (errno == EEXIST) return {};
  if (errno == ENOENT) return fault(folder, " cannot be created: its parent folder does not exist: create it first");
  return system_error(folder, " cannot be created: ", errno);
}

bool is_writable([[maybe_unused]] int folder) {
#ifdef __wasi__
  return true;  // the host does not report it; the first write fails
#else
  return faccessat(folder, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0;
#endif
}

std::expected<void, std::string> check_file(int folder, const std::string& path, const std::string& file) {
  const auto found = stat_file(folder, file);
  if (!found) return system_error(path + '/' + file, " cannot be read: ", found.error().code);
  if (!*found) return {};  // removed since
  if ((*found)->kind != FileKind::regular) return fault(path + '/' + file, " is not a regular file: move it away");
  if ((*found)->size > max_value_size) {
    return fault(path + '/' + file, " is larger than any value: restore it from a backup, or move it away");
  }
  return {};
}

// Checks that `name` is a directory, not a symbolic link to one, or does not exist.
std::expected<void, std::string> check_writers(int folder, const std::string& path, const std::string& name) {
  const auto found = stat_file(folder, name);
  if (!found) return system_error(path + '/' + name, " cannot be read: ", found.error().code);
  if (!*found || (*found)->kind == FileKind::folder) return {};
  return fault(path + '/' + name, " is not a directory: move it away");
}

std::expected<void, std::string> check_files(int folder, const std::string& path) {
  const std::string writers(writers_folder);
  auto result = check_writers(folder, path, writers);
  if (result) result = check_writers(folder, path, writers + '/' + std::string(lease_name));
  if (!result) return result;
  const auto listed = list_folder(folder, ".", [&](std::string_view name) {
    if (key_of_file(name) || name == import_lock_name || name == revision_name)
      result = check_file(folder, path, std::string(name));
    return result.has_value();
  });
  if (!listed) return system_error(path, " cannot be read: ", listed.error().code);
  return result;
}

}  // namespace

std::expected<std::unique_ptr<FolderStore>, std::string> FolderStore::open(const std::string& folder,
                                                                           const FolderOptions& options,
                                                                           std::unique_ptr<RevisionReader> revisions) {
  if (options.create) {
    if (auto made = create_folder(folder); !made) return std::unexpected(made.error());
  }
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) {
    if (errno == ENOENT) return fault(folder, missing);
    if (errno == ENOTDIR) return fault(folder, " is not a folder: a dir: store is one, name another path");
    return system_error(folder, " cannot be opened: ", errno);
  }
  if (options.create) {
    if (!is_writable(opened.number())) {
      return system_error(folder, " must be readable and writable for this user: ", errno);
    }
    if (auto checked = check_is_store(opened.number(), folder); !checked) {
      return std::unexpected(checked.error());
    }
  }
  if (options.check_every_file) {
    if (auto checked = check_files(opened.number(), folder); !checked) return std::unexpected(checked.error());
  }
  return std::make_unique<FolderStore>(std::move(opened), options, std::move(revisions));
}

}  // namespace portail
