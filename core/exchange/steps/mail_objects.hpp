// The mail objects of the store and of the document. All are in memory: there are hundreds, not millions (the value
// `configuration` has a line for each). One thread at a time.
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

// A mail object that owns its texts, in the form of records/catalogue.hpp.
struct OwnedMailObject {
  struct Template {
    std::string file_name;
    std::string media_type;
    std::uint64_t size = 0;
    std::string hash;
    friend bool operator==(const Template&, const Template&) = default;
  };
  std::string fields;  // as a stored line has them (fields_of<MailObject>)
  std::optional<Template> template_file;

  // Returns the mail object, a view of this one.
  [[nodiscard]] MailObject view(std::uint64_t id = 0) const;
  friend bool operator==(const OwnedMailObject&, const OwnedMailObject&) = default;
};

struct StoredMailObjects {
  std::map<std::uint64_t, OwnedMailObject> objects;
  Configurations configurations;
  std::vector<std::string> catalogue_parts;  // as stored; empty if missing
  std::vector<std::string> missing;          // keys of lost parts of the catalogue

  // Returns true also for an object of a lost part, of which its configuration is left.
  [[nodiscard]] bool has(std::uint64_t id) const {
    return objects.contains(id) || (!missing.empty() && configurations.has(id));
  }
};
// Fails with Failure::corrupt if a value is invalid. What a lost value had is absent.
Task<StoredMailObjects> read_mail_objects(Context& context, Session& session);
Task<StoredMailObjects> read_mail_objects(Context& context, KeyValueStore& store);

// Returns the number of values that hold the template file; 0 without a file.
std::uint32_t template_parts(const std::optional<OwnedMailObject::Template>& file);

struct DocumentMailObject {
  OwnedMailObject object;
  Configuration configuration;
  std::string template_path;  // chemin, if object.template_file is set
  std::uint64_t index = 0;    // in the section
};
using DocumentMailObjects = std::map<std::uint64_t, DocumentMailObject>;

// Merges configurations: new objects get the document's, the others keep theirs unless options.replace_configuration is
// set. Objects of a lost catalogue are not new.
void merge_configurations(const DocumentMailObjects& document, const StoredMailObjects& stored,
                          const ImportOptions& options, Configurations& configurations);

class MailObjectsStep {
 public:
  MailObjectsStep(KeyValueStore& store, ImportInput& input, const ImportOptions& options, Faults& faults,
                  SectionReport& report)
      : store_(store), input_(input), options_(options), faults_(faults), report_(report) {}

  // Adds and changes mail objects: configurations first, with the import's audit record, then template files together
  // with the catalogue that names them. A template file that changed since the check is a fault, and ends the step.
  Task<void> write(Context& context, const DocumentMailObjects& document, ImportAudit& audit);
  // Removes the mail objects that the document does not contain, from the catalogue first.
  Task<void> prune(Context& context, const DocumentMailObjects& document);

 private:
  Task<void> prune_configurations(Context& context, const StoredMailObjects& stored);
  // Returns the document's members that differ from the stored ones; the configuration only with
  // options.replace_configuration.
  [[nodiscard]] std::vector<std::string_view> changed_members(const OwnedMailObject& stored, bool is_template_lost,
                                                              const Configuration& configuration,
                                                              const DocumentMailObject& object) const;
  Task<bool> is_template_stored(Context& context, std::uint64_t id, const OwnedMailObject::Template& file);
  void report_change(ChangeKind kind, std::uint64_t id, std::span<const std::string_view> members) const;
  Task<bool> add_template(Context& context, Commit& commit, std::uint64_t id, const DocumentMailObject& object);
  // Adds the keys of the parts of a template file from `first` on to obsolete_keys_.
  Task<void> add_obsolete_parts(Context& context, std::uint64_t id, std::uint32_t first);
  Task<void> write_catalogue(Context& context, Commit& commit, StoredMailObjects& stored);

  KeyValueStore& store_;
  ImportInput& input_;
  const ImportOptions& options_;
  Faults& faults_;
  SectionReport& report_;
  std::vector<std::string> obsolete_keys_;  // of template files, to remove before the catalogue is written
};

}  // namespace portail
