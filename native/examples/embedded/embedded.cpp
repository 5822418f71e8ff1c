// The core called directly, without HTTP, over a store of the program's own: prints the answer to one request.
#include <cstdio>
#include <map>

#include <portail/portail.hpp>
#include <sodium.h>

using namespace portail;

// A map, for one thread. The rules of stores are in core/storage/key_value_store.hpp.
class MapStore final : public KeyValueStore {
  using Map = std::map<std::string, std::string, std::less<>>;
  struct Snapshot final : Session {
    explicit Snapshot(Map copy) : map(std::move(copy)) {}
    Task<void> get(Context&, std::span<const std::string_view> keys, std::span<Value> values) override {
      for (std::size_t i = 0; i < keys.size(); ++i) values[i] = find(map, keys[i]);
      co_return;
    }
    Map map;
  };
  static Value find(const Map& map, std::string_view key) {
    const auto entry = map.find(key);
    return entry == map.end() ? Value() : Value(entry->second);
  }
  Map map_;

 public:
  Traits traits() const override { return {.snapshots = true, .compare_and_swap = true, .atomic_batches = true}; }
  Task<std::unique_ptr<Session>> open(Context&) override { co_return std::make_unique<Snapshot>(map_); }
  Task<void> write(Context&, std::span<const Change> changes) override {
    for (const auto& [key, value] : changes) {
      map_.erase(std::string(key));
      if (value) map_.emplace(key, *value);
    }
    co_return;
  }
  Task<bool> compare_and_swap(Context&, std::string_view key, Value expected, std::string_view desired) override {
    if (find(map_, key) != expected) co_return false;
    map_[std::string(key)] = desired;
    co_return true;
  }
  Task<void> scan(Context&, std::string_view prefix, Visitor& visitor) override {
    for (auto entry = map_.lower_bound(prefix); entry != map_.end() && entry->first.starts_with(prefix); ++entry)
      if (!visitor.visit(entry->first, entry->second)) break;
    co_return;
  }
};

int main() {
  if (sodium_init() < 0) return 1;
  SystemClock clock;
  SystemRandom random;
  JsonLog log(LogLevel::info);
  FrameArena frames;
  Context context{clock, random, log, frames};  // of one request; this program makes one after the other
  MapStore store;
  const auto report = import_text(context, store, R"({"objetsCourrier": [{"id": 1, "typeObjet": "CNI",
      "description": "Identity card", "utilisablePourLiasse": true, "typeAffectation": "Obligatoire"}]})");
  if (!report || report->fault_count > 0) return 1;

  // A host has the public keys of its identity provider; this program is its own.
  const auto jwk = generate_private_jwk(*signing_algorithm_named("EdDSA"), "key-1", random);
  const auto token = sign_token(*load_signing_key(jwk), R"({"iss": "https://issuer.example", "aud": "portal",
      "sub": "client-1", "exp": )" + std::to_string(clock.now().seconds() + 60) +
                                                            "}");
  FixedKeys keys(load_key_set(*verification_key_set(jwk))->keys);
  Settings settings;
  settings.tokens.issuer = "https://issuer.example";
  settings.tokens.audiences = {"portal"};
  const Service service(settings, keys, store);

  const std::string authorization = "Bearer " + token;
  const HeaderView headers[] = {{"Authorization", authorization}};
  const auto response = run_ready(service.handle(
      context, {.method = "GET", .target = "/api/app/objet-courrier/1", .headers = headers, .scheme_is_https = true}));
  std::printf("%d %s\n", response->status, std::get<std::string>(response->body).c_str());
}
