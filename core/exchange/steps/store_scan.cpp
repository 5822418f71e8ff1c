#include "core/exchange/steps/store_scan.hpp"

#include <cstddef>
#include <optional>

#include "core/exchange/scans.hpp"
#include "core/exchange/steps/pruning.hpp"

namespace portail {

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
  constexpr std::uint64_t progress_interval = 1'000;
  std::uint64_t visited = 0;
  for (std::size_t i = 0; i < stored_entities.size(); ++i) {
    const StoredEntity& entity = stored_entities[i];
    const bool removes = prunes(options, document, entity.section);
    co_await scan_entries(
        context, store, entity.prefix, [&](std::string_view key, std::string_view value) -> Result<void> {
          if (++visited % progress_interval == 0) progress.advance(ImportPhase::indexing, visited);
          const auto ids = removes ? entity.ids(value) : EntityIds();
          if (!ids) return std::unexpected(ids.error());
          if (!removes || document.ids_of(entity.section).contains(IdSet::of(ids->id))) {
            return store_scan.index.add(entity, value);
          }
          const auto found = entity.differences(value, std::nullopt);
          if (!found) return std::unexpected(found.error());
          options.report_change(
              {.section = entity.section, .kind = ChangeKind::removed, .entity = ids->id, .pieces = found->pieces});
          ++report.of(entity.section).removed;
          store_scan.removed[i].add(key);
          return {};
        });
  }
  progress.advance(ImportPhase::indexing, visited);
}

}  // namespace portail
