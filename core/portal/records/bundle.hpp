// The value `liasse.ID`: a bundle with its pieces and its count of deposits.
//
//   line 1   REVISION TAB DEPOSITS TAB INSTANT
//   line 2   the fields of a bundle (fields_of<Bundle>)
//   a piece  the fields of a piece
//
// REVISION is a hash of the rest. INSTANT is the creation date in seconds since 1970 in UTC, with the fraction's digits
// as imported (1705311000.25). Dates are stored as they are sent. Views into the stored value; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/portal/records/fields.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {

struct ExpectedPiece {
  std::string_view id;
  std::string_view mail_object;  // objetCourrier, digits
  std::string_view status;
  std::string_view reason;           // motif, or null
  std::string_view deposit;          // dateDepot, or "-"
  std::uint64_t mail_object_id = 0;  // mail_object, of a piece that was read

  [[nodiscard]] bool has_deposit() const { return deposit != stored_null(Form::date_time); }
};

template <>
inline constexpr std::array fields_of<ExpectedPiece>{
    Field<ExpectedPiece>{"id", &ExpectedPiece::id, Form::uuid},
    Field<ExpectedPiece>{"objetCourrier", &ExpectedPiece::mail_object, Form::mail_object},
    Field<ExpectedPiece>{"statut", &ExpectedPiece::status, Form::text},
    Field<ExpectedPiece>{"motif", &ExpectedPiece::reason, Form::text, Presence::nullable},
    Field<ExpectedPiece>{"dateDepot", &ExpectedPiece::deposit, Form::date_time, Presence::nullable}};

struct Bundle {
  std::string_view revision;
  std::uint64_t deposits = 0;
  std::string_view instant;
  std::string_view id;
  std::string_view name;
  std::string_view creation_date;
  std::string_view third_party;
  std::string_view loan;
  std::string_view amount;
  std::string_view put_in_place;
  std::string_view piece_lines;  // the last newline is optional
};

template <>
inline constexpr std::array fields_of<Bundle>{
    Field<Bundle>{"id", &Bundle::id, Form::bundle_id},
    Field<Bundle>{"nomDossier", &Bundle::name, Form::text},
    Field<Bundle>{"creationDate", &Bundle::creation_date, Form::date_time},
    Field<Bundle>{"numeroTiers", &Bundle::third_party, Form::reference},
    Field<Bundle>{"numeroPret", &Bundle::loan, Form::text},
    Field<Bundle>{"montantOpportunite", &Bundle::amount, Form::amount},
    Field<Bundle>{"opportuniteMiseEnPlace", &Bundle::put_in_place, Form::boolean}};
inline constexpr std::string_view pieces_name = "piecesAttendues";

Result<Bundle> read_bundle(std::string_view value);
// A bundle has a line before its fields: encode_bundle, encode_without_revision.
template <>
std::string encode_record(const Bundle& bundle, std::string_view further_lines) = delete;
// Whether the value and its pieces can be read, and its revision is the hash of the rest.
bool is_intact_bundle(std::string_view value);
// Returns the value to store. `bundle.revision` is not read.
std::string encode_bundle(const Bundle& bundle);
// Returns the same with an empty revision.
std::string encode_without_revision(const Bundle& bundle);
inline constexpr std::size_t revision_size = 32;

// Iterates over the pieces of a bundle, in document order.
class Pieces {
 public:
  explicit Pieces(const Bundle& bundle) : lines_(bundle.piece_lines) {}
  // Returns the next piece, or nullopt at the end. Fails with Failure::corrupt for an invalid line.
  Result<std::optional<ExpectedPiece>> next();

 private:
  Lines lines_;
};

// Returns all pieces. Fails with Failure::corrupt for an invalid line.
Result<std::vector<ExpectedPiece>> pieces_of(const Bundle& bundle);

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
