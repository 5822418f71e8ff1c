// The mail objects of the store and of the document, all of them in memory: there are hundreds, not millions (the value
// `configuration` holds a line for each). One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/document/faults.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/steps/import_audit.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"

namespace portail {

// A mail object that owns its texts, as records/catalogue.hpp has them.
struct OwnedMailObject {
  struct Template {
    std::string file_name;
    std::string media_type;
    std::uint64_t size = 0;
    std::string hash;
    friend bool operator==(const Template&, const Template&) = default;
  };
  std::string type;
  std::string description;
  std::optional<Template> template_file;
  friend bool operator==(const OwnedMailObject&, const OwnedMailObject&) = default;
};

struct StoredMailObjects {
  std::map<std::uint64_t, OwnedMailObject> objects;
  Configurations configurations;
  std::vector<std::string> catalogue_parts;  // as they are stored
};
Task<StoredMailObjects> read_mail_objects(Context& context, KeyValueStore& store);

// How many values hold the bytes of a template file; none where there is no file.
std::uint32_t template_parts(const std::optional<OwnedMailObject::Template>& file);

struct DocumentMailObject {
  OwnedMailObject object;
  Configuration configuration;
  std::string template_path;  // chemin, where object.template_file is there
  std::uint64_t index = 0;    // in the section
};
using DocumentMailObjects = std::map<std::uint64_t, DocumentMailObject>;

// What becomes of the portal's configurations: new objects get the document's, the others keep theirs unless
// options.replace_configuration is set.
void merge_configurations(const DocumentMailObjects& document, const StoredMailObjects& stored,
                          const ImportOptions& options, Configurations& configurations);

class MailObjectsStep {
 public:
  MailObjectsStep(KeyValueStore& store, ImportInput& input, const ImportOptions& options, Faults& faults,
                  SectionReport& report)
      : store_(store), input_(input), options_(options), faults_(faults), report_(report) {}

  // Adds and changes: configurations first, with the beginning of the audit, then template files together with the
  // catalogue that names them. A template file that is not the one that was checked is a fault, and ends the step.
  Task<void> write(Context& context, const DocumentMailObjects& document, ImportAudit& audit);
  // Removes what the document does not hold: from the catalogue first.
  Task<void> prune(Context& context, const DocumentMailObjects& document);

 private:
  Task<void> prune_configurations(Context& context, const StoredMailObjects& stored);
  // Those of the document that differ from what is stored; a configuration only where it is to be replaced.
  [[nodiscard]] std::vector<std::string_view> changed_members(const OwnedMailObject& stored,
                                                              const Configuration& configuration,
                                                              const DocumentMailObject& object) const;
  void note(ChangeKind kind, std::uint64_t id, std::span<const std::string_view> members) const;
  Task<bool> put_template(Context& context, Commit& commit, std::uint64_t id, const DocumentMailObject& object);
  Task<void> write_catalogue(Context& context, Commit& commit, StoredMailObjects& stored);

  KeyValueStore& store_;
  ImportInput& input_;
  const ImportOptions& options_;
  Faults& faults_;
  SectionReport& report_;
  std::vector<std::string> superseded_;  // keys to remove after the catalogue is written
};

}  // namespace portail
