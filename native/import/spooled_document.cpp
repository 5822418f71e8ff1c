#include "native/import/spooled_document.hpp"

#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include <unistd.h>

#include "core/base/hexadecimal.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/temporary_file.hpp"

namespace portail {

std::expected<SpooledDocument, std::string> SpooledDocument::create(const std::string& folder) {
  auto file = create_temporary_file(folder);
  if (!file) return std::unexpected(std::move(file.error()));
  return SpooledDocument(std::move(*file), folder);
}

SpooledDocument::SpooledDocument(Descriptor file, std::string folder)
    : file_(std::move(file)), folder_(std::move(folder)) {
  crypto_hash_sha256_init(&hash_);
}

bool SpooledDocument::append(std::string_view bytes) {
  const auto written = write_all(file_.number(), bytes);
  if (!written) return set_error(written.error());
  size_ += bytes.size();
  crypto_hash_sha256_update(&hash_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return true;
}

bool SpooledDocument::clear() {
  if (ftruncate(file_.number(), 0) != 0 || lseek(file_.number(), 0, SEEK_SET) != 0) return set_error(errno);
  size_ = 0;
  crypto_hash_sha256_init(&hash_);
  return true;
}

bool SpooledDocument::set_error(int error) {
  error_ = folder_fault(folder_, error);
  return false;
}

std::string SpooledDocument::finish() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256_final(&hash_, hash.data());
  return lower_hex(std::as_bytes(std::span(hash)));
}

Descriptor SpooledDocument::release() {
  lseek(file_.number(), 0, SEEK_SET);
  return std::move(file_);
}

}  // namespace portail
