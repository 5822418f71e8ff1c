#include "core/exchange/steps/entities.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exchange/document/document_stream.hpp"
#include "core/exchange/document/elements.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/steps/differences.hpp"
#include "core/exchange/steps/stored_forms.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// A batch of entities that is compared with the store and committed together.
class EntityBatch {
 public:
  EntityBatch(KeyValueStore& store, const ImportOptions& options, ImportReport& report)
      : store_(store), options_(options), report_(report), commit_(store, options.dry_run) {}

  void add(ThirdPartyElement third_party, std::size_t bytes) {
    third_parties_.push_back(std::move(third_party));
    bytes_ += bytes;
  }
  void add(BundleElement bundle, std::size_t bytes) {
    bundles_.push_back(std::move(bundle));
    bytes_ += bytes;
  }
  [[nodiscard]] bool is_full() const {
    return third_parties_.size() + bundles_.size() >= max_entities_per_commit || bytes_ >= max_bytes_per_commit;
  }

  Task<void> write(Context& context) {
    std::vector<std::string> keys;
    for (const ThirdPartyElement& third_party : third_parties_) keys.push_back(third_party_key(third_party.raw_number));
    for (const BundleElement& bundle : bundles_) keys.push_back(bundle_key(bundle.raw_id));
    if (keys.empty()) co_return;
    {
      const std::vector<std::string_view> key_views(keys.begin(), keys.end());
      std::vector<Value> values(keys.size());
      const std::unique_ptr<Session> session = co_await store_.open(context);
      co_await session->get(context, key_views, values);

      std::size_t i = 0;
      for (const ThirdPartyElement& third_party : third_parties_) {
        std::string new_value = stored_form(third_party);
        co_await report_change<read_third_party>(Section::third_parties, third_party.number, values[i], new_value);
        put(std::move(keys[i]), values[i], std::move(new_value), report_.third_parties);
        ++i;
      }
      for (const BundleElement& bundle : bundles_) {
        std::optional<Bundle> stored;
        if (values[i]) stored = co_await read_bundle(*values[i]);
        const std::uint64_t new_deposits = co_await count_new_deposits(bundle, stored);
        const std::uint64_t deposits = (stored ? stored->deposits : 0) + new_deposits;
        report_.deposits += new_deposits;
        std::string new_value = stored_form(bundle, deposits);
        co_await report_change<read_bundle>(Section::bundles, bundle.id, values[i], new_value);
        put(std::move(keys[i]), values[i], std::move(new_value), report_.bundles);
        ++i;
      }
    }
    co_await commit_.write(context);
    third_parties_.clear();
    bundles_.clear();
    bytes_ = 0;
  }

 private:
  // Reports the change of an entity if options.change_listener is set; `read` decodes a value of its kind.
  template <auto read>
  Result<void> report_change(Section section, std::string_view entity, const Value& stored,
                             std::string_view new_value) {
    if (!options_.change_listener || stored == new_value) return {};
    const auto after = read(new_value);
    if (!after) return std::unexpected(after.error());
    std::remove_cvref_t<decltype(*after)> before;
    if (stored) {
      auto read_before = read(*stored);
      if (!read_before) return std::unexpected(read_before.error());
      before = std::move(*read_before);
    }
    const auto pieces = changed_pieces(stored ? &before : nullptr, *after);
    if (!pieces) return std::unexpected(pieces.error());
    options_.report_change({.section = section,
                            .kind = stored ? ChangeKind::changed : ChangeKind::added,
                            .entity = entity,
                            .members = stored ? differences(before, *after) : MemberNames(),
                            .pieces = *pieces});
    return {};
  }
  static Result<std::vector<PieceChange>> changed_pieces(const Bundle* before, const Bundle& after) {
    return piece_changes(before, &after);
  }
  static Result<std::vector<PieceChange>> changed_pieces(const ThirdParty*, const ThirdParty&) { return {}; }

  void put(std::string key, const Value& stored, std::string value, SectionReport& section) {
    if (stored == value) {
      ++section.unchanged;
      return;
    }
    ++(stored ? section.changed : section.added);
    commit_.put(std::move(key), std::move(value));
  }

  KeyValueStore& store_;
  const ImportOptions& options_;
  ImportReport& report_;
  Commit commit_;
  std::vector<ThirdPartyElement> third_parties_;
  std::vector<BundleElement> bundles_;
  std::size_t bytes_ = 0;
};

}  // namespace

Task<void> write_entities(Context& context, KeyValueStore& store, ImportInput& input, const ImportOptions& options,
                          ImportProgress& progress, const Hash16& checked_hash, Faults& faults, ImportReport& report) {
  EntityBatch batch(store, options, report);
  Faults new_faults;
  DocumentStream stream(input, ImportPhase::writing, progress, new_faults);
  co_await stream.begin(context);
  while (const auto element = co_await stream.next(context)) {
    if (element->section == Section::third_parties) {
      if (auto third_party = parse_third_party(*element, new_faults)) {
        batch.add(std::move(*third_party), element->text.size());
      }
    } else if (element->section == Section::bundles) {
      if (auto bundle = parse_bundle(*element, new_faults)) batch.add(std::move(*bundle), element->text.size());
    }
    if (new_faults.count() > 0) break;
    if (batch.is_full()) co_await batch.write(context);
  }
  co_await batch.write(context);
  if (new_faults.count() > 0 || stream.finish_hash() != checked_hash) {
    faults.add({nullptr, "document", {}}, "it changed while it was being imported; import it again");
  }
}

}  // namespace portail
