// The program `portail`: wires the subcommands to the command line.
#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>
#include <sodium.h>

#include "native/commands/command.hpp"

int main(int argc, char** argv) {
  using namespace portail;
  // A peer that is gone and a file that may not grow are errors of the call, not ends of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  if (sodium_init() < 0) {
    tell("no source of random bytes");
    return static_cast<int>(ExitStatus::failure);
  }

  ExitStatus status = ExitStatus::success;
  CLI::App program("The customer portal: mail objects and document bundles", "portail");
  program.set_version_flag("--version", "portail " PORTAIL_VERSION);
  program.require_subcommand(1);
  add_serve_command(program, status);
  add_check_command(program, status);
  add_import_command(program, status);
  add_export_command(program, status);
  add_audit_command(program, status);
  add_token_command(program, status);
  add_keys_command(program, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    tell(std::string(error.what()) + "; see portail --help");
    return static_cast<int>(ExitStatus::wrong_usage);
  } catch (const std::exception& error) {
    tell(error.what());
    return static_cast<int>(ExitStatus::failure);
  }
  return static_cast<int>(status);
}
