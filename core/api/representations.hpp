// The JSON of mail objects and bundles (docs/reference/contract.md, "Resources", "Answers"), appended to a
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

// ObjetCourrierDto, as the mail object's own endpoints answer it: without nomFichier.
void append_mail_object(std::string& out, const MailObject& object, Configuration configuration);

// Bundles one after the other: what several have in common is written once. One thread.
class BundleWriter {
 public:
  // Both outlive the writer; `mail_objects` has at least those of the bundles' pieces.
  BundleWriter(const Catalogue& mail_objects, const Configurations& configurations, bool leave_out_derogated)
      : mail_objects_(mail_objects), configurations_(configurations), leave_out_derogated_(leave_out_derogated) {}

  // Appends a LiasseDto. `deposited_since` is deposeeDepuisDerniereConsultation. Failure::unavailable for a piece whose
  // mail object is being removed right now.
  Result<void> append(std::string& out, const Bundle& bundle, const ThirdParty& third_party, bool deposited_since);

  // Bytes of memory that it holds from one bundle to the next, about.
  [[nodiscard]] std::size_t occupied() const { return occupied_; }

 private:
  // A mail object as it stands inside pieces.
  struct Embedded {
    std::string_view type;
    std::string text;
  };
  Result<const Embedded*> embedded(std::uint64_t id);
  // Writes the pieces to pieces_ and errors_.
  Result<Completion> write_pieces(const Bundle& bundle);

  const Catalogue& mail_objects_;
  const Configurations& configurations_;
  const bool leave_out_derogated_;
  std::map<std::uint64_t, Embedded> embedded_;  // by id: those that were asked for
  std::size_t occupied_ = 0;
  // Of the bundle that is being written; they are kept for their room.
  std::string pieces_;
  std::string errors_;
};

}  // namespace portail
