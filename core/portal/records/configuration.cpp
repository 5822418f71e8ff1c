#include "core/portal/records/configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace portail {
namespace {

constexpr std::array<std::string_view, 3> assignment_names{"Rien", "Optionnel", "Obligatoire"};

// The fields of a line after the id. There are six forms; comparing them is faster than splitting the line.
struct StoredForm {
  std::string_view text;
  Configuration configuration;
};
constexpr std::array<StoredForm, 6> forms{{
    {"\tfalse\tRien", {false, Assignment::none}},
    {"\ttrue\tRien", {true, Assignment::none}},
    {"\tfalse\tOptionnel", {false, Assignment::optional}},
    {"\ttrue\tOptionnel", {true, Assignment::optional}},
    {"\tfalse\tObligatoire", {false, Assignment::mandatory}},
    {"\ttrue\tObligatoire", {true, Assignment::mandatory}},
}};

}  // namespace

std::string_view wire_name(Assignment assignment) { return assignment_names[static_cast<std::size_t>(assignment)]; }

std::optional<Assignment> parse_assignment(std::string_view wire_name) {
  const auto found = std::ranges::find(assignment_names, wire_name);
  if (found == assignment_names.end()) return std::nullopt;
  return static_cast<Assignment>(found - assignment_names.begin());
}

Result<Configurations> Configurations::parse(std::string_view value) {
  auto audited = read_audited_value(value);
  if (!audited) return std::unexpected(audited.error());
  const auto edition = take_edition(*audited);
  return parse(*audited, edition);
}

Result<Configurations> Configurations::parse(const AuditedValue& value, const std::optional<Edition>& edition) {
  Configurations configurations;
  configurations.last_change_ = value.last;
  configurations.edition_ = edition;
  std::string_view text = value.content;
  configurations.entries_.reserve(text.size() / forms[0].text.size());
  while (!text.empty()) {
    std::uint64_t id = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    const auto form =
        std::ranges::find_if(forms, [text](const StoredForm& each) { return text.starts_with(each.text); });
    if (error != std::errc{} || form == forms.end()) return std::unexpected(Failure::corrupt);
    if (id == edition_line_id) return std::unexpected(Failure::corrupt);
    configurations.entries_.push_back({id, form->configuration});
    text.remove_prefix(form->text.size());
    if (!text.starts_with('\n')) {
      const std::size_t end = text.find('\n');
      if (!text.starts_with('\t') || end == std::string_view::npos) return std::unexpected(Failure::corrupt);
      configurations.later_fields_.push_back({id, std::string(text.substr(0, end))});
      text.remove_prefix(end);
    }
    text.remove_prefix(1);
  }
  return configurations;
}

Configuration Configurations::of(std::uint64_t id) const {
  const auto entry = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  return entry != entries_.end() && entry->id == id ? entry->configuration : Configuration{};
}

bool Configurations::has(std::uint64_t id) const { return std::ranges::binary_search(entries_, id, {}, &Entry::id); }

std::vector<std::uint64_t> Configurations::ids() const {
  std::vector<std::uint64_t> ids;
  ids.reserve(entries_.size());
  for (const Entry& entry : entries_) ids.push_back(entry.id);
  return ids;
}

void Configurations::set(std::uint64_t id, Configuration configuration) {
  const auto entry = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  if (entry != entries_.end() && entry->id == id) {
    entry->configuration = configuration;
  } else {
    entries_.insert(entry, {id, configuration});
  }
}

void Configurations::remove(std::uint64_t id) {
  std::erase_if(entries_, [id](const Entry& entry) { return entry.id == id; });
  std::erase_if(later_fields_, [id](const LaterFields& fields) { return fields.id == id; });
}

std::string Configurations::encode() const {
  std::string text;
  if (last_change_) text = audit_line(*last_change_);
  auto later = later_fields_.begin();
  for (const auto& [id, configuration] : entries_) {
    text += std::to_string(id);
    text += std::ranges::find(forms, configuration, &StoredForm::configuration)->text;
    if (later != later_fields_.end() && later->id == id) text += (later++)->text;
    text += '\n';
  }
  if (last_change_ && edition_) text += edition_line(*edition_, *last_change_);
  return text;
}

std::vector<ConfigurationChange> Configurations::changes(const Configurations& from, const Configurations& to) {
  std::vector<ConfigurationChange> changes;
  for (const auto& [id, before] : from.entries_) {
    if (to.has(id) && to.of(id) != before) changes.push_back({id, before, to.of(id)});
  }
  return changes;
}

}  // namespace portail
