// Writes the JSON of mail objects and bundles (docs/reference/contract.md, "Resources", "Answers"), appended to a
// string that the caller reuses. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/failure.hpp"
#include "core/portal/completion.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

// Appends an ObjetCourrierDto of the mail objects' own endpoints: without nomFichier.
void append_mail_object(std::string& out, const MailObject& object, Configuration configuration);

// Writes several bundles. The JSON of shared mail objects is built once. One thread.
class BundleWriter {
 public:
  // All arguments outlive the writer. `mail_objects` contains at least those of the bundles' pieces.
  BundleWriter(const Catalogue& mail_objects, const Configurations& configurations, bool omit_derogated)
      : mail_objects_(mail_objects), configurations_(configurations), omit_derogated_(omit_derogated) {}

  // Appends a LiasseDto. `deposited_since` is deposeeDepuisDerniereConsultation. Fails with Failure::unavailable for a
  // piece whose mail object is being removed concurrently.
  Result<void> append(std::string& out, const Bundle& bundle, const ThirdParty& third_party, bool deposited_since);

  // Approximate memory, in bytes, that is kept between two bundles.
  [[nodiscard]] std::size_t occupied() const { return occupied_; }

 private:
  // The JSON of a mail object inside pieces.
  struct Embedded {
    std::string_view type;
    std::string text;
  };
  Result<const Embedded*> embedded(std::uint64_t id);
  // Writes the pieces to pieces_ and errors_.
  Result<Completion> write_pieces(const Bundle& bundle);

  const Catalogue& mail_objects_;
  const Configurations& configurations_;
  const bool omit_derogated_;
  std::map<std::uint64_t, Embedded> embedded_;  // by id: those used so far
  std::size_t occupied_ = 0;
  // Buffers of the current bundle; members, so that their memory is reused.
  std::string pieces_;
  std::string errors_;
};

}  // namespace portail
