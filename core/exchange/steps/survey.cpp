#include "core/exchange/steps/survey.hpp"

#include "core/storage/key.hpp"

namespace portail {
namespace {

// Visits every value of one kind. `look` is called with the key and the value and answers a Result<void>.
template <class Look>
class Looker final : public Visitor {
 public:
  Looker(Look look, ImportProgress& progress, std::uint64_t& seen) : look_(look), progress_(progress), seen_(seen) {}

  bool visit(std::string_view key, std::string_view value) override {
    constexpr std::uint64_t between_reports = 1'000;
    outcome_ = look_(key, value);
    if (++seen_ % between_reports == 0) progress_.advance(ImportPhase::indexing, seen_);
    return outcome_.has_value();
  }
  [[nodiscard]] Result<void> outcome() const { return outcome_; }

 private:
  Look look_;
  ImportProgress& progress_;
  std::uint64_t& seen_;
  Result<void> outcome_;
};

}  // namespace

void Keys::add(std::string_view key) {
  lines_ += key;
  lines_ += '\n';
}

Task<void> Keys::remove(Context& context, Commit& commit) const {
  Lines keys(lines_);
  while (const auto key = keys.next()) {
    commit.remove(std::string(*key));
    co_await commit.write_if_full(context);
  }
  co_await commit.write(context);
}

Task<void> take_survey(Context& context, KeyValueStore& store, const CheckedDocument& document,
                       const ImportOptions& options, ImportProgress& progress, ImportReport& report, Survey& survey) {
  std::uint64_t seen = 0;
  const bool prunes_third_parties = options.prune && document.has(Section::third_parties);
  Looker third_parties(
      [&](std::string_view key, std::string_view value) -> Result<void> {
        const auto third_party = read_third_party(value);
        if (!third_party) return std::unexpected(third_party.error());
        if (prunes_third_parties && !document.third_parties.contains(IdSet::of(third_party->number))) {
          survey.departing_third_parties.add(key);
          options.note(Section::third_parties, ChangeKind::removed, third_party->number);
          ++report.third_parties.removed;
          return {};
        }
        return survey.index.add(*third_party);
      },
      progress, seen);
  co_await store.scan(context, third_party_prefix, third_parties);
  co_await third_parties.outcome();

  const bool prunes_bundles = options.prune && document.has(Section::bundles);
  Looker bundles(
      [&](std::string_view key, std::string_view value) -> Result<void> {
        const auto bundle = read_bundle(value);
        if (!bundle) return std::unexpected(bundle.error());
        if (prunes_bundles && !document.bundles.contains(IdSet::of(bundle->id))) {
          survey.departing_bundles.add(key);
          options.note(Section::bundles, ChangeKind::removed, bundle->id);
          ++report.bundles.removed;
        } else {
          survey.index.add(*bundle);
        }
        return {};
      },
      progress, seen);
  co_await store.scan(context, bundle_prefix, bundles);
  co_await bundles.outcome();
  progress.advance(ImportPhase::indexing, seen);
}

}  // namespace portail
