#include "core/exchange/contents.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "core/auth/grants.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

class CountingVisitor final : public Visitor {
 public:
  bool visit(std::string_view /*key*/, std::string_view /*value*/) override {
    ++count_;
    return true;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

Task<std::uint64_t> count_keys(Context& context, KeyValueStore& store, std::string_view prefix) {
  CountingVisitor visitor;
  co_await store.scan(context, prefix, visitor);
  co_return visitor.count();
}

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
  contents.third_parties = co_await count_keys(context, store, third_party_prefix);
  contents.bundles = co_await count_keys(context, store, bundle_prefix);
  contents.grants = co_await count_grants(context, store);
  contents.audit_records = co_await count_keys(context, store, audit_prefix);
  co_return contents;
}

}  // namespace portail
