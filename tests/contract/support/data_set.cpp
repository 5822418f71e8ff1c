#include "tests/contract/support/data_set.hpp"

#include <filesystem>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sodium.h>

#include "tests/contract/support/environment.hpp"
#include "tests/contract/support/portal_document.hpp"

namespace portail::contract {
namespace {

struct Run {
  std::string prefix = "r";
  std::string uuid_head;
  std::int64_t first_mail_object = 0;
  std::unique_ptr<TemporaryFolder> folder = std::make_unique<TemporaryFolder>();
  int documents = 0;

  Run() {
    for (int i = 0; i < 9; ++i) prefix += "abcdefghijklmnopqrstuvwxyz0123456789"[randombytes_uniform(36)];
    for (int i = 0; i < 8; ++i) uuid_head += "0123456789abcdef"[randombytes_uniform(16)];
    // Multiples of 1,000 from 10^9 to 4.3 × 10^12, far under 2^53.
    first_mail_object = 1'000'000'000 + std::int64_t{randombytes_random()} * 1000;
  }
};

Run& run() {
  static Run the_run;
  return the_run;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number of two digits at `at`, or -1.
int number_at(std::string_view text, std::size_t at) {
  if (at + 2 > text.size() || !is_digit(text[at]) || !is_digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

std::string uuid(int number) {
  return run().uuid_head + "-4f89-41d3-9a0c-0000000000" + static_cast<char>('0' + number / 10) +
         static_cast<char>('0' + number % 10);
}

}  // namespace

std::int64_t mail_object_id(int number) { return run().first_mail_object + number; }

std::string fill(std::string_view literal) {
  std::string text;
  while (!literal.empty()) {
    const std::size_t next = literal.find('$');
    text += literal.substr(0, next);
    if (next == std::string_view::npos) break;
    literal.remove_prefix(next + 1);
    if (literal.starts_with("RUN")) {
      text += run().prefix;
      literal.remove_prefix(3);
    } else if (const int plain = number_at(literal, 0); plain >= 0) {
      text += std::to_string(mail_object_id(plain));
      literal.remove_prefix(2);
    } else if (const int number = number_at(literal, 1); number >= 0) {
      if (literal[0] == 'u') text += uuid(number);
      if (literal[0] == 'O') text += fill(mail_object_wire.at(static_cast<std::size_t>(number)));
      if (literal[0] == 'E') text += fill(embedded_mail_object_wire.at(static_cast<std::size_t>(number)));
      literal.remove_prefix(3);
    } else {
      throw std::logic_error("unknown placeholder: $" + std::string(literal.substr(0, 4)));
    }
  }
  return text;
}

std::string client_bundles() {
  std::string all;
  for (const NamedBundle& each : client_bundle_wire) all += (all.empty() ? "" : ",") + fill(each.wire);
  return all;
}

std::string other_bundle() { return fill(other_bundle_wire); }

std::string bundle(std::string_view name) {
  for (const NamedBundle& each : client_bundle_wire)
    if (each.name == name) return fill(each.wire);
  throw std::logic_error("no such bundle: " + std::string(name));
}

std::string data_set_bundles() { return std::string(document_bundles); }

std::string data_set_grants() { return std::string(document_grants); }

std::string cni_template() { return std::string("%PDF-1.4\n%\xe2\xe3\xcf\xd3\0mod\xc3\xa8le\r\n%%EOF\n", 30); }

std::string large_template() {
  std::string bytes = "%PDF-1.4\n";
  for (unsigned i = 0; bytes.size() < 600'000; ++i) bytes += static_cast<char>((i * 2654435761U) >> 24);
  return bytes;
}

const TemporaryFolder& import_folder() { return *run().folder; }

CommandResult import_document(std::string_view document, std::string_view options) {
  const std::string path = import_folder().path() + "/document-" + std::to_string(++run().documents) + ".json";
  write_file(path, fill(document));
  return run_command(environment().import_command + " " + std::string(options) + " '" + path + "'");
}

void import_or_fail(std::string_view document, std::string_view options) {
  const CommandResult result = import_document(document, options);
  ASSERT_EQ(result.status, 0) << result.output;
}

void load_data_set() {
  const std::string folder = import_folder().path();
  std::filesystem::create_directory(folder + "/modeles");
  write_file(folder + "/modeles/cni.pdf", cni_template());
  write_file(folder + "/modeles/large.pdf", environment().large_template ? large_template() : cni_template());
  const CommandResult result =
      import_document(R"({"objetsCourrier":[)" + std::string(document_mail_objects) + R"(],"tiers":[)" +
                      std::string(document_third_parties) + R"(],"liasses":[)" + std::string(document_bundles) +
                      R"(],"droits":[)" + std::string(document_grants) + "]}");
  if (result.status != 0) throw std::runtime_error("the data set cannot be imported:\n" + result.output);
}

void remove_data_set() { run().folder.reset(); }

}  // namespace portail::contract
