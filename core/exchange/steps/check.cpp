#include "core/exchange/steps/check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/text.hpp"
#include "core/exchange/document/document_stream.hpp"
#include "core/exchange/document/elements.hpp"
#include "core/exchange/steps/answer_sizes.hpp"
#include "core/exchange/steps/pruning.hpp"
#include "core/exchange/steps/references.hpp"
#include "core/exchange/steps/type_codes.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/portal/completion.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {
namespace {

constexpr std::string_view too_large_to_store = "too large: over 256 KiB when stored";
constexpr std::string_view id_occurs_twice = "duplicate id";

class DocumentCheck {
 public:
  DocumentCheck(ImportInput& input, const ImportOptions& options, Faults& faults, ImportReport& report,
                CheckedDocument& document)
      : input_(input), options_(options), faults_(faults), report_(report), document_(document) {}

  Task<void> element(Context& context, const Element& element) {
    const std::uint64_t faults_before = faults_.count();
    if (const StoredEntity* const found = stored_entity(element.section)) {
      co_await entity(*found, element);
    } else if (element.section == Section::mail_objects) {
      co_await mail_object(context, element);
    } else {
      grant(element);
    }
    if (faults_.count() != faults_before) faulty_[static_cast<std::size_t>(element.section)] = true;
  }

  // Checks the rules that need all elements.
  Task<void> finish(Context& context, KeyValueStore& store) {
    const StoredMailObjects stored = co_await read_mail_objects(context, store);
    check_small_sections(stored);
    // An element with faults has no known id, so references to it cannot be checked.
    if (!is_faulty(Section::mail_objects)) {
      check_lost_parts(stored);
      check_type_codes(document_, stored, options_, faults_);
      references_.check_mail_objects(document_, stored, options_, faults_);
    }
    if (!is_faulty(Section::third_parties)) {
      co_await references_.check_third_parties(context, store, document_, options_, faults_);
    }
    if (faults_.count() == 0) {
      answer_sizes_.check(document_, stored, faults_);
      co_await check_stored_answers(context, store, document_, stored, options_, faults_);
    }
    if (faults_.count() == 0) co_await check_removals(context, store, document_, stored, options_, faults_);
  }

 private:
  [[nodiscard]] bool is_faulty(Section section) const { return faulty_[static_cast<std::size_t>(section)]; }

  Task<void> mail_object(Context& context, const Element& element) {
    auto parsed = parse_mail_object(element, faults_);
    if (!parsed) co_return;
    const DocumentLocation location = element.location();
    DocumentMailObject object;
    object.object.fields = std::move(parsed->fields);
    object.configuration = parsed->configuration;
    object.index = element.index;
    if (auto& file = parsed->template_file) {
      const DocumentLocation file_location{&location, "fichierModele", {}};
      auto bytes = co_await input_.read_template(context, parsed->id, file->path, options_.max_template_size);
      if (bytes && bytes->empty()) bytes = std::unexpected("an empty file");
      if (bytes && bytes->size() > options_.max_template_size) {
        bytes = std::unexpected("larger than " + std::to_string(options_.max_template_size) + " bytes");
      }
      if (!bytes) {
        faults_.add({&file_location, "chemin", {}}, bytes.error());
        co_return;
      }
      object.object.template_file = {std::move(file->file_name), std::move(file->media_type), bytes->size(),
                                     lower_hex(blake2b(*bytes))};
      object.template_path = std::move(file->path);
    }
    const bool is_new = document_.mail_objects.try_emplace(parsed->id, std::move(object)).second;
    if (!is_new) faults_.add({&location, "id", {}}, id_occurs_twice);
  }

  Result<void> entity(const StoredEntity& entity, const Element& element) {
    const auto value = entity.parse(element, faults_);
    if (!value) return {};
    const auto ids = entity.ids(*value);
    if (!ids) return std::unexpected(ids.error());
    if (!ids->third_party.empty()) references_.add(entity, ids->third_party, element.index, document_);
    const DocumentLocation location = element.location();
    if (!document_.ids_of(entity.section).insert(IdSet::of(ids->id))) {
      faults_.add({&location, entity.id_name, {}}, id_occurs_twice);
    }
    std::size_t stored_size = value->size();
    if (entity.section == Section::bundles) {
      const auto checked = bundle(*value, element.index, location);
      if (!checked) return checked;
      constexpr std::size_t further_digits = 9;  // a count of deposits has at most ten, and one here
      stored_size += revision_size + further_digits;
    }
    if (stored_size > max_value_size) faults_.add(location, too_large_to_store);
    return {};
  }

