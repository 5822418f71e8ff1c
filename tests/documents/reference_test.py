#!/usr/bin/env python3
"""Checks that the generated pages and files are current. Standard library only.

DESCRIPTION_ROWS, SETTING_ROWS, METRIC_ROWS and TEST_PROGRAM name the programs that it runs; by default those of the release build.
"""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import log_events  # noqa: E402
import reference  # noqa: E402


class PagesTest(unittest.TestCase):
    def test_pages_are_current(self):
        for page in reference.PAGES:
            with self.subTest(page):
                fault = reference.stale(page, (ROOT / page).read_text(encoding="utf-8"), reference.text_of(page))
                if fault:
                    self.fail(fault)

    def test_the_reference_is_complete(self):
        settings = reference.text_of("docs/reference/settings.md")
        rows = reference.settings()
        self.assertGreater(len(rows), 40)
        for row in rows:
            self.assertIn(f"\n|`--{row['name']}`|", settings)
        commands = [name for name, _ in reference.commands()]
        self.assertIn("keys make", commands)
        self.assertEqual([line.removeprefix("## ") for line in reference.commands_page() if line.startswith("## ")], ["Exit status", "Shared options", *commands])
        self.assertEqual(reference.families()["portail_request_duration_seconds"][0], "histogram")
        self.assertTrue(all(kind and text for kind, text, _, _ in reference.families().values()))

    def test_a_difference_is_a_fault_with_the_command(self):
        fault = reference.stale("page.md", "# Old\n", "# New\n")
        self.assertTrue(reference.UPDATE in fault and "-# Old" in fault and "+# New" in fault, fault)
        self.assertEqual(reference.stale("page.md", "# Same\n", "# Same\n"), "")


class HelpTest(unittest.TestCase):
    def test_lines_of_the_help_are_read(self):
        flag, argument, choice = reference.entries([
            "  --audience TEXT ... REQUIRED (Env:PORTAIL_AUDIENCE)", " " * 30 + "aud; repeatable",
            "  document TEXT REQUIRED      The JSON document, or - for standard input",
            "  --alg TEXT:{EdDSA,ES256} [EdDSA] ", " " * 30 + "Signing algorithm"])
        self.assertEqual((flag["name"], flag["type"], bool(flag["list"]), bool(flag["required"]), flag["variable"], flag["help"]),
                         ("--audience", "TEXT", True, True, "PORTAIL_AUDIENCE", "aud; repeatable"))
        self.assertEqual((argument["name"], argument["help"]), ("document", "The JSON document, or - for standard input"))
        self.assertEqual((choice["choices"], choice["default"], choice["help"]), ("EdDSA,ES256", "EdDSA", "Signing algorithm"))

    def test_a_line_that_cannot_be_read_is_noticed(self):
        with self.assertRaises(reference.NotGenerated):
            reference.entries(["  --flag <new form>  Help"])


class EventsTest(unittest.TestCase):
    def found(self, source):
        events = log_events.find_events([("native/" + "a.cpp", source)])  # not a file of this checkout
        return {name: (event.levels, event.members) for name, event in events.items()}

    def test_events_are_found(self):
        self.assertEqual(self.found('log_.warn("no " /* or */ "room", why);  // log.warn("none", why);'),
                         {"no room": ({"warning"}, ["detail"])})
        self.assertEqual(self.found('log.write(LogLevel::info, "ready",\n{{.name = "a", .text = x}, {.name = "b", .text = f(y)}});'),
                         {"ready": ({"info"}, ["a", "b"])})
        self.assertEqual(self.found('log.warn(event, why); failed(context, "it failed", why); constexpr string_view was_lost = "lost";'),
                         dict.fromkeys(["it failed", "lost"], ({"warning"}, ["detail"])))

    def test_an_event_that_cannot_be_found_is_noticed(self):
        with self.assertRaisesRegex(ValueError, "a.cpp: log.warn"):
            self.found("log.warn(what, why);")
        with self.assertRaisesRegex(ValueError, "COMPOSED"):
            self.found(r'members += ",\"event\":\"new\"";')

    def test_an_event_without_a_meaning_is_noticed(self):
        events = log_events.find_events(log_events.own_sources())
        self.assertEqual(log_events.check(events), [])
        events["new"] = log_events.Event()
        self.assertIn('"new" has no meaning', log_events.check(events)[0])
        del events["new"], events["stopped"]
        self.assertIn('no source writes the event "stopped"', log_events.check(events)[0])


if __name__ == "__main__":
    sys.exit(unittest.main())
