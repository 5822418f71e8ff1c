// The program `portail`: its commands, and what the process needs before any of them.
#include <csignal>

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

}  // namespace

int main(int argc, char** argv) {
  using namespace portail;
  // A peer that is gone and a file that may not grow are errors of the call, not ends of the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
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
