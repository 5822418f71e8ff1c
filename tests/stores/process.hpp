// A child process, with pipes to its standard input and output. One thread.
#pragma once

#include <csignal>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace portail {

class Process {
 public:
  explicit Process(std::vector<std::string> arguments) {
    int to_child[2];
    int from_child[2];
    if (pipe(to_child) != 0 || pipe(from_child) != 0) std::abort();
    id_ = fork();
    if (id_ == 0) {
      dup2(to_child[0], STDIN_FILENO);
      dup2(from_child[1], STDOUT_FILENO);
      for (int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) close(end);
      std::vector<char*> pointers;
      for (std::string& argument : arguments) pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      execvp(pointers.front(), pointers.data());
      _exit(127);
    }
    close(to_child[0]);
    close(from_child[1]);
    input_ = to_child[1];
    output_ = from_child[0];
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (id_ > 0) kill_and_wait();
    close(input_);
    close(output_);
  }

  // Its id, until wait() or kill_and_wait(); then -1.
  [[nodiscard]] pid_t id() const { return id_; }
  // Returns the next line of its output, without the line end; empty at the end of the output.
  std::string line() {
    std::string text;
    for (char c = 0; read(output_, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  // Writes a line to its input.
  void write_line(std::string text) {
    text += '\n';
    if (write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  }
  // Closes its input, and returns its exit status, or 128 plus the signal's number.
  int wait() {
    close(std::exchange(input_, -1));
    int status = 0;
    waitpid(std::exchange(id_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // Stops the process until resume(); it has stopped when this returns.
  void suspend() {
    ::kill(id_, SIGSTOP);
    int status = 0;
    if (waitpid(id_, &status, WUNTRACED) != id_ || !WIFSTOPPED(status)) std::abort();
  }
  void resume() { ::kill(id_, SIGCONT); }
  void kill_and_wait() {
    ::kill(id_, SIGKILL);
    waitpid(std::exchange(id_, -1), nullptr, 0);
  }

 private:
  pid_t id_ = -1;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace portail
