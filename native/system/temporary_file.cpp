#include "native/system/temporary_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "native/system/atomic_file.hpp"

namespace portail {
namespace {

constexpr std::size_t chunk_size = std::size_t{256} * 1024;

std::unexpected<std::string> folder_fault(const std::string& folder, int error) {
  return std::unexpected("cannot write to the folder " + folder + ": " + std::strerror(error) +
                         "; set TMPDIR to one that this user may write to, with enough space");
}

}  // namespace

std::string temporary_folder(const std::string& otherwise) {
  const char* folder = std::getenv("TMPDIR");
  if (folder && *folder) return folder;
  return otherwise.empty() ? "/tmp" : otherwise;
}

std::expected<Descriptor, std::string> create_temporary_file(const std::string& folder) {
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR)) {  // the file system gives each file a name
    std::string name = folder + "/~portail-XXXXXX";         // no key of a store in that folder
    file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
    if (file) unlink(name.c_str());
  }
  if (!file) return folder_fault(folder, errno);
  return file;
}

std::expected<TemporaryFile, std::string> TemporaryFile::create(const std::string& folder) {
  return create_temporary_file(folder).transform(
      [&folder](Descriptor&& file) { return TemporaryFile(std::move(file), folder); });
}

std::expected<void, std::string> TemporaryFile::append(std::string_view bytes) {
  if (const auto written = write_all(file_.number(), bytes); !written) {
    if (!truncate()) file_ = Descriptor(-1);
    return folder_fault(folder_, written.error());
  }
  size_ += bytes.size();
  return {};
}

std::expected<void, std::string> TemporaryFile::clear() {
  size_ = 0;
  return truncate();
}

std::expected<void, std::string> TemporaryFile::truncate() {
  const auto size = static_cast<off_t>(size_);
  if (ftruncate(file_.number(), size) == 0 && lseek(file_.number(), size, SEEK_SET) == size) return {};
  return folder_fault(folder_, errno);
}

std::expected<void, std::string> TemporaryFile::rewind() {
  if (lseek(file_.number(), 0, SEEK_SET) == 0) return {};
  return folder_fault(folder_, errno);
}

std::expected<std::string_view, std::string> TemporaryFile::next() {
  chunk_.resize(chunk_size);
  const ssize_t count = ::read(file_.number(), chunk_.data(), chunk_.size());
  if (count < 0) return std::unexpected("cannot read a temporary file in " + folder_ + ": " + std::strerror(errno));
  return std::string_view(chunk_.data(), static_cast<std::size_t>(count));
}

Descriptor TemporaryFile::release() {
  lseek(file_.number(), 0, SEEK_SET);
  chunk_ = {};
  return std::move(file_);
}

}  // namespace portail
