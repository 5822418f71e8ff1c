#include "core/exchange/steps/store_scan.hpp"

#include "core/exchange/result_visitor.hpp"
#include "core/exchange/steps/differences.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Visits the values of one kind. `on_value` is called with the key and the value, and returns a Result<void>.
template <class OnValue>
auto with_progress(OnValue on_value, ImportProgress& progress, std::uint64_t& visited) {
  return ResultVisitor([on_value, &progress, &visited](std::string_view key, std::string_view value) {
    constexpr std::uint64_t progress_interval = 1'000;
    const Result<void> outcome = on_value(key, value);
    if (++visited % progress_interval == 0) progress.advance(ImportPhase::indexing, visited);
    return outcome;
  });
}

}  // namespace

void KeyList::add(std::string_view key) {
  lines_ += key;
  lines_ += '\n';
}

Task<void> KeyList::remove(Context& context, Commit& commit) const {
  Lines keys(lines_);
  while (const auto key = keys.next()) {
    commit.remove(std::string(*key));
    co_await commit.write_if_full(context);
  }
  co_await commit.write(context);
}

Task<void> scan_store(Context& context, KeyValueStore& store, const CheckedDocument& document,
                      const ImportOptions& options, ImportProgress& progress, ImportReport& report,
                      StoreScan& store_scan) {
  std::uint64_t visited = 0;
  const bool prunes_third_parties = options.prune && document.has(Section::third_parties);
  auto third_parties = with_progress(
      [&](std::string_view key, std::string_view value) -> Result<void> {
        const auto third_party = read_third_party(value);
        if (!third_party) return std::unexpected(third_party.error());
        if (prunes_third_parties && !document.third_parties.contains(IdSet::of(third_party->number))) {
          store_scan.removed_third_parties.add(key);
          options.report_change(
              {.section = Section::third_parties, .kind = ChangeKind::removed, .entity = third_party->number});
          ++report.of(Section::third_parties).removed;
          return {};
        }
        return store_scan.index.add(*third_party);
      },
      progress, visited);
  co_await store.scan(context, third_party_prefix, third_parties);
  co_await third_parties.outcome();

  const bool prunes_bundles = options.prune && document.has(Section::bundles);
  auto bundles = with_progress(
      [&](std::string_view key, std::string_view value) -> Result<void> {
        const auto bundle = read_bundle(value);
        if (!bundle) return std::unexpected(bundle.error());
        if (prunes_bundles && !document.bundles.contains(IdSet::of(bundle->id))) {
          store_scan.removed_bundles.add(key);
          const auto pieces = piece_changes(&*bundle, nullptr);
          if (!pieces) return std::unexpected(pieces.error());
          options.report_change(
              {.section = Section::bundles, .kind = ChangeKind::removed, .entity = bundle->id, .pieces = *pieces});
          ++report.of(Section::bundles).removed;
        } else {
          store_scan.index.add(*bundle);
        }
        return {};
      },
      progress, visited);
  co_await store.scan(context, bundle_prefix, bundles);
  co_await bundles.outcome();
  progress.advance(ImportPhase::indexing, visited);
}

}  // namespace portail
