// The value `configuration`: the portal's own fields of each mail object, ordered by id.
//
//   the audit's line (core/storage/audit_name.hpp), which names the record of the last change
//   ID TAB true|false TAB Rien|Optionnel|Obligatoire        (utilisablePourLiasse, typeAffectation)
//   the line of the edition (core/storage/edition.hpp), if an import has begun
//
// A line's further fields, which a later version wrote, are kept.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/edition.hpp"

namespace portail {

enum class Assignment : std::uint8_t { none, optional, mandatory };  // typeAffectation

std::string_view wire_name(Assignment assignment);  // Rien, Optionnel, Obligatoire
std::optional<Assignment> parse_assignment(std::string_view wire_name);

struct Configuration {
  bool usable_for_bundle = false;  // utilisablePourLiasse
  Assignment assignment = Assignment::none;
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

// A change of one mail object's configuration.
struct ConfigurationChange {
  std::uint64_t mail_object = 0;
  Configuration from;
  Configuration to;
  friend bool operator==(const ConfigurationChange&, const ConfigurationChange&) = default;
};

class Configurations {
 public:
  static Result<Configurations> parse(std::string_view value);
  // `value` has no line of the edition (take_edition).
  static Result<Configurations> parse(const AuditedValue& value, const std::optional<Edition>& edition);

  // Returns the mail object's configuration; the default one if it has none.
  [[nodiscard]] Configuration of(std::uint64_t id) const;
  [[nodiscard]] bool has(std::uint64_t id) const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::vector<std::uint64_t> ids() const;
  void set(std::uint64_t id, Configuration configuration);
  void remove(std::uint64_t id);
  // The record of the last change; nullopt if the value has no audit line.
  [[nodiscard]] std::optional<AuditName> last_change() const { return last_change_; }
  void set_last_change(std::optional<AuditName> record) { last_change_ = record; }
  // The edition; nullopt if there is none, or a program that does not know editions has changed the value since.
  [[nodiscard]] std::optional<Edition> edition() const { return edition_; }
  void set_edition(std::optional<Edition> edition) { edition_ = edition; }
  [[nodiscard]] std::string encode() const;

  // Returns the differences between `from` and `to` for the mail objects in both.
  [[nodiscard]] static std::vector<ConfigurationChange> changes(const Configurations& from, const Configurations& to);

 private:
  struct Entry {
    std::uint64_t id;
    Configuration configuration;
  };
  // The further fields of a line, each after a tab. Few mail objects have some, so they are not in Entry.
  struct LaterFields {
    std::uint64_t id;
    std::string text;
  };
  std::optional<AuditName> last_change_;
  std::optional<Edition> edition_;
  std::vector<Entry> entries_;
  std::vector<LaterFields> later_fields_;  // ordered by id
};

}  // namespace portail
