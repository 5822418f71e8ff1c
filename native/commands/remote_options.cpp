#include "native/commands/remote_options.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/json/reader.hpp"
#include "native/commands/audit_line.hpp"
#include "native/system/small_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// Returns the text of a simple value; nullopt for others.
std::optional<std::string> text_of(JsonValue value) {
  if (const auto text = string_of(value)) return std::string(*text);
  if (const auto number = integer_of(value)) return std::to_string(*number);
  if (const auto boolean = boolean_of(value)) return std::string(*boolean ? "yes" : "no");
  return std::nullopt;
}

}  // namespace

CommandOption& add_remote_options(std::vector<CommandOption>& options, RemoteArguments& arguments) {
  std::vector<CommandOption> remote{
      {.name = "--to",
       .help = "URL of a running portal's management interface, instead of a store",
       .field = &arguments.to},
      {.name = "--token-file",
       .help = "File of a token with PortailClients.Administration; default: the variable PORTAIL_TOKEN",
       .field = &arguments.token_file},
      {.name = "--ca-file",
       .help = "Certificate authorities of the portal, PEM; default: the system's",
       .field = &arguments.tls.ca_file},
      {.name = "--client-cert",
       .help = "Certificate of this client and its chain, PEM, for a portal with --manage-client-ca",
       .field = &arguments.tls.certificate},
      {.name = "--client-key",
       .help = "Key of that certificate, PEM, without a password",
       .field = &arguments.tls.key}};
  for (CommandOption& option : remote) {
    option.group = "Over HTTP";
    if (option.name != "--to") option.needs = "--to";
    options.push_back(std::move(option));
  }
  return *std::ranges::find(options, "--ca-file", &CommandOption::name);
}

std::expected<void, Fault> check_ca_file(const std::string& file) {
  if (file.empty()) return {};
  const auto authorities = read_small_file(file, "--ca-file");
  if (!authorities) return failure(authorities.error());
  if (!authorities->contains("-----BEGIN CERTIFICATE-----")) {
    return wrong_usage("--ca-file: " + file + " has no certificate in PEM");
  }
  return {};
}

std::expected<ManagementClient, Fault> connect_to(const RemoteArguments& arguments) {
  return ManagementClient::create(arguments.to, arguments.token_file, arguments.tls);
}

std::expected<void, Fault> print_remote_state(const RemoteArguments& arguments, std::string_view path, bool json) {
  const auto client = connect_to(arguments);
  if (!client) return std::unexpected(client.error());
  const auto state = client->get(path);
  if (!state) return std::unexpected(state.error());
  const auto document = parse_json(*state);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  if (!object) return failure("the answer is not the state of a portal");
  if (json) {
    print_json_line(*state);
    return {};
  }
  for (const auto each : *object) {
    if (const auto text = text_of(each.value)) print_row(each.name, *text);
  }
  const auto last = member(*object, "lastImport");
  if (const auto record = last ? object_of(*last) : std::nullopt) {
    print_row("lastImport", format_audit_record(*record));
  }
  return {};
}

}  // namespace portail
