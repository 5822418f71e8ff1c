#!/usr/bin/env python3
"""Runs the contract suite against three native servers over one store, behind the repository's nginx (native/nginx).

Makes keys, a certificate and a store (a PostgreSQL server of its own, or a Valkey with a replica and sentinels) in a temporary folder,
starts three servers and nginx in front of them for each setting of the contract that a proxy passes on, waits until they answer, runs
the suite, and stops them by SIGTERM.
Exit status 0 when it passed and every server ended with 0. Python's standard library only.
"""

import argparse
import contextlib
import os
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "native")]
os.environ.setdefault("TEST_PROGRAM", "")  # required by the helpers, but unused here
from run_native import ENGINES, Server, stop_servers  # noqa: E402
from suite import make_certificate, make_keys, portal_settings, run_suite, verdict  # noqa: E402
from support.nginx import Nginx  # noqa: E402
from support.sentinel import WatchedValkey  # noqa: E402

CLUSTER_ENGINES = {"postgres": ENGINES["postgres"], "valkey": WatchedValkey}
PORTALS = 3  # for each setting
# nginx answers some requests of these cases itself: a repeated field that it parses, a malformed target, a method in lower case, TRACE.
# It also asks for each body (100) and waits for it, before a portal sees the request.
ANSWERED_BY_NGINX = ["Always.CorrelationId", "Always.NoSniff", "ApplicationConfiguration.AnInvalidTokenIsIgnored", "Caching.Vary",
                     "Conditional.IfNoneMatch", "Methods.SmallLettersMakeAnotherMethod", "OrderOfChecks.AnAnonymousBodyIsNotAwaited",
                     "OrderOfChecks.AnAnonymousCallerLearnsNothingBut401", "PathMatching.MalformedSegmentsReachNoRoute",
                     "PutBody.TooLongALengthIsRefusedBeforeTheBody", "TokenWhere.OneBearerHeaderOnly"]
# The portals' peer is always the proxy, which reports that it terminated TLS.
LEFT_OUT = {"DIRECT", "FORWARDED", "FORWARDED_UNTRUSTED", "LOOPBACK"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--runs", type=int, default=1, help="how often on the same store (1)")
    parser.add_argument("--engine", default="postgres", choices=list(CLUSTER_ENGINES), help="what keeps the store (postgres)")
    arguments, extra = parser.parse_known_args()  # the rest goes to the suite: --gtest_filter=…

    failures, servers, urls = [], [], {}
    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="portail-cluster-")))
        store = ending.enter_context(CLUSTER_ENGINES[arguments.engine]()).url
        make_keys(arguments.portail, arguments.suite, folder)
        make_certificate(folder)
        try:
            for name, settings in portal_settings(folder).items():
                if name in LEFT_OUT:
                    continue
                keys = folder / f"{name}.jwks"
                keys.write_text(settings.pop("PORTAIL_JWKS"))
                settings |= {"PORTAIL_TRANSPORT": "forwarded", "PORTAIL_TRUSTED_PROXIES": "127.0.0.1/32"}
                flags = ["--store", store, "--create", "--listen", "127.0.0.1:0", "--jwks", str(keys), "--queue-timeout", "0"]
                portals = [Server(f"{name}-{i}", arguments.portail, flags, settings, folder) for i in range(PORTALS)]
                servers += portals
                for portal in portals:
                    portal.wait_for_address()
                    portal.wait_until_answering(503 if name == "KEYLESS" else 200)
                nginx = Nginx(folder / name, [portal.port for portal in portals],
                              certificate=folder / "tls.crt", key=folder / "tls.key", name="localhost", rate=100_000)
                urls[name] = ending.enter_context(nginx).url
            chosen = extra or [f"--gtest_filter=-{':'.join(ANSWERED_BY_NGINX)}"]
            failures += run_suite(arguments.suite, folder, urls, [arguments.portail, "import", "--store", store], arguments.runs,
                                  chosen, ca=str(folder / "tls.crt"), host_parses_http="1")
        except RuntimeError as error:
            failures.append(str(error))
        finally:
            failures += stop_servers(servers)
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
