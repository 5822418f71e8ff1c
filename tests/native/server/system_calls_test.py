"""The system calls of a request, counted by strace, with an upper bound. A busy machine does not change the counts."""

import collections
import os
import re
import unittest

from support.program import PortailTest, Server, needs_strace, run

REQUESTS = 200


@unittest.skipIf(os.environ.get("TEST_SANITIZE"), "a sanitizer's own calls are counted with the server's")
@needs_strace
class SystemCallsTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.auth = cls.bearer()
        store = f"lmdb:{cls.path('data')}"
        done = run("import", "--store", store, cls.document(mail_objects=40, bundles=20))
        assert done.returncode == 0, done.stderr
        cls.flags = "--store", store, "--workers", "1"

    def calls_of_worker(self, target, headers=(), status=200):
        """Returns the counts by name, from the first request on one connection to the last answer."""
        trace = self.path("trace")
        tracer = ["strace", "-D", "-f", "-q", "-o", trace]
        with Server(self.folder, *self.flags, "--insecure-http", "--transport", "loopback", tls=False,
                    tracer=tracer) as server, server.connect() as client:
            for _ in range(REQUESTS):
                self.assertEqual(client.request("GET", target, [self.auth, *headers]).status, status)
            server.stop()
        calls = re.findall(r"^(\d+) +(\w+)\(", self.read("trace"), re.MULTILINE)
        worker = next(thread for thread, name in calls if name == "sendto")
        names = [name for thread, name in calls if thread == worker]
        last = len(names) - names[::-1].index("sendto")
        return collections.Counter(names[names.index("recvfrom"):last])

    def assert_few(self, calls):
        """Each request is waited for, read, answered and its connection watched again, by one call each. What else there is comes by
        time, not by requests: a tick four times a second (a wait and a read), and what wakes the log's thread."""
        ticks = calls.pop("read", 0)
        self.assertEqual(calls.pop("sendto"), REQUESTS)
        self.assertLessEqual(calls.pop("recvfrom"), REQUESTS + 1)  # the first finds nothing yet where it comes too early
        self.assertLessEqual(calls.pop("epoll_ctl", 0), REQUESTS)
        self.assertLessEqual(calls.pop("epoll_wait"), REQUESTS + ticks + 1)
        self.assertLessEqual(sum(calls.values()), 10 + 4 * ticks, calls)

    def test_a_page(self):
        self.assert_few(self.calls_of_worker("/api/app/objet-courrier"))

    def test_a_page_that_the_client_has(self):
        with Server(self.folder, *self.flags, "--insecure-http", "--transport", "loopback", tls=False) as server:
            tag = server.ask("GET", "/api/app/objet-courrier", [self.auth])["ETag"]
        self.assert_few(self.calls_of_worker("/api/app/objet-courrier", [("If-None-Match", tag)], 304))

    def test_one_bundle(self):
        self.assert_few(self.calls_of_worker("/api/app/liasse/L-00001"))

    def test_a_list_of_bundles(self):
        self.assert_few(self.calls_of_worker("/api/app/liasse"))


if __name__ == "__main__":
    unittest.main()
