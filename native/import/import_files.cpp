#include "native/import/import_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/import/document_source.hpp"
#include "native/system/open_beneath.hpp"
#include "native/system/temporary_file.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

Descriptor open_directory(const fs::path& folder) {
  return Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::string open_error(int code) {
  if (code == ENOENT) return "no such file";
  if (code == EXDEV) return "a symbolic link points outside the folder";
  return std::strerror(code);
}

}  // namespace

std::expected<ImportFiles, Fault> ImportFiles::open(const std::string& source, const std::string& root,
                                                    const std::string& folder, std::uint64_t max_size) {
  const auto open_pipe = [&](int pipe, const std::string& name) -> std::expected<ImportFiles, Fault> {
    auto spool = TemporaryFile::create(folder);
    if (!spool) return failure(spool.error());
    const auto copied = copy_pipe(pipe, name, max_size, *spool);
    if (!copied) return failure(copied.error().message);
    return open(spool->release(), "-", root);
  };
  if (source == "-") return open_pipe(STDIN_FILENO, "standard input");
  Descriptor document(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  const bool is_directory = document && fstat(document.number(), &status) == 0 && S_ISDIR(status.st_mode);
  if (!document || is_directory) {
    return failure("cannot read the document " + source + ": " + read_error(is_directory ? EISDIR : errno));
  }
  if (!S_ISREG(status.st_mode)) return open_pipe(document.number(), source);
  return open(std::move(document), source, root);
}

std::expected<ImportFiles, Fault> ImportFiles::open(Descriptor document, const std::string& source,
                                                    const std::string& root) {
  struct stat status{};
  fstat(document.number(), &status);
  const bool is_file = source != "-" && !is_url(source);
  const fs::path folder = root.empty() && is_file ? fs::path(source).parent_path() / "." : fs::path(root);
  Descriptor directory = folder.empty() ? Descriptor(-1) : open_directory(folder);
  if (!directory && !folder.empty()) {
    return failure("cannot read the folder " + folder.string() + ": " + std::strerror(errno) +
                   "; give --root a folder");
  }
  return ImportFiles(std::move(document), std::move(directory), static_cast<std::uint64_t>(status.st_size));
}

Task<void> ImportFiles::rewind(Context&) {
  lseek(document_.number(), 0, SEEK_SET);
  co_return;
}

Task<std::optional<std::string_view>> ImportFiles::next(Context& context) {
  const ssize_t count = ::read(document_.number(), chunk_.data(), chunk_.size());
  if (count < 0) {
    context.log.warn("the document cannot be read", std::strerror(errno));
    co_return std::unexpected(Failure::unavailable);
  }
  if (count == 0) co_return std::nullopt;
  co_return std::string_view(chunk_.data(), static_cast<std::size_t>(count));
}

Task<std::expected<std::string, std::string>> ImportFiles::read_template(Context&, std::uint64_t, std::string_view path,
                                                                         std::size_t max_size) {
  co_return read_beneath_directory(path, max_size);
}

std::expected<std::string, std::string> ImportFiles::read_beneath_directory(std::string_view path,
                                                                            std::size_t max_size) const {
  if (!directory_) return std::unexpected("the folder of the template files is unknown: give --root");
  const auto file = open_beneath(directory_.number(), path);
  if (!file) return std::unexpected(open_error(file.error()));
  // Checks the open file, because its name may belong to another file now.
  struct stat status{};
  if (fstat(file->number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::unexpected("not a regular file");
  if (static_cast<std::uint64_t>(status.st_size) > max_size) {
    return std::unexpected("larger than " + std::to_string(max_size) + " bytes");
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file->number(), bytes.data() + done, bytes.size() - done);
    if (count <= 0) return std::unexpected(count == 0 ? "changed while it was read" : std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace portail
