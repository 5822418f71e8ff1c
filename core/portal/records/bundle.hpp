// A bundle with its pieces and its count of deposits: the value `liasse.ID`.
//
//   line 1   REVISION TAB DEPOSITS TAB INSTANT
//   line 2   "id" TAB "nomDossier" TAB CREATION-DATE TAB "numeroTiers" TAB "numeroPret" TAB AMOUNT TAB true|false
//   a piece  UUID TAB MAIL-OBJECT-ID TAB "statut" TAB "motif"|null TAB DEPOSIT-DATE|-
//
// REVISION is a hash of the rest, INSTANT the creation's seconds since 1970 in UTC with the fraction's digits as stored
// (1705311000.25). Dates stand as they are sent. Views into the stored value; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/failure.hpp"
#include "core/portal/records/fields.hpp"

namespace portail {

struct ExpectedPiece {
  std::string_view id;  // UUID, lower case
  std::uint64_t mail_object = 0;
  std::string_view status;                  // JSON string
  std::string_view reason;                  // motif: JSON string, or null
  std::optional<std::string_view> deposit;  // dateDepot as imported
};

struct Bundle {
  std::string_view revision;
  std::uint64_t deposits = 0;
  std::string_view instant;
  std::string_view id;             // JSON string
  std::string_view name;           // nomDossier, JSON string
  std::string_view creation_date;  // RFC 3339 with an offset, not quoted
  std::string_view third_party;    // numeroTiers, JSON string
  std::string_view loan;           // numeroPret, JSON string
  std::string_view amount;         // montantOpportunite, a JSON number
  bool put_in_place = false;       // opportuniteMiseEnPlace
  std::string_view piece_lines;
};

Result<Bundle> read_bundle(std::string_view value);
// The value to store; `bundle.revision` and `bundle.piece_lines` are not read.
std::string encode_bundle(const Bundle& bundle, std::span<const ExpectedPiece> pieces);

// The pieces of a bundle, in document order.
class Pieces {
 public:
  explicit Pieces(const Bundle& bundle) : lines_(bundle.piece_lines) {}
  // The next piece, nullopt at the end, a failure for a line that encode_bundle never writes.
  Result<std::optional<ExpectedPiece>> next();

 private:
  Lines lines_;
};

// Where a bundle stands in lists (docs/reference/contract.md, "Answers: bundle lists").
struct PlaceInLists {
  std::int64_t seconds = 0;
  std::string_view fraction;  // of a second, without zeros at its end
  std::string_view id;        // JSON string
};
PlaceInLists place_in_lists(std::string_view instant, std::string_view id);
// Newest instant first, then the id as bytes.
bool precedes(const PlaceInLists& a, const PlaceInLists& b);

}  // namespace portail
