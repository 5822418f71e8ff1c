#include "tests/simulation/random_import.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace portail::simulation {
namespace {

constexpr std::size_t max_objects = 20;
constexpr std::size_t max_third_parties = 10;
constexpr std::size_t max_new_bundles = 14;

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ",\n") + text;
  return all;
}

std::string json_array(const std::set<std::string>& texts) {
  std::string json;
  for (const std::string& text : texts) json += (json.empty() ? "" : ",") + json_string(text);
  return "[" + json + "]";
}

std::string document_text(const std::string& id, const Bundle& bundle) {
  std::string pieces;
  for (const Piece& piece : bundle.pieces) {
    pieces += (pieces.empty() ? "" : ",");
    pieces += R"({"id":")" + piece.id + R"(","objetCourrier":)" + std::to_string(piece.object) + R"(,"statut":)" +
              json_string(piece.status) + R"(,"motif":)" + (piece.reason ? json_string(*piece.reason) : "null") +
              (piece.deposit ? R"(,"dateDepot":)" + json_string(*piece.deposit) : "") + "}";
  }
  return R"({"id":)" + json_string(id) + R"(,"nomDossier":)" + json_string(bundle.name) + R"(,"creationDate":")" +
         creation_date(bundle) + R"(","numeroTiers":)" + json_string(bundle.third_party) + R"(,"numeroPret":)" +
         json_string("P-" + id) + R"(,"montantOpportunite":)" + bundle.amount + R"(,"opportuniteMiseEnPlace":)" +
         (bundle.in_place ? "true" : "false") + R"(,"piecesAttendues":[)" + pieces + "]}";
}

std::vector<std::string> without(const std::vector<std::string>& texts, const std::vector<std::string>& omitted) {
  std::vector<std::string> remaining;
  for (const std::string& text : texts) {
    if (std::ranges::find(omitted, text) == omitted.end()) remaining.push_back(text);
  }
  return remaining;
}

template <class Map>
auto& random_entry(Map& map, SeededRandom& random) {
  return *std::next(map.begin(), static_cast<std::ptrdiff_t>(random.below(map.size())));
}

// Begins a write in the model. `restore` restores the state from which imports are planned.
template <class T, class Restore>
void begin_write(History<T>& history, T value, Moment now, PlannedImport& plan, PlannedWrite write, Restore restore) {
  const std::size_t index = history.begin(std::move(value), now);
  write.end = [&history, index](Moment end) { history.end(index, end); };
  write.undo = [&history, index, restore] {
    history.undo(index);
    restore();
  };
  plan.writes.push_back(std::move(write));
}

template <class Map>
auto stored_in(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

// Returns what restores the present entity.
template <class Map>
auto restorer(Map& map, const typename Map::key_type& key) {
  return [&map, key, before = stored_in(map, key)] {
    map.erase(key);
    if (before) map.emplace(key, *before);
  };
}

}  // namespace

RandomImports::RandomImports(PortalHistory& history, SeededRandom& random, PortalSize size,
                             std::vector<std::string> people, std::string auditor)
    : history_(history), random_(random), size_(size), people_(std::move(people)), auditor_(std::move(auditor)) {}

std::string RandomImports::text() {
  static const std::vector<std::string> words{"relev\u00e9", "\"acte\"",   "de pr\u00eat", "\\b",
                                              "\u20ac",      "A",          "zz",           "\U0001F4C4",
                                              "RELEV\u00c9", "\u0152uvre", "ha\u00ff",     "HA\u0178"};
  return random_.pick(words) + " " + random_.pick(words) + std::to_string(random_.below(100));
}

MailObject RandomImports::random_object() {
  MailObject object{.type = text() + " " + std::to_string(next_type_++),
                    .description = text() + std::string(size_.description_bytes, 'd'),
                    .file = std::nullopt};
  if (random_.one_in(3)) object.file = TemplateFile{"f" + std::to_string(random_.below(9)) + ".pdf", "%PDF " + text()};
  return object;
}

ThirdParty RandomImports::random_third_party() {
  ThirdParty third_party{.last_name = text(), .first_name = text(), .users = {}, .managers = {auditor_}};
  for (const std::string& person : people_) {
    if (random_.one_in(3)) third_party.users.insert(person);
    if (random_.one_in(3)) third_party.managers.insert(person);
  }
  return third_party;
}

