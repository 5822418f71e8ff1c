package main

import (
	"strings"
	"testing"
)

// The answers of mail object 1 in these histories: A, B and C are its values, a, b and c their tags.
const initial = `{"kind":"initial","object":1,"value":"A"}`

func errorOf(t *testing.T, lines ...string) string {
	t.Helper()
	objects, err := readHistory(strings.NewReader(strings.Join(append([]string{initial}, lines...), "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if err := objects[1].check(0, ""); err != nil {
		return err.Error()
	}
	return ""
}

func get(id, times, value string) string {
	return `{"kind":"get","object":1,"id":"` + id + `",` + times + `,"status":200,"value":"` + value + `","tag":"` + strings.ToLower(value) + `"}`
}

// `more` has If-Match or another answer.
func put(id, times, sent, more string) string {
	return `{"kind":"put","object":1,"id":"` + id + `",` + times + `,"status":200,"sent":"` + sent + `","value":"` + sent + `","tag":"` +
		strings.ToLower(sent) + `"` + more + `}`
}

func refused(id, times, tag string) string {
	return `{"kind":"put","object":1,"id":"` + id + `",` + times + `,"status":412,"sent":"C","if_match":"` + tag + `"}`
}

func unknown(id, times, sent, tag string) string {
	return `{"kind":"put","object":1,"id":"` + id + `",` + times + `,"sent":"` + sent + `","if_match":"` + tag + `"}`
}

func record(id, from, to string) string {
	return `{"kind":"record","object":1,"id":"` + id + `","from":"` + from + `","to":"` + to + `"}`
}

func unordered(operation string) string {
	return strings.TrimSuffix(operation, "}") + `,"unordered":true}`
}

func during(call, end string) string { return `"call":` + call + `,"return":` + end }

func TestAcceptsCorrectHistories(t *testing.T) {
	for name, lines := range map[string][]string{
		"one after the other": {
			get("1", during("1", "2"), "A"), put("2", during("3", "4"), "B", ""), get("3", during("5", "6"), "B"), record("2", "A", "B")},
		"reads during a write return either value": {
			put("1", during("1", "9"), "B", ""), get("2", during("2", "3"), "A"), get("3", during("4", "5"), "B"), record("1", "A", "B")},
		"one of two with the same tag is refused": {
			get("1", during("1", "2"), "A"), put("2", during("3", "9"), "B", `,"if_match":"a"`), refused("3", during("3", "9"), "a"),
			record("2", "A", "B")},
		"a tag is current again with its value": {
			put("1", during("1", "2"), "B", ""), put("2", during("3", "4"), "A", ""), put("3", during("5", "6"), "C", `,"if_match":"a"`),
			record("1", "A", "B"), record("2", "B", "A"), record("3", "A", "C")},
		"unordered reads and refusals tell tags only": {
			unordered(get("1", during("1", "2"), "B")), unordered(refused("2", during("3", "4"), "a")),
			get("3", during("5", "6"), "A"), put("4", during("7", "8"), "B", ""), put("5", during("9", "10"), "C", `,"if_match":"b"`),
			record("4", "A", "B"), record("5", "B", "C")},
		"a tag that no answer had is refused": {refused("1", during("1", "2"), "z")},
		"an unknown outcome without an effect": {
			unknown("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "A")},
		"an unknown outcome with a late effect": {
			unknown("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "A"), get("3", during("5", "6"), "B"), record("1", "A", "B")},
		"an unknown outcome with the current tag": {
			get("1", during("1", "2"), "A"), unknown("2", during("3", "4"), "B", "a"), get("3", during("5", "6"), "B"), record("2", "A", "B")},
	} {
		if reason := errorOf(t, lines...); reason != "" {
			t.Errorf("%s: %s", name, reason)
		}
	}
}

func TestRefusesFaults(t *testing.T) {
	for name, fault := range map[string]struct {
		reason string
		lines  []string
	}{
		"a stale read": {"not linearizable at 2", []string{
			put("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "A"), record("1", "A", "B")}},
		"reads that go back": {"not linearizable at 3", []string{
			put("1", during("1", "9"), "B", ""), get("2", during("2", "3"), "B"), get("3", during("4", "5"), "A"), record("1", "A", "B")}},
		"a stale read of a value that comes again": {"not linearizable at 2", []string{
			put("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "A"), put("3", during("5", "6"), "A", ""), get("4", during("7", "8"), "A"),
			record("1", "A", "B"), record("3", "B", "A")}},
		"a lost update": {"not linearizable at 3", []string{
			put("1", during("1", "2"), "B", ""), put("2", during("3", "4"), "C", ""), get("3", during("5", "6"), "B"),
			record("1", "A", "B"), record("2", "B", "C")}},
		"a lost update without a record": {"1: acknowledged, but without a record", []string{
			put("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "A")}},
		"a duplicated effect": {"not linearizable at 4", []string{
			put("1", during("1", "2"), "B", ""), put("2", during("3", "4"), "C", ""), get("3", during("5", "6"), "C"), get("4", during("7", "8"), "B"),
			record("1", "A", "B"), record("2", "B", "C")}},
		"a duplicated effect with two records": {"1: two records of one PUT", []string{
			put("1", during("1", "2"), "B", ""), put("2", during("3", "4"), "C", ""),
			record("1", "A", "B"), record("2", "B", "C"), record("1", "C", "B")}},
		"a duplicated effect of an unknown outcome": {"not linearizable at 5", []string{
			unknown("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "B"), put("3", during("5", "6"), "C", ""), get("4", during("7", "8"), "C"),
			get("5", during("9", "10"), "B"), record("1", "A", "B"), record("3", "B", "C")}},
		"an effect before its call": {"not linearizable at 1", []string{
			get("1", during("1", "2"), "B"), unknown("2", during("3", "4"), "B", ""), record("2", "A", "B")}},
		"an effect without a record": {"not linearizable at 2", []string{
			unknown("1", during("1", "2"), "B", ""), get("2", during("3", "4"), "B")}},
		"success with an old tag": {"not linearizable at 3", []string{
			get("1", during("1", "2"), "A"), put("2", during("3", "4"), "B", ""), put("3", during("5", "6"), "C", `,"if_match":"a"`),
			record("2", "A", "B"), record("3", "B", "C")}},
		"success with a tag that no answer had": {"not linearizable at 1", []string{
			put("1", during("1", "2"), "B", `,"if_match":"z"`), record("1", "A", "B")}},
		"both of two with the same tag": {"not linearizable at 3", []string{
			get("1", during("1", "2"), "A"), put("2", during("3", "9"), "B", `,"if_match":"a"`), put("3", during("3", "9"), "C", `,"if_match":"a"`),
			record("2", "A", "B"), record("3", "B", "C")}},
		"an unknown outcome with an old tag and an effect": {"not linearizable at 3", []string{
			get("1", during("1", "2"), "A"), put("2", during("3", "4"), "B", ""), unknown("3", during("5", "6"), "C", "a"),
			record("2", "A", "B"), record("3", "B", "C")}},
		"412 with the current tag": {"not linearizable at 2", []string{
			get("1", during("1", "2"), "A"), refused("2", during("3", "4"), "a")}},
		"412 without If-Match": {"1: 412 without If-Match", []string{refused("1", during("1", "2"), "")}},
		"412 with a record": {"1: refused, but with a record", []string{
			refused("1", during("1", "2"), "z"), record("1", "A", "C")}},
		"records in another order than their PUTs": {"not linearizable at 1", []string{
			put("1", during("1", "2"), "B", ""), put("2", during("3", "4"), "C", ""), record("2", "A", "C"), record("1", "C", "B")}},
		"a record of no PUT": {"1: a record of no PUT", []string{record("1", "A", "B")}},
		"a record with another value": {`1: sent "B", recorded "C"`, []string{
			put("1", during("1", "2"), "B", ""), record("1", "A", "C")}},
		"a record from another value": {`1: recorded a change from "C", but the value was "A"`, []string{
			put("1", during("1", "2"), "B", ""), record("1", "C", "B")}},
		"an answer with another value": {`1: sent "B", answered "C"`, []string{
			put("1", during("1", "2"), "B", `,"value":"C"`), record("1", "A", "B")}},
		"two values of one tag": {`2: the tag a has two values: "A" and "B"`, []string{
			get("1", during("1", "2"), "A"), put("2", during("3", "4"), "B", `,"tag":"a"`), record("2", "A", "B")}},
		"two tags of one value": {`3: the value "B" has two tags: b and z`, []string{
			put("1", during("1", "2"), "B", ""), put("3", during("3", "4"), "B", `,"tag":"z"`), record("1", "A", "B"), record("3", "B", "B")}},
	} {
		// The description of an operation follows its id.
		reason, _, _ := strings.Cut(errorOf(t, fault.lines...), ": put ")
		reason, _, _ = strings.Cut(reason, ": get ")
		if reason != fault.reason {
			t.Errorf("%s: got %q, want %q", name, reason, fault.reason)
		}
	}
}

func TestReportsTheLineOfAnUnreadableHistory(t *testing.T) {
	for text, want := range map[string]string{
		initial + "\n{": "line 2: unexpected end of JSON input",
		initial + "\n" + `{"kind":"delete","object":1}`: `line 2: unknown kind "delete"`,
		`{"kind":"get","object":2}`:                     "line 1: mail object 2 has no initial value",
	} {
		if _, err := readHistory(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
