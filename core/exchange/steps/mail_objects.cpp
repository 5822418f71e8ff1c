#include "core/exchange/steps/mail_objects.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/steps/differences.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

OwnedMailObject owned(const MailObject& object) {
  OwnedMailObject result;
  append_fields(result.fields, object);
  if (const auto& file = object.template_file) {
    result.template_file = {std::string(file->file_name), std::string(file->media_type), file->size,
                            std::string(file->hash)};
  }
  return result;
}

Result<Configurations> parse_configurations(const Value& text) { return Configurations::parse(text.value_or("")); }

}  // namespace

MailObject OwnedMailObject::view(std::uint64_t id) const {
  MailObject result;
  result.id = id;
  Fields line(fields);
  read_fields(line, result);
  if (const auto& file = template_file) {
    result.template_file = TemplateFile{file->file_name, file->media_type, file->size, file->hash};
  }
  return result;
}

Task<StoredMailObjects> read_mail_objects(Context& context, Session& session) {
  StoredMailObjects stored;
  const std::string part_0 = catalogue_key(0);
  std::vector<std::string_view> keys{configuration_key, part_0};
  std::vector<Value> values(keys.size());
  co_await session.get(context, keys, values);
  stored.configurations = co_await parse_configurations(values[0]);
  if (!values[1]) {
    // An import that was interrupted may have written configurations only.
    const auto edition = stored.configurations.edition();
    const bool was_interrupted = edition && !edition->is_complete;
    if (!stored.configurations.empty() && !was_interrupted) stored.missing.push_back(part_0);
    co_return stored;
  }

  const CatalogueSummary summary = co_await read_catalogue_summary(*values[1]);
  std::vector<std::string> part_keys;
  for (std::uint32_t part = 1; part < summary.parts.size(); ++part) part_keys.push_back(catalogue_key(part));
  keys.assign(part_keys.begin(), part_keys.end());
  std::vector<Value> parts(keys.size());
  co_await session.get(context, keys, parts);
  parts.insert(parts.begin(), values[1]);

  Catalogue catalogue;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (!parts[part]) stored.missing.push_back(catalogue_key(static_cast<std::uint32_t>(part)));
    stored.catalogue_parts.emplace_back(parts[part].value_or(""));
    co_await catalogue.add_part(part, parts[part].value_or(""));
  }
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const MailObject object = co_await catalogue.at(i);
    stored.objects.emplace(object.id, owned(object));
  }
  co_return stored;
}

Task<StoredMailObjects> read_mail_objects(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  co_return co_await read_mail_objects(context, *session);
}

std::uint32_t template_parts(const std::optional<OwnedMailObject::Template>& file) {
  return file ? count_template_parts(file->size) : 0;
}

void merge_configurations(const DocumentMailObjects& document, const StoredMailObjects& stored,
                          const ImportOptions& options, Configurations& configurations) {
  for (const auto& [id, object] : document) {
    const bool is_new = !stored.has(id) || !configurations.has(id);
    if (is_new || options.replace_configuration) configurations.set(id, object.configuration);
  }
}

Task<void> MailObjectsStep::write(Context& context, const DocumentMailObjects& document, ImportAudit& audit) {
  StoredMailObjects stored = co_await read_mail_objects(context, store_);
  co_await audit.begin(context, [&](Configurations& configurations) {
    merge_configurations(document, stored, options_, configurations);
  });

  Commit commit(store_, options_.dry_run);
  for (const auto& [id, object] : document) {
    const auto stored_object = stored.objects.find(id);
    const bool is_new = stored_object == stored.objects.end();
    const auto& file = object.object.template_file;
    const auto old_file = is_new ? std::nullopt : stored_object->second.template_file;
    const bool is_same_file = file && old_file && old_file->hash == file->hash && old_file->size == file->size;
    const bool is_template_lost = is_same_file && !co_await is_template_stored(context, id, *file);
    if (is_new) {
      ++report_.added;
      report_change(ChangeKind::added, id, {});
    } else if (const MemberNames members =
                   changed_members(stored_object->second, is_template_lost, stored.configurations.of(id), object);
               !members.empty()) {
      ++report_.changed;
      report_change(ChangeKind::changed, id, members);
    } else {
      ++report_.unchanged;
    }
    if (!is_new && stored_object->second == object.object && !is_template_lost) continue;

    if (file && (!is_same_file || is_template_lost)) {
      if (!co_await add_template(context, commit, id, object)) co_return;
    }
    if (file || old_file) co_await add_obsolete_parts(context, id, template_parts(file));
    stored.objects.insert_or_assign(id, object.object);
    if (commit.is_full()) co_await write_catalogue(context, commit, stored);
  }
  co_await write_catalogue(context, commit, stored);
}

