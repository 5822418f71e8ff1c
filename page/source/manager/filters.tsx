// The dashboard's filters.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { words } from "../preferences";
import { byOrderOfKinds, nameOfKind, type Kind } from "../statuses";
import { nameOfStep } from "./charts";
import type { Row } from "./rows";
import { noFilters, orders, steps, type Order, type Selection } from "./selection";

interface ActiveFiltersProperties {
  found: number;
  all: number;
  selection: Selection;
  change: (part: Partial<Selection>) => void;
}

/** What the figures and charts below are limited to. */
export function ActiveFilters({ found, all, selection, change }: ActiveFiltersProperties) {
  const { shown, search, status, states, completion, piece, onlyNew, labelled, clear } = words.value;
  const filters = [
    selection.search && labelled(search, selection.search),
    selection.state && labelled(status, selection.state === "complete" ? states.complete : states.underWay),
    selection.step !== null && labelled(completion, nameOfStep(selection.step)),
    selection.kind && labelled(piece, nameOfKind(selection.kind)),
    selection.onlyNew && onlyNew,
  ];
  return (
    <p class="summary active-filters">
      {[shown(found, all), ...filters.filter(Boolean)].join(" · ")}
      <button type="button" class="outline secondary small" onClick={() => change({ ...noFilters, order: selection.order })}>
        {clear}
      </button>
    </p>
  );
}

export function Filters({ rows, selection, change }: { rows: readonly Row[]; selection: Selection; change: (part: Partial<Selection>) => void }) {
  const { search, searchHint, filters, status, states, completion, piece, all, onlyNew, sort, sorts } = words.value;
  const kinds = new Set<Kind | string>(rows.flatMap((row) => [...row.kinds.keys()]));
  return (
    <form class="panel filters" role="search" aria-label={filters} onSubmit={(event) => event.preventDefault()}>
      <Field label={search} wide>
        {(id) => <input id={id} type="search" placeholder={searchHint} value={selection.search} onInput={({ currentTarget }) => change({ search: currentTarget.value })} />}
      </Field>
      <Field label={status}>
        {(id) => (
          <select id={id} value={selection.state} onChange={({ currentTarget }) => change({ state: currentTarget.value as Selection["state"] })}>
            <option value="">{all}</option>
            <option value="under-way">{states.underWay}</option>
            <option value="complete">{states.complete}</option>
          </select>
        )}
      </Field>
      <Field label={completion}>
        {(id) => (
          <select
            id={id}
            value={selection.step === null ? "" : String(selection.step)}
            onChange={({ currentTarget: { value } }) => change({ step: value === "" ? null : Number(value) })}
          >
            <option value="">{all}</option>
            {steps.map((_, index) => (
              <option key={index} value={String(index)}>
                {nameOfStep(index)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={piece}>
        {(id) => (
          <select id={id} value={selection.kind} onChange={({ currentTarget }) => change({ kind: currentTarget.value })}>
            <option value="">{all}</option>
            {byOrderOfKinds([...kinds].map((kind) => [kind, null])).map(([kind]) => (
              <option key={kind} value={kind}>
                {nameOfKind(kind)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={sort}>
        {(id) => (
          <select id={id} value={selection.order} onChange={({ currentTarget }) => change({ order: currentTarget.value as Order })}>
            {orders.map((order) => (
              <option key={order} value={order}>
                {sorts[order]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <label class="check">
        <input type="checkbox" role="switch" checked={selection.onlyNew} onChange={({ currentTarget }) => change({ onlyNew: currentTarget.checked })} />
        {onlyNew}
      </label>
    </form>
  );
}

function Field({ label, wide, children }: { label: string; wide?: boolean; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class={wide ? "field wide" : "field"}>
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  );
}
