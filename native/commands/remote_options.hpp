// The options of commands that may use the management interface of a running portal instead of a store. One thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "native/command_line/command_line.hpp"
#include "native/portal_client/management_client.hpp"

namespace portail {

struct RemoteArguments {
  std::string to;  // empty: the command uses a store
  std::string token_file;
  ClientTls tls;
};

// Adds --to, and --token-file, --ca-file, --client-cert and --client-key, which need it. They set `arguments`, which
// must outlive the options. Returns that of --ca-file, for a command that has other uses of it.
CommandOption& add_remote_options(std::vector<CommandOption>& options, RemoteArguments& arguments);

// Checks the file of --ca-file; an empty name is valid.
std::expected<void, Fault> check_ca_file(const std::string& file);

// Returns the client of the arguments, which have `to`.
std::expected<ManagementClient, Fault> connect_to(const RemoteArguments& arguments);

// Prints the state of the portal that GET /manage/`path` returns, "status" or "check": a row for each member, or JSON.
std::expected<void, Fault> print_remote_state(const RemoteArguments& arguments, std::string_view path, bool json);

}  // namespace portail
