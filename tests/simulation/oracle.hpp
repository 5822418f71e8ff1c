// The test oracle, an independent model of the portal's answers: structs, and the JSON of the contract. It shares no
// code with core/, so that a bug in one does not hide in the other. Texts are UTF-8; any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace portail::simulation {

struct TemplateFile {
  std::string name;
  std::string bytes;
  friend bool operator==(const TemplateFile&, const TemplateFile&) = default;
};

struct MailObject {
  std::string type;
  std::string description;
  std::optional<TemplateFile> file;
  friend bool operator==(const MailObject&, const MailObject&) = default;
};

inline const std::vector<std::string> assignments{"Rien", "Optionnel", "Obligatoire"};

struct Configuration {
  bool usable = false;
  std::string assignment = "Rien";
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

struct Piece {
  std::string id;
  int object = 0;
  std::string status;
  std::optional<std::string> reason;
  std::optional<std::string> deposit;
  friend bool operator==(const Piece&, const Piece&) = default;
};

struct Bundle {
  std::string name;
  int minute = 0;  // of its creation, after 2024-01-02T00:00Z, and its offset in hours
  int offset = 1;
  std::string third_party;
  std::string amount;
  bool in_place = false;
  std::vector<Piece> pieces;
  int deposits = 0;  // counted by imports
  friend bool operator==(const Bundle&, const Bundle&) = default;
};

struct ThirdParty {
  std::string last_name;
  std::string first_name;
  std::set<std::string> users;
  std::set<std::string> managers;
  friend bool operator==(const ThirdParty&, const ThirdParty&) = default;
};

// The grants of the stored data: to the role `gestionnaire`, and to the subject `admin`.
struct Granted {
  bool dashboard = true;
  bool update = true;
  friend bool operator==(const Granted&, const Granted&) = default;
};

// The statuses of the simulation's imports, by their meaning in the contract.
enum class Meaning { open, validated, derogated };
const std::vector<std::pair<std::string, Meaning>>& statuses();
Meaning meaning_of(const std::string& status);

// Returns the number of deposits that an import of `after` over `before` adds.
int new_deposits(const Bundle* before, const Bundle& after);

std::string json_string(const std::string& text);
std::string creation_date(const Bundle& bundle);

// A mail object and its configuration, as read by one request.
struct ConfiguredObject {
  MailObject object;
  Configuration configuration;
};
std::string mail_object_json(int id, const ConfiguredObject& configured, bool inside_piece = false);
std::string bundle_json(const std::string& id, const Bundle& bundle, const ThirdParty& third_party,
                        const std::map<int, ConfiguredObject>& objects, bool deposited_since, bool omit_derogated);

}  // namespace portail::simulation
