#include "core/portal/visible_bundles.hpp"

#include <algorithm>
#include <optional>

#include "core/portal/batch.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Third parties by number (JSON strings), each read once.
class ThirdParties {
 public:
  void request(std::string_view number) { numbers_.push_back(number); }

  void add_to(Batch& batch) {
    std::ranges::sort(numbers_);
    const auto repeated = std::ranges::unique(numbers_);
    numbers_.erase(repeated.begin(), repeated.end());
    slots_.clear();
    for (const std::string_view number : numbers_) slots_.push_back(batch.add(third_party_key(unquoted(number))));
  }
  Result<void> load_from(const Batch& batch) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (const Value value = batch[slots_[i]]) {
        const auto third_party = read_third_party(*value);
        if (!third_party) return std::unexpected(third_party.error());
        found_.push_back(*third_party);
      }
    }
    numbers_.clear();
    std::ranges::sort(found_, {}, &ThirdParty::number);
    return {};
  }
  [[nodiscard]] const ThirdParty* find(std::string_view number) const {
    const auto third_party = std::ranges::lower_bound(found_, number, {}, &ThirdParty::number);
    return third_party != found_.end() && third_party->number == number ? &*third_party : nullptr;
  }

 private:
  std::vector<std::string_view> numbers_;
  std::vector<std::size_t> slots_;
  std::vector<ThirdParty> found_;
};

}  // namespace

Task<std::vector<VisibleBundle>> read_visible_bundles(Context& context, Session& session,
                                                      std::span<const IndexEntry> entries, Relation relation,
                                                      std::string_view person) {
  Batch batch;
  std::vector<std::size_t> slots;
  ThirdParties third_parties;
  batch.reserve(2 * entries.size());
  slots.reserve(entries.size());
  for (const IndexEntry& entry : entries) {
    slots.push_back(batch.add(bundle_key(unquoted(entry.bundle))));
    third_parties.request(entry.third_party);
  }
  third_parties.add_to(batch);
  co_await batch.fetch(context, session);
  co_await third_parties.load_from(batch);

  std::vector<VisibleBundle> visible;  // first all existing bundles; their third parties are set later
  visible.reserve(entries.size());
  bool index_is_stale = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Value value = batch[slots[i]];
    if (!value) continue;
    const Bundle bundle = co_await read_bundle(*value);
    if (bundle.id != entries[i].bundle) continue;
    if (bundle.third_party != entries[i].third_party && !third_parties.find(bundle.third_party)) {
      third_parties.request(bundle.third_party);
      index_is_stale = true;
    }
    visible.push_back({.bundle = bundle, .third_party = {}});
  }
  Batch second_batch;
  if (index_is_stale) {
    third_parties.add_to(second_batch);
    co_await second_batch.fetch(context, session);
    co_await third_parties.load_from(second_batch);
  }

  std::size_t visible_count = 0;
  for (const VisibleBundle& each : visible) {
    const ThirdParty* third_party = third_parties.find(each.bundle.third_party);
    if (third_party && has_relation(*third_party, relation, person))
      visible[visible_count++] = {each.bundle, *third_party};
  }
  visible.resize(visible_count);
  co_return visible;
}

}  // namespace portail