Piece RandomImports::random_piece() {
  char id[40];
  std::snprintf(id, sizeof id, "3f2504e0-4f89-41d3-9a0c-%012d", next_piece_++);
  Piece piece{.id = id,
              .object = random_entry(objects, random_).first,
              .status = random_.pick(statuses()).first,
              .reason = std::nullopt,
              .deposit = std::nullopt};
  if (random_.one_in(2)) piece.reason = random_.one_in(4) ? "" : text();
  if (random_.one_in(2)) piece.deposit = "2024-02-01T09:00:00+01:00";
  return piece;
}

Bundle RandomImports::random_bundle() {
  Bundle bundle{.name = text(),
                .minute = 1440 + static_cast<int>(random_.below(40)) * 600,
                .offset = static_cast<int>(random_.below(11)) - 5,
                .third_party = random_entry(third_parties, random_).first,
                .amount = std::to_string(random_.below(100000)) + ".00",
                .in_place = random_.one_in(2),
                .pieces = {},
                .deposits = 0};
  for (std::size_t pieces = random_.below(5); pieces > 0; --pieces) bundle.pieces.push_back(random_piece());
  return bundle;
}

void RandomImports::vary(Bundle& bundle) {
  switch (random_.below(4)) {
    case 0:
      bundle.third_party = random_entry(third_parties, random_).first;
      break;
    case 1:
      bundle.pieces.push_back(random_piece());
      break;
    case 2:
      if (!bundle.pieces.empty()) bundle.pieces.erase(bundle.pieces.begin());
      break;
    default:
      break;
  }
  for (Piece& piece : bundle.pieces) {
    if (random_.one_in(2)) continue;
    piece.status = random_.pick(statuses()).first;
    piece.deposit = "2024-03-" + std::to_string(10 + random_.below(20)) + "T09:00:00+01:00";
  }
}

void RandomImports::put_object(PlannedImport& plan, int id, const MailObject& object, Moment now) {
  const Configuration configuration{random_.one_in(2), random_.pick(assignments)};
  std::string json = R"({"id":)" + std::to_string(id) + R"(,"typeObjet":)" + json_string(object.type) +
                     R"(,"description":)" + json_string(object.description) + R"(,"utilisablePourLiasse":)" +
                     (configuration.usable ? "true" : "false") + R"(,"typeAffectation":")" + configuration.assignment +
                     "\"";
  if (object.file) {
    const std::string path = "modeles/" + std::to_string(id) + ".pdf";
    plan.templates[path] = object.file->bytes;
    json += R"(,"fichierModele":{"nomFichier":)" + json_string(object.file->name) + R"(,"chemin":")" + path +
            R"(","type":"application/pdf"})";
  }
  object_texts_.push_back(json + "}");
  using Kind = PlannedWrite::Kind;
  const bool is_new = !objects.contains(id);
  plan.configurations[id] = configuration;
  begin_write(history_.objects[id], std::optional(object), now, plan,
              {.kind = Kind::mail_object, .id = std::to_string(id), .type = object.type, .is_new = is_new},
              restorer(objects, id));
  if (is_new || plan.options.replace_configuration) {
    const Kind kind = is_new ? Kind::new_configuration : Kind::replaced_configuration;
    begin_write(history_.configurations[id], std::optional(configuration), now, plan,
                {.kind = kind, .id = std::to_string(id), .type = object.type}, [] {});
  }
  objects[id] = object;
}

void RandomImports::put_third_party(PlannedImport& plan, const std::string& id, const ThirdParty& third_party,
                                    Moment now) {
  third_party_texts_.push_back(
      R"({"numeroTiers":)" + json_string(id) + R"(,"nomTiers":)" + json_string(third_party.last_name) +
      R"(,"prenomTiers":)" + json_string(third_party.first_name) + R"(,"utilisateurs":)" +
      json_array(third_party.users) + R"(,"gestionnaires":)" + json_array(third_party.managers) + "}");
  const auto before = stored_in(third_parties, id);
  begin_write(
      history_.third_parties[id], std::optional(third_party), now, plan,
      {.kind = PlannedWrite::Kind::third_party, .id = id, .is_new = !before, .is_change = before != third_party},
      restorer(third_parties, id));
  third_parties[id] = third_party;
}