  Result<void> bundle(std::string_view value, std::uint64_t index, const DocumentLocation& location) {
    const auto bundle = read_bundle(value);
    const auto pieces = bundle.and_then(pieces_of);
    if (!pieces) return std::unexpected(pieces.error());
    std::uint64_t piece_index = 0;
    for (const ExpectedPiece& piece : *pieces) {
      const DocumentLocation piece_location{&location, pieces_name, piece_index++};
      if (!pieces_.insert(IdSet::of_uuid(piece.id))) faults_.add({&piece_location, "id", {}}, id_occurs_twice);
      if (parse_piece_status(piece.status) == PieceStatus::unknown) count_unknown_status(report_, piece.status, 1);
    }
    references_.add(*pieces, index);
    answer_sizes_.add(*bundle, *pieces, index);
    return {};
  }

  void grant(const Element& element) {
    const auto grant = parse_grant(element, faults_);
    if (!grant) return;
    std::string line;
    append_grant(line, grant->permission, grant->kind, grant->name);
    if (grant_lines_.insert(line).second) document_.grants += line;
  }

  // A lost part of the catalogue is replaced only by all its mail objects, which the configurations name.
  void check_lost_parts(const StoredMailObjects& stored) {
    if (stored.missing.empty() || !document_.has(Section::mail_objects) || options_.prune) return;
    const auto is_configured = [&](const auto& object) { return stored.configurations.has(object.first); };
    const auto is_known = [&](std::uint64_t id) {
      return stored.objects.contains(id) || document_.mail_objects.contains(id);
    };
    if (std::ranges::all_of(stored.objects, is_configured) &&
        std::ranges::all_of(stored.configurations.ids(), is_known)) {
      return;
    }
    faults_.add({nullptr, name_of(Section::mail_objects), {}},
                "a stored value is missing: " + stored.missing.front() +
                    "; import the whole document, and if mail objects were removed from it, with --prune (over HTTP: "
                    "prune=true)");
  }

  // Checks the sections that are stored in one value.
  void check_small_sections(const StoredMailObjects& stored) {
    if (audit_line_size + document_.grants.size() > max_value_size) {
      faults_.add({nullptr, name_of(Section::grants), {}}, too_large_to_store);
    }
    Configurations configurations = stored.configurations;
    merge_configurations(document_.mail_objects, stored, options_, configurations);
    configurations.set_last_change({});
    if (audit_line_size + configurations.encode().size() > max_value_size) {
      faults_.add({nullptr, name_of(Section::mail_objects), {}}, "too many mail objects");
    }
  }

  ImportInput& input_;
  const ImportOptions& options_;
  Faults& faults_;
  ImportReport& report_;
  CheckedDocument& document_;
  References references_;
  AnswerSizes answer_sizes_;
  IdSet pieces_;
  std::set<std::string> grant_lines_;
  std::array<bool, section_names.size()> faulty_{};
};

}  // namespace

Task<CheckedDocument> check_document(Context& context, KeyValueStore& store, ImportInput& input,
                                     const ImportOptions& options, ImportProgress& progress, Faults& faults,
                                     ImportReport& report) {
  CheckedDocument document;
  DocumentCheck check(input, options, faults, report, document);
  DocumentStream stream(input, ImportPhase::checking, progress, faults);
  co_await stream.begin(context);
  bool is_complete = true;
  for (;;) {
    const std::uint64_t faults_before = faults.count();
    const auto element = co_await stream.next(context);
    is_complete = is_complete && faults.count() == faults_before;
    if (!element) break;
    co_await check.element(context, *element);
  }
  if (!is_complete) co_return document;
  for (const Section section : all_sections) {
    document.present[static_cast<std::size_t>(section)] = stream.has_section(section);
  }
  document.hash = stream.finish_hash();
  co_await check.finish(context, store);
  co_return document;
}

}  // namespace portail
