// Replies of a Redis server, or arbitrary bytes. They do not depend on the sizes of reads; none exceeds its limits; no
// log line repeats the server's text.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "native/stores/redis/redis_protocol.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

// Small limits, so that inputs of some hundred bytes reach them. Each applies to one reply in turn.
constexpr std::array limits = {redis::ReplyLimit{.max_bytes = 1024, .max_elements = 32},
                               redis::ReplyLimit{.max_bytes = 64, .max_elements = 2}};
constexpr int rounds = 16;

std::size_t elements_in(const redisReply& reply, std::size_t depth) {
  check(depth <= redis::ReplyReader::max_depth + 1, "an array is as deep as it may be");
  std::size_t count = redis::elements_of(reply).size();
  for (const redisReply* element : redis::elements_of(reply)) count += elements_in(*element, depth + 1);
  return count;
}

void check_fault(const redis::Fault& fault) {
  check(fault.message.size() < 120, "a fault is short");
  check(std::ranges::all_of(fault.message, [](char c) { return c >= ' ' && c <= '~'; }), "a fault is one line of text");
  const std::size_t open = fault.message.rfind('(');
  if (open == std::string::npos) return;
  const std::string_view code = std::string_view(fault.message).substr(open + 1, fault.message.size() - open - 2);
  check(
      code.size() <= 20 && (code == "error" || std::ranges::all_of(code, [](char c) { return c >= 'A' && c <= 'Z'; })),
      "only the code of an error is repeated");
}

void write(const redisReply& reply, std::string& transcript) {
  transcript += std::to_string(reply.type) + ' ';
  if (const auto text = redis::text_of(reply)) transcript += *text;
  if (reply.type == REDIS_REPLY_INTEGER) transcript += std::to_string(reply.integer);
  if (const auto fault = redis::fault_in(reply)) {
    check_fault(*fault);
    transcript += fault->message;
  }
  for (const redisReply* element : redis::elements_of(reply)) {
    check(element != nullptr, "a complete array has all its elements");
    write(*element, transcript);
  }
  transcript += '\n';
}

std::string transcript_of(std::string_view input, std::size_t piece) {
  redis::ReplyReader reader;
  for (int round = 0; round < rounds; ++round) reader.expect(limits);
  std::size_t read = 0;
  std::string transcript;
  while (!input.empty()) {
    const std::string_view now = input.substr(0, piece);
    input.remove_prefix(now.size());
    reader.feed(std::span(now.data(), now.size()));
    while (true) {
      auto reply = reader.next();
      if (!reply) {
        check_fault(reply.error());
        return transcript + "no protocol";
      }
      if (!*reply) break;
      check(elements_in(**reply, 1) <= limits.at(read++ % limits.size()).max_elements, "a reply has no more elements");
      write(**reply, transcript);
    }
  }
  return transcript;
}

}  // namespace

void fuzz(std::string_view input) {
  const std::string whole = transcript_of(input, input.size() + 1);
  check(transcript_of(input, 1) == whole, "single bytes are the same replies");
  check(transcript_of(input, 2 + input.size() % 61) == whole, "pieces are the same replies");
}
