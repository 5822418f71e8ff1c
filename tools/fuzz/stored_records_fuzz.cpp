// Reads arbitrary bytes as stored records. A record is either rejected as corrupt, or encodes to an equal record.
#include <algorithm>
#include <string>
#include <vector>

#include "core/audit/record_hash.hpp"
#include "core/audit/trail.hpp"
#include "core/audit/verification.hpp"
#include "core/json/utf8.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/format.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

// All items of a reader; nullopt if it finds damage.
template <class Item, class Reader>
std::optional<std::vector<Item>> all_of(Reader reader) {
  std::vector<Item> items;
  while (true) {
    const auto next = reader.next();
    if (!next) return std::nullopt;
    if (!*next) return items;
    items.push_back(**next);
  }
}

template <class Record>
bool same_fields(const Record& a, const Record& b) {
  return std::ranges::all_of(fields_of<Record>,
                             [&](const Field<Record>& field) { return a.*field.stored == b.*field.stored; });
}

void fuzz_bundle(std::string_view value) {
  const auto bundle = read_bundle(value);
  if (!bundle) return;
  const auto pieces = all_of<ExpectedPiece>(Pieces(*bundle));
  if (!pieces) return;
  const std::string written = encode_bundle(*bundle);
  const auto again = read_bundle(written);
  check(again.has_value(), "a bundle that was read reads again");
  check(again->deposits == bundle->deposits && again->instant == bundle->instant && same_fields(*again, *bundle),
        "and means the same");
  const auto same_pieces = all_of<ExpectedPiece>(Pieces(*again));
  check(same_pieces && std::ranges::equal(*same_pieces, *pieces, same_fields<ExpectedPiece>), "with the same pieces");
  const BundleSortKey key = bundle_sort_key(bundle->instant, bundle->id);
  check(!precedes(key, key), "no bundle precedes itself");
}

bool same_entry(const IndexEntry& a, const IndexEntry& b) { return a.id == b.id && a.third_party == b.third_party; }

void fuzz_index(std::string_view value) {
  if (!count_index_parts(value)) return;
  const auto entries = all_of<IndexEntry>(IndexEntries(0, value));
  if (!entries) return;
  const std::vector<std::string> written = encode_index("\"person\"", *entries);
  check(count_index_parts(written.front()) == written.size(), "an index counts its parts");
  std::vector<IndexEntry> again;
  for (std::size_t part = 0; part < written.size(); ++part) {
    const auto read = all_of<IndexEntry>(IndexEntries(part, written[part]));
    check(read.has_value(), "an index that was read reads again");
    again.insert(again.end(), read->begin(), read->end());
  }
  check(std::ranges::equal(again, *entries, same_entry), "and means the same");
}

bool same_object(const MailObject& a, const MailObject& b) {
  if (a.id != b.id || a.type != b.type || a.description != b.description) return false;
  if (a.template_file.has_value() != b.template_file.has_value()) return false;
  return !a.template_file ||
         (a.template_file->file_name == b.template_file->file_name &&
          a.template_file->media_type == b.template_file->media_type &&
          a.template_file->size == b.template_file->size && a.template_file->hash == b.template_file->hash);
}

std::optional<std::vector<MailObject>> all_objects(const Catalogue& catalogue) {
  std::vector<MailObject> objects;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const auto object = catalogue.at(i);
    if (!object) return std::nullopt;
    objects.push_back(*object);
  }
  return objects;
}

void fuzz_catalogue(std::string_view value) {
  if (const auto summary = read_catalogue_summary(value)) {
    const std::size_t part = summary->part_of(1);
    check(part == 0 || part < summary->parts.size(), "a part that there is");
  }
  Catalogue catalogue;
  if (!catalogue.add_part(0, value)) return;
  [[maybe_unused]] const auto found = catalogue.find(1);
  const auto objects = all_objects(catalogue);
  if (!objects) return;
  const std::vector<std::string> written = encode_catalogue(*objects);
  const auto summary = read_catalogue_summary(written.front());
  check(summary && summary->total == objects->size(), "a catalogue counts its mail objects");
  Catalogue again;
  for (std::size_t part = 0; part < written.size(); ++part) {
    check(again.add_part(part, written[part]).has_value(), "a catalogue that was read reads again");
  }
  const auto same_objects = all_objects(again);
  check(same_objects && std::ranges::equal(*same_objects, *objects, same_object), "and means the same");
}

