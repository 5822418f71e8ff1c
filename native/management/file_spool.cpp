#include "native/management/file_spool.hpp"

namespace portail {

Result<void> FileSpool::append(std::string_view bytes) {
  if (!file_) {
    auto created = TemporaryFile::create(folder_);
    if (!created) return failed(created.error());
    file_ = std::move(*created);
  }
  if (const auto added = file_->append(bytes); !added) return failed(added.error());
  return {};
}

Result<void> FileSpool::rewind() {
  if (!file_) return {};
  if (const auto rewound = file_->rewind(); !rewound) return failed(rewound.error());
  return {};
}

Result<std::optional<std::string_view>> FileSpool::next() {
  if (!file_) return std::nullopt;
  const auto bytes = file_->next();
  if (!bytes) return failed(bytes.error());
  if (bytes->empty()) return std::nullopt;
  return *bytes;
}

std::unexpected<Failure> FileSpool::failed(const std::string& reason) const {
  log_.warn("the temporary file of a management request cannot be used", reason);
  return std::unexpected(Failure::unavailable);
}

}  // namespace portail
