// Reads what an endpoint needs in at most two batches: part 0 of each list first, then the other parts and the bundle's
// third party. Belongs to one request. The result consists of views that live as long as the session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/auth/grants.hpp"
#include "core/portal/batch.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct ReadSpec {
  enum class MailObjects : std::uint8_t { none, all, page, one, of_bundle };  // of_bundle: those of its pieces
  MailObjects mail_objects = MailObjects::none;
  std::uint64_t skip = 0;   // for MailObjects::page
  std::uint64_t count = 0;  // for MailObjects::page
  std::uint64_t id = 0;     // for MailObjects::one

  bool grants = false;
  std::optional<std::string_view> bundle = {};  // the id of a bundle, read with its third party
  std::string_view index = {};                  // the prefix of the person's index to read; empty: none
  bool consultations = false;                   // the person's consultations
  std::string_view person = {};                 // a subject; if empty, neither index nor consultations are read
};

struct ReadResult {
  CatalogueSummary summary;
  Catalogue mail_objects;            // the requested ones, and their neighbours in the same stored parts
  std::uint64_t first_position = 0;  // of mail_objects in the whole catalogue
  // False if the read parts of the catalogue have more or fewer mail objects than the summary says: an import that
  // changes their number is running on a store without snapshots, or was interrupted.
  bool agrees_with_summary = true;
  Configurations configurations;
  // The stored values that mail_objects and configurations were parsed from.
  std::vector<std::string_view> catalogue_texts;
  Value configuration_value;
  std::string_view configuration_lines;  // configuration_value without what does not affect answers
  Grants grants;
  std::optional<Bundle> bundle;
  std::optional<ThirdParty> third_party;  // of the bundle
  std::vector<IndexEntry> index;
  Consultations consultations;
  std::vector<Value> consultation_values;  // that consultations were parsed from
};

// Sets the members of `result` that `spec` requests.
Task<void> read(Context& context, Session& session, const ReadSpec& spec, ReadResult& result);

// Reads in two steps, so that a caller can look up a cache between them. Not movable.
class PortalReader {
 public:
  // The views in `spec` and `result` must outlive the reader.
  PortalReader(const ReadSpec& spec, ReadResult& result) : spec_(spec), result_(result) {}
  PortalReader(const PortalReader&) = delete;
  PortalReader& operator=(const PortalReader&) = delete;

  // Reads the values, which live as long as the session. Call once, first.
  Task<void> fetch(Context& context, Session& session);
  // Returns all values that decode() uses, in an order that depends on the ReadSpec only: equal values give equal
  // results.
  [[nodiscard]] std::vector<Value> values() const;
  // Decodes the values into the result. Call once, after fetch().
  Result<void> decode();

 private:
  static constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

  // The requested parts of one stored list: part 0 is in the first batch, the others are in the second.
  class Parts {
   public:
    void add_first(Batch& first, std::string key) { part_0_slot_ = first.add(std::move(key)); }
    [[nodiscard]] Value first_of(const Batch& first) const { return first[part_0_slot_]; }

    // Adds a part. Parts are added in ascending order.
    template <class MakeKey>
    void add(Batch& second, std::size_t number, MakeKey make_key) {
      parts_.push_back({number, number == 0 ? part_0_slot_ : second.add(make_key(static_cast<std::uint32_t>(number)))});
    }
    // Calls add(number, text) -> Result<void> for each part. A missing part is skipped.
    template <class Add>
    Result<void> for_each(const Batch& first, const Batch& second, Add add) const {
      for (const auto& [number, slot] : parts_) {
        if (const Value text = (number == 0 ? first : second)[slot]) {
          if (auto added = add(number, *text); !added) return added;
        }
      }
      return {};
    }

   private:
    struct Part {
      std::size_t number;
      std::size_t slot;  // in its batch
    };
    std::size_t part_0_slot_ = no_slot;
    std::vector<Part> parts_;
  };

  [[nodiscard]] bool reads_mail_objects() const { return spec_.mail_objects != ReadSpec::MailObjects::none; }
  [[nodiscard]] bool reads_index() const { return !spec_.index.empty() && !spec_.person.empty(); }
  [[nodiscard]] bool reads_consultations() const { return spec_.consultations && !spec_.person.empty(); }
  void queue_first_batch();
  Result<void> queue_second_batch();

  ReadSpec spec_;
  std::uint64_t summarised_ = 0;  // mail objects of the requested parts, by the summary
  Batch first_;
  Batch second_;
  Parts catalogue_;
  Parts index_;
  Parts consultations_;
  std::size_t configuration_ = no_slot;
  std::size_t grants_ = no_slot;
  std::size_t bundle_ = no_slot;
  std::size_t third_party_ = no_slot;
  ReadResult& result_;
};

}  // namespace portail
