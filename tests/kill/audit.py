"""Compares the audit, and the stored values, with a ledger of PUTs."""

import json


def compare(test, lines, entries):
    """Every acknowledged PUT has one record, no PUT has two, and each record starts from the value of the previous one."""
    values = {entry.identifier: (True, "Rien") for entry in entries}
    seen = set()
    for line in lines.splitlines():
        record = json.loads(line)
        test.assertNotIn(record["correlationId"], seen)
        seen.add(record["correlationId"])
        (change,) = record["changes"]
        test.assertEqual(configuration(change["from"]), values[change["objetCourrier"]], line)
        values[change["objetCourrier"]] = configuration(change["to"])
    test.assertEqual(values, {entry.identifier: entry.acknowledged for entry in entries})
    lost = {identifier for entry in entries for identifier in entry.acknowledged_requests} - seen
    test.assertEqual(lost, set())


def verify(test, text):
    """`text` is that of `portail audit verify --json`, after kills: every record has the hash of its predecessor."""
    result = json.loads(text)
    test.assertEqual(result["faults"], [])
    test.assertGreater(result["chains"]["configuration"]["records"], 0)


def compare_values(test, answer, entries):
    """Every mail object of the answer has a value that its PUTs allow; from now on that one counts as acknowledged."""
    test.assertEqual(answer.status, 200, answer.body)
    found = {mail_object["id"]: configuration(mail_object) for mail_object in answer.json()}
    test.assertEqual(len(found), len(entries))
    test.assertEqual([fault for entry in entries if (fault := entry.fault(found[entry.identifier]))], [])
    for entry in entries:
        entry.settle(found[entry.identifier])


def configuration(mail_object):
    return (mail_object["utilisablePourLiasse"], mail_object["typeAffectation"])
