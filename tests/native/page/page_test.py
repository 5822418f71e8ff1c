"""The page as the server answers it: its files, their caching and forms, its policy, its settings, the clients that receive tokens, and the link to the viewer."""

import json
import re
import unittest

from support.program import PortailTest, Server, must_run, run


class PageTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.store = f"lmdb:{cls.path('store')}"
        must_run("import", "--store", cls.store, cls.document())
        cls.write("personas.json", json.dumps([{"name": "client", "description": "Chloé", "token": "a.b.c", "more": 1}]))

    def serve(self, *flags, **options):
        return self.enterContext(Server(self.folder, "--store", self.store, *flags, **options))

    def test_the_page_and_its_files(self):
        server = self.serve()
        page = server.ask("GET", "/")
        self.assertEqual((page.status, page["Content-Type"], page["Cache-Control"]), (200, "text/html; charset=utf-8", "no-cache"))
        self.assertEqual(page["Content-Security-Policy"],
                         "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                         "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
                         "require-trusted-types-for 'script'")
        self.assertEqual((page["X-Content-Type-Options"], page["Referrer-Policy"]), ("nosniff", "no-referrer"))
        self.assertIn("max-age", page["Strict-Transport-Security"])
        names = re.findall(r'(?:href|src)="(page/[^"]+)"', page.body.decode())
        self.assertEqual([re.sub("-[A-Z0-9]{8}", "", name) for name in names], ["page/icon.svg", "page/main.css", "page/main.js"])
        types = ["image/svg+xml", "text/css; charset=utf-8", "text/javascript; charset=utf-8"]
        for name, media_type in zip(names, types):
            with self.subTest(name):
                file = server.ask("GET", f"/{name}")
                self.assertEqual((file.status, file["Content-Type"]), (200, media_type))
                self.assertEqual(file["Cache-Control"], "public, max-age=31536000, immutable")
                self.assertEqual(server.ask("HEAD", f"/{name}")["Content-Length"], str(len(file.body)))

    def test_a_file_in_the_encodings_that_clients_accept(self):
        server = self.serve()
        name = "/" + re.search(r'src="(page/main[^"]+)"', server.ask("GET", "/").body.decode())[1]
        plain = server.ask("GET", name)
        self.assertIsNone(plain["Content-Encoding"])
        tag = plain["ETag"]
        self.assertRegex(tag, r'^"[0-9a-f]{32}"$')
        coded = server.ask("GET", name, [("Accept-Encoding", "gzip, deflate, br, zstd")])
        self.assertEqual((coded["Content-Encoding"], coded["ETag"]), ("br", f'{tag[:-1]}-br"'))
        self.assertLess(len(coded.body), len(plain.body) / 2)
        self.assertEqual(server.ask("GET", name, [("Accept-Encoding", "gzip")])["Content-Encoding"], "gzip")
        for condition in (tag, coded["ETag"], "*"):
            known = server.ask("GET", name, [("If-None-Match", condition), ("Accept-Encoding", "br")])
            self.assertEqual((known.status, known.body), (304, b""), condition)
        self.assertEqual(server.ask("GET", name, [("If-None-Match", coded["ETag"])])["ETag"], coded["ETag"])
        for condition, status in ((tag, 200), (coded["ETag"], 200), ("*", 200), ('"x"', 412), ("W/" + tag, 412)):
            self.assertEqual(server.ask("GET", name, [("If-Match", condition)]).status, status, condition)

    def test_a_target_without_a_path_is_the_page(self):
        server = self.serve()
        page = server.ask("GET", "/")
        for target in ("https://portail.test", "https://portail.test?code=1", "HTTP://portail.test/", "/?a=\\"):
            answer = server.ask("GET", target)
            self.assertEqual((answer.status, answer.body), (200, page.body), target)
        self.assertEqual(server.ask("OPTIONS", "https://portail.test")["Allow"], "GET, HEAD, PUT, OPTIONS")

    def test_what_is_no_request_for_it(self):
        server = self.serve()
        for method, target, status in (("POST", "/", 405), ("GET", "/page/", 404), ("GET", "/page/main.js", 404), ("GET", "/page", 404),
                                       ("GET", "/page/../", 400), ("GET", "/?%", 200), ("GET", "/\\", 400), ("GET", "/?code=1&state=2", 200),
                                       ("GET", "/index.html", 404)):
            with self.subTest(target):
                self.assertEqual(server.ask(method, target).status, status)
        self.assertEqual(server.ask("DELETE", "/page/settings.json")["Allow"], "GET, HEAD")
        preflight = [("Origin", "https://front.test"), ("Access-Control-Request-Method", "GET")]
        self.assertEqual(self.serve("--allow-origin", "https://front.test").ask("OPTIONS", "/", preflight).status, 204)
        behind = self.serve("--transport", "forwarded", "--trusted-proxy", "127.0.0.1")
        self.assertEqual(behind.ask("GET", "/").status, 200, "this server ends TLS")
        self.assertEqual(behind.ask("GET", "/", [("X-Forwarded-Proto", "http")]).status, 403)

    def test_the_sign_in_of_the_viewer(self):
        policy = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'%s; base-uri 'none'; "
                  "form-action 'none'; frame-ancestors 'none'")
        without = self.serve()
        viewer = without.ask("GET", "/swagger/index.html")
        self.assertEqual((viewer.status, viewer["Content-Security-Policy"]), (200, policy % ""))
        self.assertEqual(without.ask("GET", "/swagger/oauth2-redirect.html").status, 404)
        server = self.serve("--page-client", "front-end", "--page-authority", "https://login.test:8443/realms/a")
        for path, body in (("/swagger/index.html", viewer.body), ("/swagger/oauth2-redirect.html?code=1&state=2", None)):
            with self.subTest(path):
                answer = server.ask("GET", path)
                self.assertEqual((answer.status, answer["Content-Type"]), (200, "text/html; charset=utf-8"))
                self.assertEqual(answer["Content-Security-Policy"], policy % " https://login.test:8443")
                self.assertEqual((answer["Referrer-Policy"], answer["Cross-Origin-Opener-Policy"]), ("no-referrer", "same-origin"))
                self.assertNotRegex(answer.body, rb"<script(?! type=\"module\" src=)|<style|\bon\w+=")
                if body:
                    self.assertEqual(answer.body, body)
        self.assertEqual(server.ask("POST", "/swagger/oauth2-redirect.html")["Allow"], "GET, HEAD")

    def test_no_page(self):
        server = self.serve("--no-page", "--page-client", "front-end")
        self.assertEqual(server.ask("GET", "/page/settings.json").status, 404)
        for target, location in (("/", "swagger/index.html"), ("/swagger", "swagger/index.html"), ("/swagger/", "index.html")):
            answer = server.ask("GET", target)
            self.assertEqual((answer.status, answer["Location"], answer["Cache-Control"]), (302, location, "no-store"), target)

    def test_its_requests_count(self):
        server = self.serve("--requests-per-address", "1")
        with server.connect() as connection:
            statuses = [connection.request("GET", "/").status for _ in range(30)]
        self.assertEqual(sorted(set(statuses)), [200, 429])

    def test_settings_of_a_portal_without_a_provider(self):
        settings = self.serve().ask("GET", "/page/settings.json")
        self.assertEqual((settings.status, settings["Cache-Control"]), (200, "no-store"))
        self.assertEqual(settings.json(), {"signIn": None, "currency": "EUR", "personas": []})

    def test_texts_for_clients(self):
        deposit = "https://deposit.test/form?b={bundle}&p={piece}#{bundle}"
        server = self.serve("--page-deposit-url", deposit, "--page-currency", "CHF", "--page-contact",
                            "fr=Appelez-nous, du lundi au vendredi", "--page-contact", "en= https://lender.test/a,b")
        self.assertEqual(server.ask("GET", "/page/settings.json").json(), {
            "signIn": None, "depositUrl": deposit, "contacts": {"fr": "Appelez-nous, du lundi au vendredi", "en": "https://lender.test/a,b"},
            "currency": "CHF", "personas": []})
        self.assertNotIn("deposit.test", server.ask("GET", "/")["Content-Security-Policy"])
        for contacts, expected in ((["help@lender.test"], {"fr": "help@lender.test", "en": "help@lender.test"}),
                                   (["Write, or call", "fr=Écrivez"], {"fr": "Écrivez", "en": "Write, or call"}),
                                   (["fr=Écrivez"], {"fr": "Écrivez", "en": "Écrivez"})):
            server = self.serve(*(part for contact in contacts for part in ("--page-contact", contact)))
            self.assertEqual(server.ask("GET", "/page/settings.json").json()["contacts"], expected)
        server = self.serve("--page-deposit-url", "http://127.0.0.1:8080/{piece}")
        self.assertEqual(server.ask("GET", "/page/settings.json").json()["depositUrl"], "http://127.0.0.1:8080/{piece}")

    def test_how_people_sign_in(self):
        server = self.serve("--page-client", "front-end")
        self.assertEqual(server.ask("GET", "/page/settings.json").json(),
                         {"signIn": {"authority": "https://issuer.test", "client": "front-end", "scope": "openid", "parameters": {}},
                          "currency": "EUR", "personas": []})
        server = self.serve("--page-client", "front-end", "--page-authority", "https://login.test:8443/realms/a?b", "--page-scope",
                            "openid offline_access", "--page-parameter", "resource=https://portail.test/=1", "--page-parameter", "audience=")
        self.assertEqual(server.ask("GET", "/page/settings.json").json()["signIn"],
                         {"authority": "https://login.test:8443/realms/a?b", "client": "front-end", "scope": "openid offline_access",
                          "parameters": {"resource": "https://portail.test/=1", "audience": ""}})
        policy = server.ask("GET", "/")["Content-Security-Policy"]
        for directive in ("connect-src 'self' https://login.test:8443;", "frame-src 'self' https://login.test:8443;"):
            self.assertIn(directive, policy)

    def test_personas_for_this_machine_alone(self):
        server = self.serve("--page-personas", self.path("personas.json"))
        offered = [{"name": "client", "description": "Chloé", "token": "a.b.c"}]

        def personas_for(host):
            with server.connect() as connection:
                connection.send(f"GET /page/settings.json HTTP/1.1\r\nHost: {host}\r\n\r\n")
                return connection.read().json()["personas"]
        for host in ("localhost", "LOCALHOST:8443", "127.0.0.1:8443", "[::1]:1"):
            self.assertEqual(personas_for(host), offered, host)
        for host in ("portail.test", "localhost.test", "127.0.0.1.test:8443", "127.0.0.2"):
            self.assertEqual(personas_for(host), [], host)

    def test_the_translations_of_personas(self):
        persona = {"name": "client", "description": "Her files", "token": "a.b.c",
                   "translations": {"fr": {"name": "Cliente", "description": "Ses dossiers"}, "en": {"name": "Client", "description": "Her files"}}}
        more = {**persona, "translations": {**persona["translations"], "de": {"name": "Kundin"}}}
        server = self.serve("--page-personas", self.write("translated.json", json.dumps([more])))
        with server.connect() as connection:
            connection.send("GET /page/settings.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertEqual(connection.read().json()["personas"], [persona])

    def test_personas_for_local_requests_alone(self):
        """Tests the header rows below, both with and without an allowed origin."""
        given = [[], [("Origin", "{origin}")], [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")],
                 [("Origin", "{origin}"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty")],
                 [("X-Correlation-Id", "a")], [("X-Requested-With", "XMLHttpRequest")], [("Referer", "{origin}/")], [("Cookie", "Via=1")]]
        forwarding = ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Anything",
                      "x-forwarded-for", "X-FORWARDED-SSL", "X-Forwarded", "Forwarded", "Forwarded-For", "forwarded", "X-Real-IP", "x-real-ip", "Via",
                      "CF-Connecting-IP", "CF-Connecting-IPv6", "CF-Ray", "CF-Visitor", "CDN-Loop", "True-Client-IP", "X-Client-IP", "Client-IP",
                      "X-Cluster-Client-IP", "Fly-Client-IP", "Fly-Forwarded-Port", "Fastly-Client-IP", "Fastly-SSL", "X-Original-Forwarded-For",
                      "X-Original-Host", "X-Originating-IP", "X-Remote-IP", "X-Remote-Addr", "X-ProxyUser-Ip", "WL-Proxy-Client-IP", "Proxy-Client-IP",
                      "Proxy-Connection", "X-Azure-ClientIP", "X-Azure-SocketIP", "X-Envoy-External-Address", "X-Appengine-User-IP", "X-Amzn-Trace-Id",
                      "X-Amz-Cf-Id", "CloudFront-Viewer-Address", "DO-Connecting-IP", "Ali-CDN-Real-IP", "X-Vercel-Forwarded-For",
                      "X-NF-Client-Connection-IP", "X-ARR-SSL", "Tailscale-User-Login", "Front-End-Https", "X-Url-Scheme", "X-Scheme", "X-Host"]
        refused = [[(name, value)] for name in forwarding for value in ("127.0.0.1", "")]
        refused += [[("Origin", value)] for value in ("https://front.test", "http://localhost:3000", "null", "", "{other_scheme}", "{origin}.test",
                                                      "{origin}/", "https://127.0.0.1", "file://")]
        refused += [[("Sec-Fetch-Site", value)] for value in ("cross-site", "same-site", "", "anything")]
        refused += [[("Origin", "{origin}"), ("Origin", "{origin}")], [("Origin", "{origin}"), ("Origin", "https://front.test")],
                    [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
                    [("Origin", "{origin}"), ("Sec-Fetch-Site", "cross-site")], [("Origin", "{origin}"), ("X-Forwarded-For", "::1")]]
        offered = [{"name": "client", "description": "Chloé", "token": "a.b.c"}]
        allowing = ("--allow-origin", "https://front.test", "--allow-origin", "http://localhost:3000")
        for flags, scheme in (((), "https"), (allowing, "https"), (("--insecure-http", *allowing), "http")):
            server = self.serve("--page-personas", self.path("personas.json"), *flags, tls=scheme == "https")
            origin = f"{scheme}://localhost:{server.port}"
            other_scheme = f"{'http' if scheme == 'https' else 'https'}://localhost:{server.port}"
            tried = 0
            for rows, expected in ((given, offered), (refused, [])):
                for row in rows:
                    headers = "".join(f"{name}: {value.format(origin=origin, other_scheme=other_scheme)}\r\n" for name, value in row)
                    with self.subTest(flags=flags, headers=headers), server.connect() as connection:
                        connection.send(f"GET /page/settings.json HTTP/1.1\r\nHost: localhost:{server.port}\r\n{headers}\r\n")
                        answer = connection.read()
                        self.assertEqual((answer.status, answer.json()), (200, {"signIn": None, "currency": "EUR", "personas": expected}))
                        self.assertEqual((answer["Cache-Control"], answer["Cross-Origin-Resource-Policy"]), ("no-store", "same-origin"))
                        self.assertTrue(answer["Vary"].startswith("*"), answer["Vary"])
                        self.assertEqual([name for name, _ in answer.headers if name.lower().startswith("access-control-")], [])
                        tried += 1
            self.assertEqual(tried, len(given) + len(refused))

    def test_no_personas_through_a_trusted_proxy(self):
        server = self.serve("--page-personas", self.path("personas.json"), "--trusted-proxy", "127.0.0.1")
        with server.connect() as connection:
            connection.send("GET /page/settings.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertEqual(connection.read().json(), {"signIn": None, "currency": "EUR", "personas": []})

    def test_no_other_origin_may_ask_for_settings(self):
        server = self.serve("--allow-origin", "https://front.test", "--requests-per-address", "1")
        preflight = [("Origin", "https://front.test"), ("Access-Control-Request-Method", "GET")]
        statuses = set()
        with server.connect() as connection:
            for method in ["OPTIONS", "POST"] + 30 * ["GET"]:
                answer = connection.request(method, "/page/settings.json", preflight)
                statuses.add(answer.status)
                self.assertEqual([name for name, _ in answer.headers if name.lower().startswith("access-control-")], [])
        self.assertEqual(statuses, {200, 405, 429})
        self.assertEqual(server.ask("GET", "/health/live", preflight)["Access-Control-Allow-Origin"], "https://front.test")

    def test_personas_are_refused_where_others_can_ask(self):
        personas = ("--page-personas", self.path("personas.json"))
        usual = ["serve", "--store", self.store, "--jwks", self.path("public.json"), "--issuer", "https://issuer.test", "--audience", "portail",
                 "--tls-cert", self.path("certificate.pem"), "--tls-key", self.path("key.pem"), *personas]
        for flags in (["--listen", ":0"], ["--listen", "192.0.2.1:8443"],
                      ["--listen", "127.0.0.1:0", "--transport", "forwarded", "--trusted-proxy", "127.0.0.1"]):
            with self.subTest(flags):
                self.assert_one_line(run(*usual, *flags), 2, "--page-personas", "loopback")

    def test_settings_that_make_no_sense(self):
        usual = ["serve", "--listen", "127.0.0.1:0", "--store", self.store, "--jwks", self.path("public.json"), "--audience", "portail",
                 "--insecure-http", "--issuer"]
        for issuer, flags, status, parts in (
                ("https://issuer.test", ["--page-authority", "https://login.test"], 2, ["--page-authority", "--page-client"]),
                ("https://issuer.test", ["--page-client", "c", "--page-authority", "http://login.test"], 2, ["--page-authority", "https URL"]),
                ("https://issuer.test", ["--page-client", "c", "--page-authority", "https://a;script-src"], 2, ["--page-authority"]),
                ("urn:issuer", ["--page-client", "c"], 2, ["--page-authority"]),
                ("https://issuer.test", ["--page-client", "c", "--page-parameter", "resource"], 2, ["--page-parameter", "resource=https://"]),
                ("https://issuer.test", ["--page-client", "c", "--page-parameter", 'a"b=c'], 2, ["--page-parameter", "resource=https://"]),
                ("https://issuer.test", ["--page-client", "c\udcff"], 2, ["--page-client", "UTF-8"]),
                ("https://issuer.test", ["--page-client", "c", "--page-parameter", "a=\udcff"], 2, ["--page-parameter", "UTF-8"]),
                *(("https://issuer.test", ["--page-deposit-url", url], 2, ["--page-deposit-url must be an https URL", f"not {url}"]) for url in (
                    "javascript:alert(1)", "http://deposit.test/", "//deposit.test/", "https://{bundle}.test/", "https://x{bundle}/",
                    "https://user@deposit.test/", "https://deposit.test/ x", "https://deposit.test/\\x", "http://localhost.test/", "https://")),
                ("https://issuer.test", ["--page-deposit-url", "https://deposit.test/{id}"], 2,
                 ["--page-deposit-url has the unknown placeholder {id}: use {bundle} and {piece}"]),
                ("https://issuer.test", ["--page-deposit-url", "https://deposit.test/{bundle"], 2, ["unknown placeholder {:"]),
                ("https://issuer.test", ["--page-deposit-url", "https://deposit.test/bundle}"], 2, ["unknown placeholder }:"]),
                ("https://issuer.test", ["--page-contact", "de=Telefon"], 2, ["--page-contact", "not de=Telefon"]),
                ("https://issuer.test", ["--page-contact", "fr="], 2, ["--page-contact", "not fr="]),
                ("https://issuer.test", ["--page-contact", "fr=a", "--page-contact", "fr=b"], 2, ["--page-contact", "not fr=b"]),
                ("https://issuer.test", ["--page-contact", "a\udcff"], 2, ["--page-contact", "UTF-8"]),
                ("https://issuer.test", ["--page-currency", "euro"], 2, ["--page-currency must be a code of ISO 4217, such as EUR, not euro"]),
                ("https://issuer.test", ["--page-personas", self.write("none.json", "{}")], 1, ["none.json", "token"]),
                ("https://issuer.test", ["--page-personas", self.write("half.json", '[{"name":"a","token":"b"}]')], 1, ["half.json"]),
                ("https://issuer.test", ["--page-personas", self.write("fr.json", '[{"name":"a","description":"b","token":"c",'
                                         '"translations":{"fr":{"name":"d"}}}]')], 1, ["fr.json", "translations"]),
                ("https://issuer.test", ["--page-personas", self.path("not-there.json")], 1, ["not-there.json", "--page-personas"])):
            with self.subTest(flags):
                self.assert_one_line(run(*usual, issuer, *flags), status, *parts)


if __name__ == "__main__":
    unittest.main()
