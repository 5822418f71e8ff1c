#include "core/exchange/contents.hpp"

#include <algorithm>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/auth/grants.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

using IsIntact = bool (*)(std::string_view value);

// Counts the values until one is damaged.
class CountingVisitor final : public Visitor {
 public:
  explicit CountingVisitor(IsIntact is_intact) : is_intact_(is_intact) {}
  bool visit(std::string_view key, std::string_view value) override {
    ++count_;
    if (is_intact_(value)) return true;
    damaged_key_ = key;
    return false;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Empty: no value is damaged.
  [[nodiscard]] const std::string& damaged_key() const { return damaged_key_; }

 private:
  IsIntact is_intact_;
  std::uint64_t count_ = 0;
  std::string damaged_key_;
};

Task<std::uint64_t> count_values(Context& context, KeyValueStore& store, std::string_view prefix, IsIntact is_intact) {
  CountingVisitor visitor(is_intact);
  co_await store.scan(context, prefix, visitor);
  if (!visitor.damaged_key().empty()) {
    context.log.warn("a stored value is damaged", visitor.damaged_key());
    co_await std::unexpected(Failure::corrupt);
  }
  co_return visitor.count();
}

bool is_intact_third_party(std::string_view value) { return read_third_party(value).has_value(); }
bool is_any_value(std::string_view /*value*/) { return true; }

Task<std::uint64_t> count_grants(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  const AuditedValue audited = co_await read_stored_grants(context, *session);
  const Grants grants = co_await Grants::parse(audited.content);
  std::uint64_t count = 0;
  grants.for_each([&count](Permission, GrantKind, std::string_view) { ++count; });
  co_return count;
}

}  // namespace

Task<StoreContents> count_contents(Context& context, KeyValueStore& store) {
  StoreContents contents;
  const StoredMailObjects stored = co_await read_mail_objects(context, store);
  contents.mail_objects = stored.objects.size();
  contents.template_files = static_cast<std::uint64_t>(
      std::ranges::count_if(stored.objects, [](const auto& entry) { return entry.second.template_file.has_value(); }));
  contents.shared_type_codes = shared_type_codes(stored);
  contents.third_parties = co_await count_values(context, store, third_party_prefix, is_intact_third_party);
  contents.bundles = co_await count_values(context, store, bundle_prefix, is_intact_bundle);
  contents.grants = co_await count_grants(context, store);
  contents.audit_records = co_await count_values(context, store, audit_prefix, is_any_value);
  co_return contents;
}

}  // namespace portail
