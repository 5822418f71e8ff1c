"""The JavaScript hosts of the tests: an example of wasm/examples, installed with the package's tarball and started. Standard library only."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

CHECKOUT = pathlib.Path(__file__).parent.parent.parent
HOSTS = CHECKOUT / "build" / "javascript-hosts"
NPM = "npm@" + re.search(r"npm_version=(\S+)", (CHECKOUT / "tools/lib/npm.sh").read_text())[1]
PATIENCE = 60  # seconds

# The program of each host, and its arguments in the example's folder.
COMMANDS = {
    "node": ("node", ["server.js"]),
    "deno": (HOSTS / "bin/deno", ["run", "--allow-env", "--allow-net=127.0.0.1", "--allow-read", "--allow-write", "server.js"]),
    "bun": (HOSTS / "bin/bun", ["server.js"]),
    "workerd": (HOSTS / "bin/workerd", ["serve", "--socket-addr", "http=127.0.0.1:0", "--control-fd=1", "config.capnp"]),
}


def program_of(host):
    """Nothing where it is not there."""
    return shutil.which(COMMANDS[host][0])


def install_example(name, tarball, folder):
    """A copy of the example, with what its package.json or its reader needs: the tarball, installed by npm, offline."""
    target = folder / name
    shutil.copytree(CHECKOUT / "wasm" / "examples" / name, target, ignore=shutil.ignore_patterns("node_modules"))
    install_tarball(tarball, target, folder)
    return target


def install_tarball(tarball, target, folder):
    environment = plain_environment(folder) | {
        "COREPACK_HOME": str(HOSTS / "corepack"), "COREPACK_ENABLE_NETWORK": "0", "npm_config_cache": str(folder / "npm")}
    subprocess.run(["corepack", NPM, "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", tarball],
                   cwd=target, env=environment, check=True, stdout=subprocess.DEVNULL)


def plain_environment(folder):
    """Nothing of the caller's but its programs; and no host asks the network whether there is a newer one."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}


class Host:
    """One host over the folder `store`, with these variables, on a free port; `url` says where."""

    def __init__(self, name, host, example, variables, store, folder):
        self.name = name
        self.log_path = folder / f"{name}.log"
        program, arguments = COMMANDS[host]
        if host == "workerd":
            arguments = [*arguments[:-1], "--directory-path", f"folder={store}", arguments[-1]]
        environment = plain_environment(folder) | {"PORT": "0", "DATA": str(store)} | variables
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen([program, *arguments], cwd=example, env=environment, stdout=log,
                                            stderr=subprocess.STDOUT)
        self.url = None

    def wait_for_address(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            # workerd says it in JSON, on its control file.
            found = re.search(r'(?:listening on http://127\.0\.0\.1:|"port":)(\d+)', self.said())
            if found:
                self.url = f"http://127.0.0.1:{found[1]}"
                return
            time.sleep(0.05)
        raise RuntimeError(f"{self.name} does not listen:\n{self.said()}")

    def readiness(self):
        try:
            with urllib.request.urlopen(f"{self.url}/health/ready", timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def said(self):
        return self.log_path.read_text()

    def stop(self):
        """What is wrong with how it ended; nothing where all is well."""
        running = self.process.poll() is None
        if running:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return None if running else f"{self.name} ended by itself:\n{self.said()[-2000:]}"
