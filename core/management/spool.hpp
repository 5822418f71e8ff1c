// Bytes that are written once and then read from the beginning, as often as needed: the document of an import, and the
// changes that it reports. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/http/request.hpp"

namespace portail {

class Spool {
 public:
  virtual ~Spool() = default;
  // Adds bytes at the end; only before the first rewind. Failure::unavailable: there is no space, and nothing is added.
  virtual Result<void> append(std::string_view bytes) = 0;
  virtual Result<void> rewind() = 0;
  // Returns the next bytes, at least one, valid until the next call; nullopt at the end.
  virtual Result<std::optional<std::string_view>> next() = 0;
};

// In memory, for hosts without files.
class MemorySpool final : public Spool {
 public:
  Result<void> append(std::string_view bytes) override;
  Result<void> rewind() override;
  Result<std::optional<std::string_view>> next() override;

 private:
  std::vector<std::string> pieces_;  // so that growing copies nothing
  std::size_t next_ = 0;
};

// The rest of a spool, and then `end`, as the body of an answer.
class SpoolSource final : public ChunkSource {
 public:
  SpoolSource(std::unique_ptr<Spool> spool, std::string end) : spool_(std::move(spool)), end_(std::move(end)) {}
  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override { return end_.size(); }

 private:
  std::unique_ptr<Spool> spool_;  // null after its end
  std::string end_;
  bool is_ended_ = false;
};

}  // namespace portail
