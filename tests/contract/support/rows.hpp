// The rows of docs/contract.md: the contract, cut into the clauses that can break alone. Each case says which it
// checks; a name that is not in the table does not compile, and a row without a case fails the run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace portail::contract {

// "Section: point" or "Section: point, clause", in the order of the page.
inline constexpr std::string_view rows[] = {
    "Requests: routes, the nine of the interface",
    "Requests: routes, the template file",
    "Requests: path matching, ASCII case",
    "Requests: path matching, one trailing slash",
    "Requests: path matching, percent-decoded once per segment",
    "Requests: path matching, malformed segments",
    "Requests: {id} of a mail object",
    "Requests: query names, case",
    "Requests: query names, unknown",
    "Requests: query names, repeated",
    "Requests: paging, defaults",
    "Requests: paging, bounds",
    "Requests: sorting",
    "Requests: sorting, what is no field or direction",
    "Requests: filter",
    "Requests: methods, HEAD",
    "Requests: methods, POST and DELETE",
    "Requests: methods, 405 and Allow",
    "Requests: CORS, configured origins only",
    "Requests: CORS, preflight",
    "Requests: CORS, every other answer",
    "Requests: order of checks, framing before transport",
    "Requests: order of checks, framing before 401",
    "Requests: order of checks, transport before preflight",
    "Requests: order of checks, preflight before 401",
    "Requests: order of checks, 401 before route",
    "Requests: order of checks, route before permission",
    "Requests: order of checks, permission before entity",
    "Requests: order of checks, entity before ownership",
    "Requests: order of checks, entity before 415",
    "Requests: order of checks, 415 before 413",
    "Requests: order of checks, 413 before 400",
    "Requests: order of checks, 400 before 412",
    "Requests: order of checks, 412 before work",
    "Requests: order of checks, an anonymous body is never parsed",
    "Requests: PUT body, 64 KiB",
    "Requests: PUT body, media type",
    "Requests: PUT body, names without regard to case",
    "Requests: PUT body, both fields required",
    "Requests: PUT body, other members ignored",
    "Requests: PUT body, duplicates",
    "Requests: PUT body, types and values",
    "Requests: PUT body, malformed JSON",
    "Requests: PUT body, byte order mark, UTF-8, surrogates",
    "Requests: PUT body, depth",
    "Answers: content type",
    "Answers: JSON text",
    "Answers: paged list",
    "Answers: list-all",
    "Answers: bundle lists",
    "Answers: mail object",
    "Answers: mail object, PUT answers the updated one",
    "Answers: mail object inside a piece",
    "Answers: creationDate",
    "Answers: montantOpportunite",
    "Answers: statut of a bundle",
    "Answers: completion",
    "Answers: which pieces count",
    "Answers: piece statut",
    "Answers: derogated pieces, by id",
    "Answers: derogated pieces, lists",
    "Answers: derogated pieces, PORTAIL_FILTER_LISTS",
    "Answers: erreur",
    "Answers: deposeeDepuisDerniereConsultation, read by id",
    "Answers: deposeeDepuisDerniereConsultation, each caller",
    "Answers: deposeeDepuisDerniereConsultation, HEAD, 304 and lists",
    "Answers: deposeeDepuisDerniereConsultation, deposits",
    "Answers: deposeeDepuisDerniereConsultation, a derogated piece",
    "Answers: template file",
    "Answers: template file, 404",
    "Answers: validators, ETag on every 200",
    "Answers: validators, If-None-Match",
    "Answers: validators, If-Match",
    "Answers: validators, racing PUTs",
    "Answers: validators, compressed forms",
    "Answers: validators, 304 after 401, 403, 404",
    "Answers: validators, the tag covers what the caller sees",
    "Answers: caching",
    "Answers: caching, Vary",
    "Answers: always, nosniff",
    "Answers: always, X-Correlation-Id",
    "Who sees what: utilisateurs and gestionnaires",
    "Who sees what: GET /liasse",
    "Who sees what: dashboard-list",
    "Who sees what: GET /liasse/{id}",
    "Who sees what: mail objects need no permission",
    "Who sees what: permissions, claim",
    "Who sees what: permissions, granted to a user",
    "Who sees what: permissions, granted to a role",
    "Who sees what: permissions, granted to a client",
    "Who sees what: checked anew on every read",
    "Who sees what: tenant",
    "Tokens: where",
    "Tokens: form, compact and at most 8,000 bytes",
    "Tokens: form, alg bound to the key",
    "Tokens: form, a key without alg",
    "Tokens: key choice, kid",
    "Tokens: key choice, jwk, jku, x5u, x5c",
    "Tokens: key choice, crit",
    "Tokens: key choice, typ",
    "Tokens: base64url",
    "Tokens: JSON",
    "Tokens: claims, iss",
    "Tokens: claims, aud",
    "Tokens: claims, exp and nbf",
    "Tokens: claims, leeway",
    "Tokens: claims, sub",
    "Tokens: claims, PORTAIL_SUBJECT_CLAIM",
    "Tokens: claims, ID and refresh tokens",
    "Tokens: no usable key set",
    "Tokens: keys refused",
    "Tokens: 401",
    "Errors: body and _AbpErrorFormat",
    "Errors: 400 from validation",
    "Errors: 404 of an entity",
    "Errors: 500",
    "Errors: malformed JSON",
    "Errors: 503",
    "Errors: language",
    "Errors: framing closes the connection",
    "Errors: after any other error",
    "Transport: health is exempt",
    "Transport: direct",
    "Transport: forwarded",
    "Transport: forwarded, only from a trusted proxy",
    "Transport: loopback",
    "Transport: never a redirect",
    "Also answered: application-configuration, anonymous",
    "Also answered: application-configuration, a bad token",
    "Also answered: application-configuration, a caller",
    "Also answered: application-configuration, localization",
    "Also answered: application-localization",
    "Also answered: api-definition",
    "Also answered: health",
    "Also answered: health, no usable key set",
    "Also answered: swagger.json",
    "Also answered: swagger index.html",
    "Also answered: swagger",
    "Import: upserts by id",
    "Import: keeps the configuration",
    "Import: --replace-configuration",
    "Import: --prune",
    "Import: --dry-run",
    "Import: refused, changing nothing",
    "Import: template files",
    "Import: dates and UUIDs",
    "Import: droits is replaced whole",
};

class Row {
 public:
  consteval Row(const char* name)  // NOLINT(google-explicit-constructor): a row is named by its text
      : number_(static_cast<std::size_t>(std::ranges::find(rows, std::string_view(name)) - std::begin(rows))) {
    if (number_ == std::size(rows)) throw "no such row of the contract";
  }
  std::size_t number() const { return number_; }

 private:
  std::size_t number_;
};

// Prints the row, records it with the test's result, and notes that it has a case.
void checks(Row row);

// Rows that no case named since the program started, and those whose every case was skipped.
void print_rows();
std::size_t rows_without_case();
void watch_skipped_rows();  // before the tests run

}  // namespace portail::contract
