// The bytes of a mail object's template file, from the values that hold its parts, at most 256 KiB each. Belongs to one
// request.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/crypto/hash.hpp"
#include "core/http/chunk_source.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// `size` and `hash` as the catalogue has them. Nothing where the bytes are not those of the hash: on a store without
// snapshots an import may be replacing the file just now. One batch.
Task<std::optional<std::string>> read_template_file(Context& context, Session& session, std::uint64_t mail_object,
                                                    std::uint64_t size, std::string_view hash);

// The same, a part at a time, however long the file is. The session may have been released: each part is then of the
// state that is stored when the part is read. The last part is handed over once the hash of all is known to be right;
// otherwise the source fails with Failure::unavailable, and the client sees an answer that is not whole.
class TemplateFileSource final : public ChunkSource {
 public:
  TemplateFileSource(std::unique_ptr<Session> session, std::uint64_t mail_object, std::uint64_t size,
                     std::string_view hash)
      : session_(std::move(session)), mail_object_(mail_object), size_(size), hash_(hash) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override { return session_->copied(); }

 private:
  std::unique_ptr<Session> session_;  // keeps the parts that were handed over, where the store does
  std::uint64_t mail_object_;
  std::uint64_t size_;
  std::string hash_;
  Blake2b so_far_;
  std::uint32_t next_part_ = 0;
};

// How many values hold a file of that size.
constexpr std::uint32_t count_template_parts(std::uint64_t size) {
  return static_cast<std::uint32_t>((size + largest_value - 1) / largest_value);
}

}  // namespace portail
