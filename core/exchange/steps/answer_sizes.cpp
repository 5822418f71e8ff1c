#include "core/exchange/steps/answer_sizes.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/exchange/scans.hpp"
#include "core/exchange/steps/pruning.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::string_view too_large_to_answer =
    "too large: its answer would exceed 1 MiB (with the texts of its mail objects)";

// The maximum size of member names, quotes, numbers, dates and the configuration around the values.
constexpr std::size_t bundle_overhead = 512;
constexpr std::size_t piece_overhead = 300;

template <class Record>
std::size_t size_of_strings(const Record& record) {
  std::size_t size = 0;
  for (const Field<Record>& field : fields_of<Record>) {
    if (is_string(field.form)) size += (record.*field.stored).size();
  }
  return size;
}

// The bundle's `erreur` repeats types and reasons.
std::size_t size_of(const OwnedMailObject& owned) {
  const MailObject object = owned.view();
  return size_of_strings(object) + object.type.size() +
         (object.template_file ? object.template_file->file_name.size() : 0);
}
std::size_t size_of(const Bundle& bundle) { return bundle_overhead + size_of_strings(bundle); }
std::size_t size_of(const ExpectedPiece& piece) {
  return piece_overhead + size_of_strings(piece) + piece.reason.size();
}

const OwnedMailObject* find(std::uint64_t id, const CheckedDocument& document, const StoredMailObjects& stored) {
  if (const auto found = document.mail_objects.find(id); found != document.mail_objects.end()) {
    return &found->second.object;
  }
  const auto found = stored.objects.find(id);
  return found == stored.objects.end() ? nullptr : &found->second;
}

bool enlarges_any(const CheckedDocument& document, const StoredMailObjects& stored) {
  return std::ranges::any_of(document.mail_objects, [&](const auto& entry) {
    const auto stored_object = stored.objects.find(entry.first);
    return stored_object != stored.objects.end() && size_of(entry.second.object) > size_of(stored_object->second);
  });
}

Result<void> check_stored_answer(const Bundle& bundle, const CheckedDocument& document, const StoredMailObjects& stored,
                                 Faults& faults) {
  if (document.ids_of(Section::bundles).contains(IdSet::of(bundle.id))) return {};
  std::size_t size = size_of(bundle);
  bool grows = false;
  const auto pieces = pieces_of(bundle);
  if (!pieces) return std::unexpected(pieces.error());
  for (const ExpectedPiece& piece : *pieces) {
    const OwnedMailObject* const object = find(piece.mail_object_id, document, stored);
    size += size_of(piece) + (object ? size_of(*object) : 0);
    const auto stored_object = stored.objects.find(piece.mail_object_id);
    grows =
        grows || (object && stored_object != stored.objects.end() && size_of(*object) > size_of(stored_object->second));
  }
  if (grows && size > max_bundle_answer_size) {
    faults.add({nullptr, name_of(Section::mail_objects), {}},
               "the stored bundle " + std::string(bundle.id) + " would be " + std::string(too_large_to_answer));
  }
  return {};
}

}  // namespace

void AnswerSizes::add(const Bundle& bundle, std::span<const ExpectedPiece> pieces, std::uint64_t index) {
  std::size_t base_size = size_of(bundle);
  for (const ExpectedPiece& piece : pieces) {
    base_size += size_of(piece);
    mail_objects_.push_back(number_of(piece.mail_object_id));
  }
  // The size fits into 32 bits: an element has at most 4 MiB.
  bundles_.push_back({index, static_cast<std::uint32_t>(base_size), static_cast<std::uint32_t>(pieces.size())});
}

std::uint32_t AnswerSizes::number_of(std::uint64_t mail_object) {
  return numbers_.try_emplace(mail_object, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

void AnswerSizes::check(const CheckedDocument& document, const StoredMailObjects& stored, Faults& faults) const {
  std::vector<std::size_t> sizes(numbers_.size());
  for (const auto& [id, number] : numbers_) {
    const OwnedMailObject* const object = find(id, document, stored);
    sizes[number] = object ? size_of(*object) : 0;
  }
  auto piece = mail_objects_.begin();
  for (const BundleSize& bundle : bundles_) {
    std::size_t size = bundle.base_size;
    for (std::uint32_t i = 0; i < bundle.pieces; ++i) size += sizes[*piece++];
    if (size > max_bundle_answer_size) {
      faults.add({nullptr, name_of(Section::bundles), bundle.index}, too_large_to_answer);
    }
  }
}

Task<void> check_stored_answers(Context& context, KeyValueStore& store, const CheckedDocument& document,
                                const StoredMailObjects& stored, const ImportOptions& options, Faults& faults) {
  const bool keeps_stored = !prunes(options, document, Section::bundles);
  if (!keeps_stored || !enlarges_any(document, stored)) co_return;
  co_await scan_entries(context, store, bundle_prefix, [&](std::string_view, std::string_view value) {
    return read_bundle(value).and_then(
        [&](const Bundle& bundle) { return check_stored_answer(bundle, document, stored, faults); });
  });
}

}  // namespace portail
