#include "core/exchange/steps/stored_forms.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/portal/records/third_party.hpp"

namespace portail {

std::string stored_form(const ThirdPartyElement& third_party) {
  const std::vector<std::string_view> users(third_party.users.begin(), third_party.users.end());
  const std::vector<std::string_view> managers(third_party.managers.begin(), third_party.managers.end());
  return encode_third_party({.number = third_party.number,
                             .last_name = third_party.last_name,
                             .first_name = third_party.first_name,
                             .person_lines = {}},
                            users, managers);
}

std::string stored_form(const BundleElement& bundle, std::uint64_t deposits) {
  std::vector<ExpectedPiece> pieces;
  pieces.reserve(bundle.pieces.size());
  for (const PieceElement& piece : bundle.pieces) {
    pieces.push_back({.id = piece.id,
                      .mail_object = piece.mail_object,
                      .status = piece.status,
                      .reason = piece.reason,
                      .deposit = piece.deposit});
  }
  return encode_bundle({.revision = {},
                        .deposits = deposits,
                        .instant = bundle.instant,
                        .id = bundle.id,
                        .name = bundle.name,
                        .creation_date = bundle.creation_date,
                        .third_party = bundle.third_party,
                        .loan = bundle.loan,
                        .amount = bundle.amount,
                        .put_in_place = bundle.put_in_place,
                        .piece_lines = {}},
                       pieces);
}

Result<std::uint64_t> count_new_deposits(const BundleElement& bundle, const std::optional<Bundle>& stored) {
  using Deposit = std::pair<std::string_view, std::string_view>;  // of a piece
  std::vector<Deposit> stored_deposits;
  if (stored) {
    Pieces pieces(*stored);
    for (;;) {
      const auto piece = pieces.next();
      if (!piece) return std::unexpected(piece.error());
      if (!*piece) break;
      if ((*piece)->deposit) stored_deposits.emplace_back((*piece)->id, *(*piece)->deposit);
    }
  }
  std::ranges::sort(stored_deposits);
  return static_cast<std::uint64_t>(std::ranges::count_if(bundle.pieces, [&](const PieceElement& piece) {
    return piece.deposit && !std::ranges::binary_search(stored_deposits, Deposit(piece.id, *piece.deposit));
  }));
}

}  // namespace portail
