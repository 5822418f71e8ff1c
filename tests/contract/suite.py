"""Shared by the drivers of the contract suite: keys, settings, and runs of the suite. Standard library only."""

import contextlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from key_provider import KeyProvider  # noqa: E402
from portal import clean_environment  # noqa: E402

ISSUER = "https://identite.exemple.fr/"
AUDIENCES = ["portail-clients", "portail-clients-bis"]
ORIGIN = "https://portail.exemple.fr"
DOMAIN = "exemple.test"


def make_keys(portail, suite, folder):
    """private.json for the suite; public.json, rules.json and refused.json for the servers."""
    merged = []
    for algorithm in ("EdDSA", "HS256"):
        key_file = folder / f"{algorithm}.json"
        subprocess.run([portail, "keys", "make", "--output", key_file, "--alg", algorithm,
                        "--kid", f"contract-{algorithm.lower()}"], check=True)
        merged += json.loads(key_file.read_text())["keys"]
    (folder / "private.json").write_text(json.dumps({"keys": merged}))
    subprocess.run([portail, "keys", "public", "--input", folder / "private.json",
                    "--output", folder / "public.json"], check=True)
    rules = subprocess.run([suite, "--print-key-rules"], check=True, capture_output=True, text=True).stdout
    (folder / "rules.json").write_text(rules)
    refused = [key for key in json.loads(rules)["keys"] if key["kid"] in ("encryption", "short-hs256")]
    (folder / "refused.json").write_text(json.dumps({"keys": refused}))


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "365", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                    "-keyout", folder / "tls.key", "-out", folder / "tls.crt"], check=True, stderr=subprocess.DEVNULL)


def make_store(portail, folder):
    """Creates a store of files that holds an empty portal; returns its directory."""
    (folder / "empty.json").write_text("{}")
    subprocess.run([portail, "import", "--store", f"dir:{folder / 'store'}", folder / "empty.json"], check=True, env=clean_environment())
    return folder / "store"


def portal_settings(folder):
    """Returns the portals of the suite, each with its settings as variables. Needs make_keys for this folder."""
    common = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": ",".join(AUDIENCES), "PORTAIL_TRANSPORT": "loopback",
              "PORTAIL_ALLOW_ORIGINS": f"{ORIGIN},https://*.{DOMAIN}", "PORTAIL_JWKS": (folder / "public.json").read_text()}
    changed = {
        "BASE": {},
        "LOOPBACK": {},
        "TENANT": {"PORTAIL_TENANT": "contract-tenant"},
        "FILTERED": {"PORTAIL_FILTER_LISTS": "1"},
        "SUBJECT_CLAIM": {"PORTAIL_SUBJECT_CLAIM": "oid"},
        "NO_LEEWAY": {"PORTAIL_LEEWAY": "0"},
        "KEY_RULES": {"PORTAIL_JWKS": (folder / "rules.json").read_text()},
        "KEYLESS": {"PORTAIL_JWKS": (folder / "refused.json").read_text()},
        "FORWARDED": {"PORTAIL_TRANSPORT": "forwarded"},
        "FORWARDED_UNTRUSTED": {"PORTAIL_TRANSPORT": "forwarded"},
        "DIRECT": {"PORTAIL_TRANSPORT": "direct"},
    }
    return {name: common | change for name, change in changed.items()}


@contextlib.contextmanager
def keys_by_url(portals):
    """Serves the key sets of the portals on loopback, in its block, and gives the portals with URLs of them. Without TLS only the transport
    loopback permits that; the others keep theirs. All that are served must have been fetched."""
    with KeyProvider() as provider:
        changed, expected = {}, set()
        for name, settings in portals.items():
            if settings["PORTAIL_TRANSPORT"] == "loopback":
                provider.documents[f"/{name}"] = settings["PORTAIL_JWKS"].encode()
                settings = settings | {"PORTAIL_JWKS": f"{provider.url}/{name}"}
                expected.add(f"/{name}")
            changed[name] = settings
        yield changed
        missing = expected - set(provider.requests)
        if missing:
            raise RuntimeError(f"not fetched: {', '.join(sorted(missing))}")


def selected_cases():
    """Returns a filter of the cases that one run has in place of all runs, or None (tests/repeated.txt)."""
    return None if os.environ.get("TEST_ALL") else os.environ.get("TEST_CASES")


def run_suite(suite, folder, urls, importing, runs, extra, **promises):
    """Runs the suite `runs` times against the portals at `urls`, prints the outcome, and returns the failed runs. `importing` is the
    import command without the document; `promises` are other PORTAIL_CONTRACT_ variables, in lower case. `extra` are flags of the suite:
    only a filter of what is left out, if TEST_CASES selects cases."""
    if cases := selected_cases():
        runs, extra = 1, [f"--gtest_filter={cases}" + "".join(flag.removeprefix("--gtest_filter=") for flag in extra)]
    environment = {name: value for name, value in os.environ.items() if name.startswith("PORTAIL_CONTRACT_")} | clean_environment()
    environment |= {f"PORTAIL_CONTRACT_{name}_URL": url for name, url in urls.items()}
    environment |= {f"PORTAIL_CONTRACT_{name.upper()}": value for name, value in promises.items()}
    environment |= {
        "PORTAIL_CONTRACT_KEYS": str(folder / "private.json"),
        "PORTAIL_CONTRACT_ISSUER": ISSUER,
        "PORTAIL_CONTRACT_AUDIENCE": AUDIENCES[0],
        "PORTAIL_CONTRACT_SECOND_AUDIENCE": AUDIENCES[1],
        "PORTAIL_CONTRACT_IMPORT": shlex.join(map(str, importing)),
        "PORTAIL_CONTRACT_ALLOWED_ORIGIN": ORIGIN,
        "PORTAIL_CONTRACT_ALLOWED_DOMAIN": DOMAIN,
        "PORTAIL_CONTRACT_MAY_PRUNE": "1",
    }
    failures = []
    for run in range(1, runs + 1):
        print(f"contract: run {run} of {runs} on {urls['BASE']}", flush=True)
        if subprocess.run([suite, *extra], env=environment, stdin=subprocess.DEVNULL).returncode != 0:
            failures.append(f"run {run}")
    return failures


def verdict(failures):
    """Prints the verdict and returns the exit status."""
    print(f"contract: {'passed' if not failures else 'FAILED: ' + '; '.join(failures)}", flush=True)
    return 1 if failures else 0
