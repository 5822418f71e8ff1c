#include "native/server/unsent_answers.hpp"

#include <algorithm>
#include <map>

namespace portail {
namespace {

struct Customer {
  std::size_t bytes = 0;
  std::vector<std::size_t> answers;  // the one that has waited longest comes last
};

}  // namespace

std::vector<std::size_t> answers_to_break_off(std::span<const UnsentAnswer> answers, std::size_t most) {
  std::map<IpAddress, Customer> customers;
  std::size_t in_all = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Customer& customer = customers[answers[i].customer];
    customer.bytes += answers[i].bytes;
    customer.answers.push_back(i);
    in_all += answers[i].bytes;
  }
  for (auto& [address, customer] : customers) {
    std::ranges::stable_sort(customer.answers, std::ranges::greater{},
                             [&](std::size_t i) { return answers[i].deadline; });
  }
  std::vector<std::size_t> given_up;
  while (in_all > most) {
    Customer& greediest =
        std::ranges::max_element(customers, {}, [](const auto& entry) { return entry.second.bytes; })->second;
    const std::size_t last = greediest.answers.back();
    greediest.answers.pop_back();
    greediest.bytes -= answers[last].bytes;
    in_all -= answers[last].bytes;
    given_up.push_back(last);
  }
  return given_up;
}

}  // namespace portail
