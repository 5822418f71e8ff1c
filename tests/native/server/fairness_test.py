"""A client that sends much, over any number of connections, gets only its share: counts the answers in their order."""

import base64
import os
import signal
import unittest

from support.program import Connection, PortailTest, Server, until

TARGET = "/api/app/objet-courrier"
PIPELINED = 40  # requests that the client sends ahead, so that some are always pending
ATTACKER_CONNECTIONS = 30  # connections of the other address
ATTACKER_REQUESTS = 40  # requests that each of those sends ahead


class FairnessTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.good = cls.token()

    def forged(self):
        """Returns a new token, whose signature must be verified."""
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
        """Runs one worker: between the client's first and last answer, the attacker gets at most its share of the answers."""
        with Server(self.folder, "--store", "memory:", "--create", "--insecure-http", "--workers", "1", tls=False) as server:
            self.assertEqual(server.ask("GET", TARGET, [("Authorization", f"Bearer {self.good}")]).status, 200)
            crowd = [self.connect(server, "127.0.0.2") for _ in range(ATTACKER_CONNECTIONS)]
            client = self.connect(server, "127.0.0.1")
            ahead = ["".join(self.request(token_of_attacker()) for _ in range(ATTACKER_REQUESTS)) for _ in crowd]
            server.process.send_signal(signal.SIGSTOP)  # it starts with all requests pending, however slow this test is
            for connection, requests in zip(crowd, ahead):
                connection.send(requests)
            client.send(self.request(self.good) * PIPELINED)
            server.process.send_signal(signal.SIGCONT)
            for _ in range(PIPELINED):
                self.assertEqual(client.read().status, 200)
            for connection in crowd:
                for _ in range(ATTACKER_REQUESTS):
                    self.assertEqual(connection.read().status, 401)
            answers = until(lambda: self.answers(server), "the log")
        first = answers.index(200, 1)
        last = len(answers) - 1 - answers[::-1].index(200)
        window = answers[first:last + 1]
        self.assertEqual(window.count(200), PIPELINED)
        # In some turns, either side reads only a part of a head.
        self.assertLessEqual(window.count(401), PIPELINED * 3 // 2)
        gaps = "".join("." if status == 200 else "x" for status in window).split(".")
        self.assertLessEqual(max(map(len, gaps)), 3)
        # The attacker had pending requests all the time, and got its share.
        self.assertGreater(len(answers) - last, ATTACKER_CONNECTIONS)
        self.assertGreaterEqual(window.count(401), PIPELINED // 2)

    @staticmethod
    def answers(server):
        statuses = [line["status"] for line in server.log_lines() if line.get("route") == TARGET]
        return statuses if len(statuses) == 1 + PIPELINED + ATTACKER_CONNECTIONS * ATTACKER_REQUESTS else None


if __name__ == "__main__":
    unittest.main()
