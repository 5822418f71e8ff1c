#include "core/portal/records/configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace portail {
namespace {

constexpr std::array<std::string_view, 3> assignment_names{"Rien", "Optionnel", "Obligatoire"};

// The end of a line, after the id. There are six; comparing them is faster than splitting the line.
struct LineEnd {
  std::string_view text;
  Configuration configuration;
};
constexpr std::array<LineEnd, 6> line_ends{{
    {"\tfalse\tRien\n", {false, Assignment::none}},
    {"\ttrue\tRien\n", {true, Assignment::none}},
    {"\tfalse\tOptionnel\n", {false, Assignment::optional}},
    {"\ttrue\tOptionnel\n", {true, Assignment::optional}},
    {"\tfalse\tObligatoire\n", {false, Assignment::mandatory}},
    {"\ttrue\tObligatoire\n", {true, Assignment::mandatory}},
}};

}  // namespace

std::string_view wire_name(Assignment assignment) { return assignment_names[static_cast<std::size_t>(assignment)]; }

std::optional<Assignment> parse_assignment(std::string_view wire_name) {
  const auto found = std::ranges::find(assignment_names, wire_name);
  if (found == assignment_names.end()) return std::nullopt;
  return static_cast<Assignment>(found - assignment_names.begin());
}

Result<Configurations> Configurations::parse(std::string_view value) {
  return read_audited_value(value).and_then([](const AuditedValue& audited) { return parse(audited); });
}

Result<Configurations> Configurations::parse(const AuditedValue& value) {
  std::string_view text = value.content;
  Configurations configurations;
  configurations.last_change_ = value.last;
  configurations.entries_.reserve(text.size() / line_ends[0].text.size());
  while (!text.empty()) {
    std::uint64_t id = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    const auto end =
        std::ranges::find_if(line_ends, [text](const LineEnd& form) { return text.starts_with(form.text); });
    if (error != std::errc{} || end == line_ends.end()) return std::unexpected(Failure::corrupt);
    configurations.entries_.push_back({id, end->configuration});
    text.remove_prefix(end->text.size());
  }
  return configurations;
}

Configuration Configurations::of(std::uint64_t id) const {
  const auto entry = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  return entry != entries_.end() && entry->id == id ? entry->configuration : Configuration{};
}

bool Configurations::has(std::uint64_t id) const { return std::ranges::binary_search(entries_, id, {}, &Entry::id); }

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
}

std::string Configurations::encode() const {
  std::string text;
  if (last_change_) text = audit_line(*last_change_);
  for (const auto& [id, configuration] : entries_) {
    text += std::to_string(id);
    text += std::ranges::find(line_ends, configuration, &LineEnd::configuration)->text;
  }
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
