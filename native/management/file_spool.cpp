#include "native/management/file_spool.hpp"

#include <cerrno>

#include <unistd.h>

#include "native/system/temporary_file.hpp"

namespace portail {
namespace {

constexpr std::size_t chunk_size = std::size_t{256} * 1024;

}  // namespace

Result<void> FileSpool::append(std::string_view bytes) {
  if (!file_ && size_ == 0) {
    auto created = create_temporary_file(folder_);
    if (!created) return failed(created.error());
    file_.reset(fdopen(created->number(), "w+b"));
    if (file_) created->release();
    // Without a buffer, the call that finds no space fails.
    if (file_) std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }
  if (!file_) return failed();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    auto failure = failed();
    // What was written of the bytes is cut off. The error would also end the reading.
    std::clearerr(file_.get());
    if (ftruncate(fileno(file_.get()), size_) != 0 || std::fseek(file_.get(), size_, SEEK_SET) != 0) file_.reset();
    return failure;
  }
  size_ += static_cast<long>(bytes.size());
  return {};
}

Result<void> FileSpool::rewind() {
  if (!file_ && size_ > 0) return failed();
  if (!file_) return {};
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0) return failed();
  return {};
}

Result<std::optional<std::string_view>> FileSpool::next() {
  if (!file_) return std::nullopt;
  chunk_.resize(chunk_size);
  const std::size_t count = std::fread(chunk_.data(), 1, chunk_.size(), file_.get());
  if (count == 0 && std::ferror(file_.get())) return failed();
  if (count == 0) return std::nullopt;
  return std::string_view(chunk_.data(), count);
}

std::unexpected<Failure> FileSpool::failed() const { return failed(folder_fault(folder_, errno)); }

std::unexpected<Failure> FileSpool::failed(const std::string& reason) const {
  log_.warn("the temporary file of a management request cannot be used", reason);
  return std::unexpected(Failure::unavailable);
}

}  // namespace portail
