// What an endpoint reads before it decides: said first, then read in at most two batches (the first part of everything,
// then what is in further parts, and the third party of the bundle). Belongs to one request; what was read are views
// that live as long as the session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/auth/grants.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/bundle_index.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct Wanted {
  enum class MailObjects : std::uint8_t { none, all, page, one, of_bundle };  // of_bundle: those that its pieces name
  MailObjects mail_objects = MailObjects::none;
  std::uint64_t skip = 0;   // of a page
  std::uint64_t count = 0;  // of a page
  std::uint64_t id = 0;     // of one mail object

  bool grants = false;
  std::optional<std::string_view> bundle = {};  // an id: the bundle and its third party
  std::optional<Relation> index = {};           // which bundles the person may look for
  bool consultations = false;                   // what the person has seen
  std::string_view person = {};                 // a subject; without one there is no index and no consultation
};

struct WhatWasRead {
  CatalogueSummary summary;
  Catalogue mail_objects;            // those wanted, and their neighbours in the same stored part
  std::uint64_t first_position = 0;  // of mail_objects in the whole catalogue
  Configurations configurations;
  // The stored values that mail_objects and configurations were made from.
  std::vector<std::string_view> catalogue_texts;
  Value configuration_value;
  std::string_view configuration_lines;  // the same without the audit's line, which says nothing of an answer
  Grants grants;
  std::optional<Bundle> bundle;
  std::optional<ThirdParty> third_party;  // of the bundle
  std::vector<IndexEntry> index;
  Consultations consultations;
};

Task<WhatWasRead> read(Context& context, Session& session, const Wanted& wanted);

}  // namespace portail
