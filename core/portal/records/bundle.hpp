// The value `liasse.ID`: a bundle with its pieces and its count of deposits.
//
//   line 1   REVISION TAB DEPOSITS TAB INSTANT
//   line 2   "id" TAB "nomDossier" TAB CREATION-DATE TAB "numeroTiers" TAB "numeroPret" TAB AMOUNT TAB true|false
//   a piece  UUID TAB MAIL-OBJECT-ID TAB "statut" TAB "motif"|null TAB DEPOSIT-DATE|-
//
// REVISION is a hash of the rest. INSTANT is the creation date in seconds since 1970 in UTC, with the fraction's digits
// as imported (1705311000.25). Dates are stored as they are sent. Views into the stored value; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/failure.hpp"
#include "core/portal/records/lines.hpp"

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
// Whether the value and its pieces can be read, and its revision is the hash of the rest.
bool is_intact_bundle(std::string_view value);
// Returns the value to store. `bundle.revision` and `bundle.piece_lines` are not read.
std::string encode_bundle(const Bundle& bundle, std::span<const ExpectedPiece> pieces);

// Iterates over the pieces of a bundle, in document order.
class Pieces {
 public:
  explicit Pieces(const Bundle& bundle) : lines_(bundle.piece_lines) {}
  // Returns the next piece, or nullopt at the end. Fails with Failure::corrupt for an invalid line.
  Result<std::optional<ExpectedPiece>> next();

 private:
  Lines lines_;
};

// The sort key of a bundle in lists (docs/reference/contract.md, "Answers: bundle lists").
struct BundleSortKey {
  std::int64_t seconds = 0;
  std::string_view fraction;  // digits of the second's fraction, without trailing zeros
  std::string_view id;        // JSON string
};
BundleSortKey bundle_sort_key(std::string_view instant, std::string_view id);
// Orders by instant, newest first, then by id as bytes.
bool precedes(const BundleSortKey& a, const BundleSortKey& b);

}  // namespace portail