void RandomImports::put_bundle(PlannedImport& plan, const std::string& id, const Bundle& bundle, Moment now) {
  const auto before = stored_in(bundles, id);
  Bundle after = bundle;
  const int deposits = new_deposits(before ? &*before : nullptr, bundle);
  after.deposits += deposits;
  bundle_texts_.push_back(document_text(id, after));
  begin_write(history_.bundles[id], std::optional(after), now, plan,
              {.kind = PlannedWrite::Kind::bundle,
               .id = id,
               .is_new = !before,
               .is_change = before != after,
               .deposits = deposits},
              restorer(bundles, id));
  bundles[id] = after;
}

void RandomImports::prune_a_bundle(PlannedImport& plan, Moment now) {
  const std::string pruned = random_entry(bundles, random_).first;
  plan.options.prune = true;
  begin_write(history_.bundles[pruned], std::optional<Bundle>(), now, plan,
              {.kind = PlannedWrite::Kind::bundle, .id = pruned, .is_removal = true}, restorer(bundles, pruned));
  bundles.erase(pruned);
  plan.kept_bundles = bundles.size();
  for (const auto& [id, bundle] : bundles) bundle_texts_.push_back(document_text(id, bundle));
}

void RandomImports::put_grants(PlannedImport& plan, Granted after, Moment now) {
  const std::vector<std::string> old_texts = grant_texts(grants);
  const std::vector<std::string> new_texts = grant_texts(after);
  plan.grants = {.removed = without(old_texts, new_texts), .added = without(new_texts, old_texts)};
  plan.kept_grants = new_texts.size() - plan.grants->added.size();
  plan.options.allow_empty_sections = new_texts.empty();
  begin_write(history_.grants, after, now, plan,
              {.kind = PlannedWrite::Kind::grants, .id = "droits", .is_change = old_texts != new_texts},
              [this, before = grants] { grants = before; });
  grants = after;
  plan.document = "{\"droits\":[" + joined(new_texts) + "]";
}

PlannedImport RandomImports::first() {
  PlannedImport plan;
  grants = {.dashboard = false, .update = false};  // before
  put_grants(plan, {.dashboard = true, .update = true}, 0);
  for (int id = 1; id <= 12; ++id) put_object(plan, id, random_object(), 0);
  for (int id = 1; id <= 6; ++id) put_third_party(plan, "T." + std::to_string(id), random_third_party(), 0);
  for (std::size_t i = 0; i < size_.bundles; ++i)
    put_bundle(plan, "L-" + std::to_string(next_bundle_++), random_bundle(), 0);
  finish_document(plan);
  return plan;
}

void RandomImports::finish_document(PlannedImport& plan) {
  const auto section = [&](std::string_view name, std::vector<std::string>& texts) {
    if (texts.empty()) return;
    plan.document += (plan.document.empty() ? "{\"" : ",\"") + std::string(name) + "\":[" + joined(texts) + "]";
    texts.clear();
  };
  section("objetsCourrier", object_texts_);
  section("tiers", third_party_texts_);
  section("liasses", bundle_texts_);
  plan.document += plan.document.empty() ? "{}" : "}";
}

PlannedImport RandomImports::next(Moment now, bool must_index) {
  PlannedImport plan;
  plan.options.replace_configuration = random_.one_in(8);
  if (bundles.size() + 6 > size_.bundles && random_.one_in(6)) {
    prune_a_bundle(plan, now);
  } else {
    if (random_.one_in(2)) {
      const bool is_new = objects.size() < max_objects && random_.one_in(2);
      put_object(plan, is_new ? static_cast<int>(objects.size()) + 1 : random_entry(objects, random_).first,
                 random_object(), now);
    }
    if (must_index || random_.one_in(2)) {
      const bool is_new = third_parties.size() < max_third_parties && random_.one_in(3);
      put_third_party(
          plan, is_new ? "T." + std::to_string(third_parties.size() + 1) : random_entry(third_parties, random_).first,
          random_third_party(), now);
    }
    std::set<std::string> varied;
    for (std::size_t i = random_.below(4); i > 0; --i) {
      if (bundles.size() < size_.bundles + max_new_bundles && random_.one_in(3)) {
        put_bundle(plan, *varied.insert("L-" + std::to_string(next_bundle_++)).first, random_bundle(), now);
        continue;
      }
      auto [id, bundle] = random_entry(bundles, random_);
      if (!varied.insert(id).second) continue;
      vary(bundle);
      put_bundle(plan, id, bundle, now);
    }
  }
  if (!plan.options.prune && random_.one_in(4)) {
    put_grants(plan, {.dashboard = !random_.one_in(3), .update = !random_.one_in(5)}, now);
  }
  finish_document(plan);
  return plan;
}

}  // namespace portail::simulation
