// The core without HTTP, over a store of the program's own: imports the document on standard input, prints a bundle.
#include <iostream>
#include <iterator>
#include <map>

#include <portail/portail.hpp>
#include <sodium.h>

using namespace portail;

class MapStore final : public SimpleStore {
  std::map<std::string, std::string, std::less<>> map_;
  Result<std::optional<std::string>> get(std::string_view key) override {
    const auto entry = map_.find(key);
    return entry == map_.end() ? std::nullopt : std::optional(entry->second);
  }
  Result<void> put(std::string_view key, std::string_view value) override {
    return map_.insert_or_assign(std::string(key), value), Result<void>();
  }
  Result<void> remove(std::string_view key) override { return map_.erase(std::string(key)), Result<void>(); }
  Result<std::vector<std::string>> keys(std::string_view prefix) override {
    std::vector<std::string> found;
    for (const auto& [key, value] : map_)
      if (key.starts_with(prefix)) found.push_back(key);
    return found;
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
  const auto report = import_text(context, store, std::string(std::istreambuf_iterator<char>(std::cin), {}));
  if (!report || report->fault_count > 0) return 1;
  DevelopmentIssuer issuer(random);  // a real host has the public keys of its identity provider
  Settings settings;
  settings.tokens = issuer.settings();
  const Service service(settings, issuer.keys(), store);
  const std::string authorization = "Bearer " + issuer.token("sub-client-1", clock.now());
  const HeaderView headers[] = {{"Authorization", authorization}};
  const auto response = run_ready(service.handle(
      context,
      {.method = "GET", .target = "/api/app/liasse/L-2024-0002", .headers = headers, .scheme_is_https = true}));
  std::cout << std::get<std::string>(response->body) << '\n';
  return response->status == 200 ? 0 : 1;
}
