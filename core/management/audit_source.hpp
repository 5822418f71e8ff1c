// The records of the audit as JSON lines, pulled: for answers whose client reads slowly. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/audit/audit_filter.hpp"
#include "core/exchange/scans.hpp"
#include "core/http/response.hpp"
#include "core/management/call.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Returns the records that the filter selects, as stored, oldest change first; those that read_audit_trail visits. If
// there are hidden ones, a last line has their number: {"hidden":1}.
class AuditSource final : public ChunkSource {
 public:
  // `store` must outlive this.
  AuditSource(KeyValueStore& store, AuditFilter filter) : store_(store), filter_(std::move(filter)) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override { return chunk_.size() + keys_.occupied(); }

 private:
  KeyValueStore& store_;
  AuditFilter filter_;
  bool is_begun_ = false;
  KeyBatches keys_;
  std::uint64_t hidden_ = 0;
  std::string chunk_;
};

// The filters of GET /manage/audit.
inline constexpr std::array<std::string_view, 7> audit_parameters{"since",  "until",         "subject", "client",
                                                                  "action", "correlationId", "object"};
Task<Response> get_audit(Context& context, const ManagementCall& call);

}  // namespace portail
