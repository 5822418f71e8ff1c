package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// A line of a history, as recorder.py writes it. Times are nanoseconds of one monotonic clock.
type line struct {
	Kind      string `json:"kind"`   // initial, get, put, or record: an update in the audit, in the audit's order
	ID        string `json:"id"`     // of the operation, and of the operation that a record is about
	Object    int    `json:"object"` // the mail object
	Client    int    `json:"client"`
	Call      int64  `json:"call"`
	Return    int64  `json:"return"`
	IfMatch   string `json:"if_match"` // empty: absent
	Sent      string `json:"sent"`
	Status    int    `json:"status"` // 0: the outcome is unknown
	Value     string `json:"value"`  // in the answer 200; of an initial line: the value before all operations
	Tag       string `json:"tag"`
	From      string `json:"from"` // of a record
	To        string `json:"to"`
	Unordered bool   `json:"unordered"` // a read or a 412 that may be due to a write that was lost later: only its tag counts
}

// What happened to one mail object.
type object struct {
	id         int
	initial    string
	operations []line
	records    []line
	values     map[string]string // by tag
	tags       map[string]string // by value
}

// Returns the mail objects of a history by id.
func readHistory(source io.Reader) (map[int]*object, error) {
	objects := map[int]*object{}
	scanner := bufio.NewScanner(source)
	for number := 1; scanner.Scan(); number++ {
		var read line
		if err := json.Unmarshal(scanner.Bytes(), &read); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		found := objects[read.Object]
		if read.Kind == "initial" {
			objects[read.Object] = &object{id: read.Object, initial: read.Value, values: map[string]string{}, tags: map[string]string{}}
			continue
		}
		if found == nil {
			return nil, fmt.Errorf("line %d: mail object %d has no initial value", number, read.Object)
		}
		switch read.Kind {
		case "get", "put":
			found.operations = append(found.operations, read)
		case "record":
			found.records = append(found.records, read)
		default:
			return nil, fmt.Errorf("line %d: unknown kind %q", number, read.Kind)
		}
	}
	return objects, scanner.Err()
}

// An operation of the model. `version` of a PUT that was applied is its position in the audit, from 1.
type input struct {
	line
	version  int
	expected string // the value whose tag If-Match named; empty if no answer had this tag
}

// Checks the rules that hold in every order, and returns the operations whose order is to be found. A PUT with an unknown outcome was
// applied, at any time after its call, if it has a record, and else had no effect.
func (o *object) operationsToOrder() ([]input, error) {
	versions, err := o.versionsOfPuts()
	if err != nil {
		return nil, err
	}
	var found []input
	for _, each := range o.operations {
		if each.Status == 200 {
			if err := o.learnTag(each); err != nil {
				return nil, err
			}
		}
		version := versions[each.ID]
		switch {
		case each.Kind == "put" && each.Status == 200 && each.Value != each.Sent:
			return nil, fmt.Errorf("%s: sent %q, answered %q", each.ID, each.Sent, each.Value)
		case each.Kind == "put" && each.Status == 200 && version == 0:
			return nil, fmt.Errorf("%s: acknowledged, but without a record", each.ID)
		case each.Status == 412 && each.IfMatch == "":
			return nil, fmt.Errorf("%s: 412 without If-Match", each.ID)
		case each.Status == 412 && version != 0:
			return nil, fmt.Errorf("%s: refused, but with a record", each.ID)
		case each.Unordered || each.Status == 0 && version == 0:
			continue
		case each.Status == 0:
			each.Return = math.MaxInt64
		}
		found = append(found, input{line: each, version: version})
	}
	for i := range found {
		found[i].expected = o.values[found[i].IfMatch]
	}
	return found, nil
}

// Returns the version that each applied PUT created, by id. The records of an object are a chain from its initial value.
func (o *object) versionsOfPuts() (map[string]int, error) {
	sent := map[string]string{}
	for _, each := range o.operations {
		if each.Kind == "put" {
			sent[each.ID] = each.Sent
		}
	}
	versions := map[string]int{}
	value := o.initial
	for i, record := range o.records {
		wanted, isKnown := sent[record.ID]
		switch {
		case !isKnown:
			return nil, fmt.Errorf("%s: a record of no PUT", record.ID)
		case versions[record.ID] != 0:
			return nil, fmt.Errorf("%s: two records of one PUT", record.ID)
		case record.To != wanted:
			return nil, fmt.Errorf("%s: sent %q, recorded %q", record.ID, wanted, record.To)
		case record.From != value:
			return nil, fmt.Errorf("%s: recorded a change from %q, but the value was %q", record.ID, record.From, value)
		}
		versions[record.ID] = i + 1
		value = record.To
	}
	return versions, nil
}

// Equal values have equal tags, and different values different ones.
func (o *object) learnTag(answer line) error {
	if value, isKnown := o.values[answer.Tag]; isKnown && value != answer.Value {
		return fmt.Errorf("%s: the tag %s has two values: %q and %q", answer.ID, answer.Tag, value, answer.Value)
	}
	if tag, isKnown := o.tags[answer.Value]; isKnown && tag != answer.Tag {
		return fmt.Errorf("%s: the value %q has two tags: %s and %s", answer.ID, answer.Value, tag, answer.Tag)
	}
	o.values[answer.Tag], o.tags[answer.Value] = answer.Value, answer.Tag
	return nil
}
