#include "native/server/unsent_answers.hpp"

#include <algorithm>
#include <map>

namespace portail::server {
namespace {

struct Client {
  std::size_t bytes = 0;
  std::vector<std::size_t> answers;  // indices; the longest wait is last
};

}  // namespace

std::vector<std::size_t> answers_to_abort(std::span<const UnsentAnswer> answers, std::size_t max_bytes) {
  std::map<IpAddress, Client> clients;
  std::size_t total_bytes = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Client& client = clients[answers[i].client];
    client.bytes += answers[i].bytes;
    client.answers.push_back(i);
    total_bytes += answers[i].bytes;
  }
  for (auto& [address, client] : clients) {
    std::ranges::stable_sort(client.answers, std::ranges::greater{},
                             [&](std::size_t i) { return answers[i].deadline; });
  }
  std::vector<std::size_t> aborted;
  while (total_bytes > max_bytes) {
    Client& largest =
        std::ranges::max_element(clients, {}, [](const auto& entry) { return entry.second.bytes; })->second;
    const std::size_t index = largest.answers.back();
    largest.answers.pop_back();
    largest.bytes -= answers[index].bytes;
    total_bytes -= answers[index].bytes;
    aborted.push_back(index);
  }
  return aborted;
}

}  // namespace portail::server
