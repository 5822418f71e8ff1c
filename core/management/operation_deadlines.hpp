// Gives each operation of a store the time of one request, for requests that consist of many: an import, an export.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/storage/forwarding_store.hpp"

namespace portail {

class OperationDeadlines final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;
};

}  // namespace portail
