// The program `portail`: its commands, and what the process needs before any of them.
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "native/commands/command.hpp"
#include "native/commands/version.hpp"

namespace {

// A stream that the program was started without is no file that it opens later: reading it, or writing to it, fails.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// A store's file is mapped: where it was cut off since it was checked, or its disk fails, reading it is a signal. The
// program cannot go on, but ends by its status, with a reason.
void end_without_file(int, siginfo_t*, void*) {
  constexpr std::string_view line =
      "portail: a store's file was cut off while it was open, or its disk failed: run portail check, and restore the "
      "store from a backup\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(static_cast<int>(portail::ExitStatus::failure));
}

void end_where_a_file_is_lost() {
  struct sigaction action{};
  action.sa_sigaction = end_without_file;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace portail;
  // A peer that is gone and a file that may not grow are errors of the call, not ends of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  end_where_a_file_is_lost();
  keep_standard_streams();
  if (sodium_init() < 0) {
    tell("no source of random bytes");
    return static_cast<int>(ExitStatus::failure);
  }
  Command program{.name = "portail",
                  .help = "The customer portal: mail objects and document bundles",
                  .examples = {"portail keys make --output keys.json", "portail import --store lmdb:data portail.json",
                               "portail help serve"},
                  .commands = {serve_command(), check_command(), import_command(), export_command(), migrate_command(),
                               backup_command(), restore_command(), audit_command(), status_command(), token_command(),
                               keys_command()}};
  program.commands.push_back(completions_command(program));
  program.commands.push_back(manual_command(program));
  program.commands.push_back(version_command());
  return run_command_line(program, version_text(), argc, argv);
}
