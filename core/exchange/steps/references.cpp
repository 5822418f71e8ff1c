#include "core/exchange/steps/references.hpp"

#include <span>

#include "core/exchange/steps/pruning.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::size_t max_keys_per_batch = 1'000;

}  // namespace

void References::add(const StoredEntity& entity, std::string_view third_party, std::uint64_t index,
                     const CheckedDocument& document) {
  const IdSet::Id id = IdSet::of(third_party);
  if (!document.ids_of(Section::third_parties).contains(id) && seen_third_parties_.insert(id)) {
    third_parties_.push_back({std::string(third_party), &entity, index});
  }
}

void References::add(std::span<const ExpectedPiece> pieces, std::uint64_t index) {
  std::uint64_t piece_index = 0;
  for (const ExpectedPiece& piece : pieces) {
    mail_objects_.try_emplace(piece.mail_object_id, PiecePosition{index, piece_index++});
  }
}

void References::check_mail_objects(const CheckedDocument& document, const StoredMailObjects& stored,
                                    const ImportOptions& options, Faults& faults) const {
  const bool keeps_stored = !prunes(options, document, Section::mail_objects);
  for (const auto& [id, at] : mail_objects_) {
    if (document.mail_objects.contains(id) || (keeps_stored && stored.has(id))) continue;
    const DocumentLocation bundle{nullptr, name_of(Section::bundles), at.bundle};
    const DocumentLocation piece{&bundle, pieces_name, at.piece};
    faults.add({&piece, "objetCourrier", {}}, "no mail object has the id " + std::to_string(id));
  }
}

Task<void> References::check_third_parties(Context& context, KeyValueStore& store, const CheckedDocument& document,
                                           const ImportOptions& options, Faults& faults) const {
  const IdSet& third_parties = document.ids_of(Section::third_parties);
  std::vector<const ThirdPartyReference*> unresolved;
  for (const ThirdPartyReference& reference : third_parties_) {
    if (!third_parties.contains(IdSet::of(reference.number))) unresolved.push_back(&reference);
  }
  const bool keeps_stored = !prunes(options, document, Section::third_parties);
  for (std::size_t start = 0; start < unresolved.size(); start += max_keys_per_batch) {
    const auto batch = std::span(unresolved).subspan(start, std::min(max_keys_per_batch, unresolved.size() - start));
    std::vector<Value> values(batch.size());
    std::unique_ptr<Session> session;
    if (keeps_stored) {
      std::vector<std::string> keys;
      for (const ThirdPartyReference* reference : batch) keys.push_back(third_party_key(unquoted(reference->number)));
      const std::vector<std::string_view> key_views(keys.begin(), keys.end());
      session = co_await store.open(context);
      co_await session->get(context, key_views, values);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (values[i]) continue;
      const StoredEntity& entity = *batch[i]->entity;
      const DocumentLocation element{nullptr, name_of(entity.section), batch[i]->index};
      faults.add({&element, entity.reference_name, {}},
                 "no third party has the number " + in_quotes(unquoted(batch[i]->number)));
    }
  }
}

}  // namespace portail
