// The program `portail`: its commands, and the set-up of the process.
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "native/commands/command.hpp"
#include "native/commands/version.hpp"

namespace {

// Reserves closed standard streams, so that no later file gets their numbers; reading or writing them fails.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// A store's file is mapped; if it is truncated or its disk fails, reading it raises SIGBUS. Ends the program with a
// message and the status of a failure.
void on_lost_file(int, siginfo_t*, void*) {
  constexpr std::string_view line =
      "portail: a store's file was cut off while it was open, or its disk failed: run portail check, and restore the "
      "store from a backup\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(static_cast<int>(portail::ExitStatus::failure));
}

void handle_lost_files() {
  struct sigaction action{};
  action.sa_sigaction = on_lost_file;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace portail;
  // Errors of the call, not signals, for a closed connection and the file size limit.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  handle_lost_files();
  reserve_standard_streams();
  if (sodium_init() < 0) {
    print_error("no source of random bytes");
    return static_cast<int>(ExitStatus::failure);
  }
  Command program{
      .name = "portail",
      .help = "The customer portal: mail objects and document bundles",
      .variables = {"PORTAIL_TOKEN"},
      .examples = {"portail development trial", "portail import --store lmdb:data portail.json", "portail help serve"},
      .commands = {serve_command(), check_command(), explain_command(), import_command(), export_command(),
                   migrate_command(), backup_command(), restore_command(), touch_command(), audit_command(),
                   person_command(), status_command(), shadow_command(), development_command(), token_command(),
                   keys_command()}};
  program.commands.push_back(completions_command(program));
  program.commands.push_back(manual_command(program));
  program.commands.push_back(version_command());
  return run_command_line(program, version_text(), argc, argv);
}
