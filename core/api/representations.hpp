// The JSON of mail objects and bundles (docs/contract.md, "Resources", "Answers"), appended to a
// string that the caller reuses. Any thread.
#pragma once

#include <string>

#include "core/base/failure.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

// ObjetCourrierDto, as the mail object's own endpoints answer it: without nomFichier.
void append_mail_object(std::string& out, const MailObject& object, Configuration configuration);

struct BundleView {
  const Catalogue& mail_objects;  // at least those of the bundle's pieces
  const Configurations& configurations;
  bool leave_out_derogated = false;
  bool deposited_since = false;  // deposeeDepuisDerniereConsultation
};

// LiasseDto. Failure::unavailable for a piece whose mail object is being removed right now.
Result<void> append_bundle(std::string& out, const Bundle& bundle, const ThirdParty& third_party,
                           const BundleView& view);

}  // namespace portail