void fuzz_configuration(std::string_view value) {
  const auto configurations = Configurations::parse(value);
  if (!configurations) return;
  const std::string written = configurations->encode();
  const auto again = Configurations::parse(written);
  check(again && again->last_change() == configurations->last_change(), "a configuration that was read reads again");
  check(again->encode() == written, "and means the same");
}

void fuzz_consultations(std::string_view value) {
  constexpr std::string_view bundle = "\"L-1\"";
  [[maybe_unused]] const auto parts = count_consultation_parts(value);
  static_cast<void>(with_consultation_parts(value, 2));
  Consultations before;
  if (!before.add_part(0, value)) return;
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{7}}) {
    const std::string written = with_consultation(0, value, bundle, count);
    Consultations after;
    check(after.add_part(0, written).has_value(), "a consultation that is recorded can be read");
    check(after.seen_deposits(bundle) == std::max(before.seen_deposits(bundle), count),
          "and is never less than what was seen");
    check(after.seen_deposits("\"L-2\"") == before.seen_deposits("\"L-2\""), "nor changes another bundle's");
  }
}

void fuzz_third_party(std::string_view value) {
  const auto third_party = read_third_party(value);
  if (!third_party) return;
  const std::string written = encode_record(*third_party, third_party->person_lines);
  const auto again = read_third_party(written);
  check(again && same_fields(*again, *third_party) && again->person_lines == third_party->person_lines,
        "a third party that was read reads again");
}

struct IgnoringVisitor final : AuditVisitor {
  bool visit(AuditName, std::string_view) override { return true; }
};

void fuzz_audit(std::string_view value) {
  if (const auto audited = read_audited_value(value)) {
    std::string written = audited->last ? audit_line(*audited->last) : "";
    written += audited->content;
    check(written == value, "a value is its audit's line and its content");
  }
  if (const auto name = audit_name_of(value)) check(audit_key(*name) == value, "a name is written as it is read");
  // The bytes are the record that the configuration names, and the configuration.
  TestContext test;
  MemoryStore store;
  const AuditName name{.time = 1, .id = 1};
  const std::string key = audit_key(name);
  const std::string configuration = audit_line(name);
  const std::array changes{Change{key, value}, Change{"configuration", configuration}, Change{"droits", value},
                           Change{"format", value}};
  if (!run_ready(store.write(test.context, changes))) return;
  IgnoringVisitor visitor;
  [[maybe_unused]] const auto read = run_ready(read_audit_trail(test.context, store, visitor));
  check(run_ready(verify_audit(test.context, store, {})).has_value() || !read_audited_value(value),
        "each audit whose ends can be read is verified");
  const auto session = run_ready(store.open(test.context));
  const auto state = run_ready(read_format(test.context, **session));
  check(state && (*state == FormatState::current) == (value == current_format),
        "no other layout is taken for this one");
}

// An erasure keeps the hash of a record whose salt the verification accepts.
void fuzz_erasure(std::string_view record) {
  const std::string key = audit_key({.time = 1, .id = 1});
  const SaltForm salt = salt_form(record);
  std::string erased(record);
  const bool is_erased = erase_personal_strings(
      erased, [](std::string_view, std::string_view) { return std::optional<std::string>("\"e\""); });
  check(is_erased || erased == record, "a record without personal strings stays the same");
  if (!is_erased || (salt != SaltForm::whole && salt != SaltForm::erased)) return;
  check(salt_form(erased) == SaltForm::erased, "the salt is that of an erasure");
  check(audit_record_hash(key, erased) == audit_record_hash(key, record), "the hash stays the same");
}

void fuzz_string(std::string_view value) {
  static_cast<void>(unquoted(value));
  if (is_valid_utf8(value)) check(unquoted(stored_string(value)) == value, "a string comes back");
}

}  // namespace

void fuzz(std::string_view input) {
  fuzz_bundle(input);
  fuzz_index(input);
  fuzz_catalogue(input);
  fuzz_configuration(input);
  fuzz_consultations(input);
  fuzz_third_party(input);
  fuzz_audit(input);
  fuzz_erasure(input);
  fuzz_string(input);
}
