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
#include "core/portal/batch.hpp"
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

// The same in two steps, for those who may know already what comes of the values. It stays where it is.
class Reading {
 public:
  // What `wanted` refers to outlives this.
  explicit Reading(const Wanted& wanted) : wanted_(wanted) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // First, once: reads the values. They live as long as the session.
  Task<void> fetch(Context& context, Session& session);
  // All that decode() looks at, in one order for each Wanted: of equal values it makes the same.
  [[nodiscard]] std::vector<Value> values() const;
  // Once.
  Result<WhatWasRead> decode();

 private:
  static constexpr std::size_t not_asked = static_cast<std::size_t>(-1);

  // The parts of one stored list that are wanted: part 0 came in the first batch, the others come in the second.
  class Parts {
   public:
    void ask_for_first(Batch& first, std::string key) { first_ = first.add(std::move(key)); }
    [[nodiscard]] Value first_of(const Batch& first) const { return first[first_]; }

    // In ascending order.
    template <class MakeKey>
    void want(Batch& second, std::size_t number, MakeKey make_key) {
      wanted_.push_back({number, number == 0 ? first_ : second.add(make_key(static_cast<std::uint32_t>(number)))});
    }
    // Calls add(number, text) -> Result<void> for each part; one that is missing is skipped, as dangling ids are.
    template <class Add>
    Result<void> for_each(const Batch& first, const Batch& second, Add add) const {
      for (const auto& [number, place] : wanted_) {
        if (const Value text = (number == 0 ? first : second)[place]) {
          if (auto added = add(number, *text); !added) return added;
        }
      }
      return {};
    }

   private:
    struct Part {
      std::size_t number;
      std::size_t place;  // in its batch
    };
    std::size_t first_ = not_asked;
    std::vector<Part> wanted_;
  };

  [[nodiscard]] bool wants_objects() const { return wanted_.mail_objects != Wanted::MailObjects::none; }
  [[nodiscard]] bool wants_index() const { return wanted_.index && !wanted_.person.empty(); }
  [[nodiscard]] bool wants_consultations() const { return wanted_.consultations && !wanted_.person.empty(); }
  void ask_first();
  Result<void> ask_second();

  Wanted wanted_;
  Batch first_;
  Batch second_;
  Parts catalogue_;
  Parts index_;
  Parts consultations_;
  std::size_t configuration_ = not_asked;
  std::size_t grants_ = not_asked;
  std::size_t bundle_ = not_asked;
  std::size_t third_party_ = not_asked;
  WhatWasRead result_;
};

}  // namespace portail
