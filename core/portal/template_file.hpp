// Reads the bytes of a mail object's template file from its parts, at most 256 KiB each. Belongs to one request.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/crypto/hash.hpp"
#include "core/http/request.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Reads the file in one batch. `size` and `hash` are those of the catalogue. Returns nullopt if the bytes do not match
// the hash: on a store without snapshots an import may be replacing the file.
Task<std::optional<std::string>> read_template_file(Context& context, Session& session, std::uint64_t mail_object,
                                                    std::uint64_t size, std::string_view hash);

// Streams the file part by part. The session may be released: each part is then read from the current state. The last
// part is returned after the hash of all parts was verified; otherwise the source fails with Failure::unavailable, and
// the client receives an incomplete answer.
class TemplateFileSource final : public ChunkSource {
 public:
  TemplateFileSource(std::unique_ptr<Session> session, std::uint64_t mail_object, std::uint64_t size,
                     std::string_view hash)
      : session_(std::move(session)), mail_object_(mail_object), size_(size), hash_(hash) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override { return session_->copied_bytes(); }

 private:
  std::unique_ptr<Session> session_;  // holds the returned parts, on stores whose sessions do
  std::uint64_t mail_object_;
  std::uint64_t size_;
  std::string hash_;
  Blake2b hash_state_;
  std::uint32_t next_part_ = 0;
};

// Returns the number of values that a file of `size` bytes has.
constexpr std::uint32_t count_template_parts(std::uint64_t size) {
  return static_cast<std::uint32_t>((size + max_value_size - 1) / max_value_size);
}

}  // namespace portail
