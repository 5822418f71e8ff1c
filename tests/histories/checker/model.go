package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A mail object is a register. The version counts its changes, so that a value that occurs again is another state.
type state struct {
	value   string
	version int
}

// Whether the operation is possible in this state, and the state after it.
func step(before state, operation input) (bool, state) {
	isAllowed := operation.IfMatch == "" || operation.expected == before.value
	switch {
	case operation.Kind == "get":
		return operation.Value == before.value, before
	case operation.Status == 412:
		return !isAllowed, before
	default:
		return isAllowed && operation.version == before.version+1, state{operation.Sent, operation.version}
	}
}

func (operation input) String() string {
	return fmt.Sprintf("%s: %s %s, if %q: %d %s", operation.ID, operation.Kind, operation.Sent, operation.expected, operation.Status, operation.Value)
}

func model(initial string) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{value: initial} },
		Step: func(before, in, _ any) (bool, any) {
			isPossible, after := step(before.(state), in.(input))
			return isPossible, after
		},
		DescribeOperation: func(in, _ any) string { return in.(input).String() },
	}
}

// Returns nil if the operations on this mail object are linearizable; else the reason, after writing a picture of the history to
// `picture`, a path, unless that is empty.
func (o *object) check(timeout time.Duration, picture string) error {
	inputs, err := o.operationsToOrder()
	if err != nil {
		return err
	}
	var operations []porcupine.Operation
	for _, each := range inputs {
		operations = append(operations, porcupine.Operation{ClientId: each.Client, Input: each, Call: each.Call, Return: each.Return})
	}
	switch porcupine.CheckOperationsTimeout(model(o.initial), operations, timeout) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return fmt.Errorf("undecided after %v", timeout)
	}
	_, info := porcupine.CheckOperationsVerbose(model(o.initial), operations, timeout)
	if picture != "" {
		if err := porcupine.VisualizePath(model(o.initial), info, picture); err != nil {
			return fmt.Errorf("not linearizable: %w", err)
		}
	}
	return fmt.Errorf("not linearizable%s", obstacle(inputs, info))
}

// Describes where the longest order ends: the operation that should be next, because its answer was the first of the others, and the last
// ones before it.
func obstacle(inputs []input, info porcupine.LinearizationInfo) string {
	var longest []int
	for _, order := range info.PartialLinearizations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	var next *input
	for i := range inputs {
		if !slices.Contains(longest, i) && (next == nil || inputs[i].Return < next.Return) {
			next = &inputs[i]
		}
	}
	text := fmt.Sprintf(" at %v", next)
	for _, i := range longest[max(0, len(longest)-8):] {
		text += fmt.Sprintf("\n  after %v", &inputs[i])
	}
	return text
}
