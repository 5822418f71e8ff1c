#include "native/commands/import_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

#include "native/system/open_beneath.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

// Copies standard input to a temporary file, because an import reads it twice.
std::FILE* spool_standard_input() {
  std::FILE* spool = std::tmpfile();
  if (!spool) return nullptr;
  std::vector<char> chunk(std::size_t{64} * 1024);
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), stdin)) {
    if (std::fwrite(chunk.data(), 1, count, spool) != count) break;
  }
  if (std::ferror(stdin) || std::fflush(spool) != 0 || std::ferror(spool)) {
    std::fclose(spool);
    return nullptr;
  }
  return spool;
}

Descriptor open_directory(const fs::path& folder) {
  return Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::string open_error(int code) {
  if (code == ENOENT) return "no such file";
  if (code == EXDEV) return "a symbolic link points outside the folder";
  return std::strerror(code);
}

}  // namespace

std::expected<ImportFiles, Fault> ImportFiles::open(const std::string& document, const std::string& root) {
  const bool standard_input = document == "-";
  File file(standard_input ? spool_standard_input() : std::fopen(document.c_str(), "rb"));
  struct stat status{};
  if (file && fstat(fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    file.reset();
  }
  if (!file) {
    return failure("cannot read the document " + (standard_input ? "from standard input" : document) + ": " +
                   std::strerror(errno));
  }
  if (!root.empty()) return open(std::move(file), root);
  return open(std::move(file), standard_input ? fs::path() : fs::path(document).parent_path() / ".");
}

std::expected<ImportFiles, Fault> ImportFiles::open(Descriptor document, const std::string& root) {
  File file(fdopen(document.number(), "rb"));
  if (!file) return failure(std::string("cannot read the document: ") + std::strerror(errno));
  document.release();
  return open(std::move(file), fs::path(root));
}

std::expected<ImportFiles, Fault> ImportFiles::open(File file, const fs::path& folder) {
  struct stat status{};
  fstat(fileno(file.get()), &status);
  Descriptor directory = folder.empty() ? Descriptor(-1) : open_directory(folder);
  if (!directory && !folder.empty()) {
    return failure("cannot read the folder " + folder.string() + ": " + std::strerror(errno) +
                   "; give --root a folder");
  }
  return ImportFiles(std::move(file), std::move(directory), static_cast<std::uint64_t>(status.st_size));
}

Task<void> ImportFiles::rewind(Context&) {
  std::rewind(file_.get());
  co_return;
}

Task<std::optional<std::string_view>> ImportFiles::next(Context& context) {
  const std::size_t count = std::fread(chunk_.data(), 1, chunk_.size(), file_.get());
  if (count == 0 && std::ferror(file_.get())) {
    context.log.warn("the document cannot be read", std::strerror(errno));
    co_return std::unexpected(Failure::unavailable);
  }
  if (count == 0) co_return std::nullopt;
  co_return std::string_view(chunk_.data(), count);
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
