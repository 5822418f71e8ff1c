"""A client that sends much, over any number of connections, takes turns with all others: counts of answers, in their order."""

import base64
import os
import unittest

from support.program import Connection, PortailTest, Server, until

TARGET = "/api/app/objet-courrier"
WAITING = 40  # requests of the client that are sent ahead, so that it always waits
CROWD = 30  # connections of the other address
GREED = 40  # requests that each of those sends ahead


class FairnessTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.good = cls.token()

    def forged(self):
        """A new token, whose signature must be verified."""
        signature = base64.urlsafe_b64encode(os.urandom(64)).rstrip(b"=").decode()
        return self.good[:self.good.rindex(".") + 1] + signature

    @staticmethod
    def request(token):
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        return f"GET {TARGET} HTTP/1.1\r\nHost: h\r\n{authorization}\r\n"

    def connect(self, server, address):
        connection = Connection(server.port, tls=False, address=address)
        self.addCleanup(connection.close)
        return connection

    def test_an_address_that_forges_tokens_takes_turns_with_others(self):
        self.assert_turns(self.forged)

    def test_an_address_without_a_token_takes_turns_with_others(self):
        self.assert_turns(lambda: None)

    def assert_turns(self, token_of_attacker):
        """One worker: of the answers from the client's first to its last, no more than its share are the attacker's."""
        with Server(self.folder, "--store", "memory:", "--create", "--insecure-http", "--workers", "1", tls=False) as server:
            self.assertEqual(server.ask("GET", TARGET, [("Authorization", f"Bearer {self.good}")]).status, 200)
            crowd = [self.connect(server, "127.0.0.2") for _ in range(CROWD)]
            client = self.connect(server, "127.0.0.1")
            ahead = ["".join(self.request(token_of_attacker()) for _ in range(GREED)) for _ in crowd]
            for connection, requests in zip(crowd, ahead):
                connection.send(requests)
            client.send(self.request(self.good) * WAITING)
            for _ in range(WAITING):
                self.assertEqual(client.read().status, 200)
            for connection in crowd:
                for _ in range(GREED):
                    self.assertEqual(connection.read().status, 401)
            answers = until(lambda: self.answers(server), "the log")
        first = answers.index(200, 1)
        last = len(answers) - 1 - answers[::-1].index(200)
        taken = answers[first:last + 1]
        self.assertEqual(taken.count(200), WAITING)
        # Some turns bring only a part of a head, on either side.
        self.assertLessEqual(taken.count(401), WAITING * 3 // 2)
        gaps = "".join("." if status == 200 else "x" for status in taken).split(".")
        self.assertLessEqual(max(map(len, gaps)), 3)
        # And it was shared: the attacker waited all the time, and had its turns.
        self.assertGreater(len(answers) - last, CROWD)
        self.assertGreaterEqual(taken.count(401), WAITING // 2)

    @staticmethod
    def answers(server):
        statuses = [line["status"] for line in server.log_lines() if line.get("route") == TARGET]
        return statuses if len(statuses) == 1 + WAITING + CROWD * GREED else None


if __name__ == "__main__":
    unittest.main()