std::vector<std::string_view> MailObjectsStep::changed_members(const OwnedMailObject& stored, bool is_template_lost,
                                                               const Configuration& configuration,
                                                               const DocumentMailObject& object) const {
  MemberNames members = differences(stored, object.object);
  if (is_template_lost && !std::ranges::contains(members, "fichierModele")) members.emplace_back("fichierModele");
  if (options_.replace_configuration) {
    std::ranges::copy(differences(configuration, object.configuration), std::back_inserter(members));
  }
  return members;
}

void MailObjectsStep::report_change(ChangeKind kind, std::uint64_t id,
                                    std::span<const std::string_view> members) const {
  options_.report_change(
      {.section = Section::mail_objects, .kind = kind, .entity = std::to_string(id), .members = members});
}

Task<bool> MailObjectsStep::is_template_stored(Context& context, std::uint64_t id,
                                               const OwnedMailObject::Template& file) {
  const auto session = co_await store_.open(context);
  co_return (co_await read_template_file(context, *session, id, file.size, file.hash)).has_value();
}

Task<bool> MailObjectsStep::add_template(Context& context, Commit& commit, std::uint64_t id,
                                         const DocumentMailObject& object) {
  if (options_.dry_run) co_return true;
  const auto bytes = co_await input_.read_template(context, id, object.template_path, options_.max_template_size);
  if (!bytes || lower_hex(blake2b(*bytes)) != object.object.template_file->hash) {
    const DocumentLocation element{nullptr, name_of(Section::mail_objects), object.index};
    const DocumentLocation file{&element, "fichierModele", {}};
    faults_.add({&file, "chemin", {}}, "the file changed while it was being imported");
    co_return false;
  }
  for (std::size_t start = 0; start < bytes->size(); start += max_value_size) {
    commit.put(template_key(id, static_cast<std::uint32_t>(start / max_value_size)),
               bytes->substr(start, max_value_size));
  }
  co_return true;
}

Task<void> MailObjectsStep::add_obsolete_parts(Context& context, std::uint64_t id, std::uint32_t first) {
  std::vector<std::string> keys =
      co_await stored_parts(context, store_, first, [id](std::uint32_t part) { return template_key(id, part); });
  std::ranges::move(keys, std::back_inserter(obsolete_keys_));
}

Task<void> MailObjectsStep::write_catalogue(Context& context, Commit& commit, StoredMailObjects& stored) {
  std::vector<MailObject> objects;
  objects.reserve(stored.objects.size());
  for (const auto& [id, object] : stored.objects) objects.push_back(object.view(id));
  std::vector<std::string> parts = encode_catalogue(objects);

  // An import that is run again finds the parts of a removed file only while the catalogue has its mail object as
  // before. Without atomic batches, a reader in between gets an error for that file.
  for (std::string& key : obsolete_keys_) commit.remove(std::move(key));
  obsolete_keys_.clear();
  // Part 0 lists the parts: it is written after the others, and before obsolete parts are removed.
  const auto& old_parts = stored.catalogue_parts;
  for (std::size_t part = parts.size(); part-- > 0;) {
    const bool is_stored = part < old_parts.size() && old_parts[part] == parts[part];
    if (!is_stored) commit.put(catalogue_key(static_cast<std::uint32_t>(part)), parts[part]);
  }
  for (std::string& key :
       co_await stored_parts(context, store_, static_cast<std::uint32_t>(parts.size()), catalogue_key)) {
    commit.remove(std::move(key));
  }
  co_await commit.write(context);
  stored.catalogue_parts = std::move(parts);
}

Task<void> MailObjectsStep::prune(Context& context, const DocumentMailObjects& document) {
  StoredMailObjects stored = co_await read_mail_objects(context, store_);
  for (const auto& [id, object] : stored.objects) {
    if (document.contains(id)) continue;
    ++report_.removed;
    report_change(ChangeKind::removed, id, {});
    if (object.template_file) co_await add_obsolete_parts(context, id, 0);
  }
  std::erase_if(stored.objects, [&](const auto& entry) { return !document.contains(entry.first); });
  Commit commit(store_, options_.dry_run);
  co_await write_catalogue(context, commit, stored);

  co_await prune_configurations(context, stored);
}

Task<void> MailObjectsStep::prune_configurations(Context& context, const StoredMailObjects& stored) {
  if (options_.dry_run) co_return;
  co_await swap_configurations(context, store_, [&](Configurations& configurations) -> Task<void> {
    Configurations remaining;
    remaining.set_last_change(configurations.last_change());
    remaining.set_edition(configurations.edition());
    for (const auto& [id, object] : stored.objects) {
      if (configurations.has(id)) remaining.set(id, configurations.of(id));
    }
    configurations = std::move(remaining);
    co_return;
  });
}

}  // namespace portail
