// Two bar charts of the selected rows: tables that Charts.css draws as bars, accessible as tables. A click on a bar filters.
import { useState } from "preact/hooks";
import { count, percent } from "../format";
import { words } from "../preferences";
import { browserStorage } from "../storage";
import { byOrderOfKinds, isKind, nameOfKind, type Kind } from "../statuses";
import type { Row } from "./rows";
import { stepOf, steps, type Selection } from "./selection";

const stateName = "portail.charts"; // of this browser
const maxBarSize = 0.88; // ratio of the longest bar to the chart's width

interface Bar {
  name: string;
  value: number;
  className: string;
  chosen: boolean;
  choose: () => void;
}

export function Charts({ rows, selection, change }: { rows: readonly Row[]; selection: Selection; change: (part: Partial<Selection>) => void }) {
  const { completionChart, piecesChart, piecesChartNote, dashboardTotal, pieces, completion, status } = words.value;
  const [initiallyOpen] = useState(browserStorage.getItem(stateName) === "open"); // closed by default: the list would be below the window
  const byStep = steps.map(() => 0);
  const byKind = new Map<Kind | string, number>();
  for (const row of rows) {
    byStep[stepOf(row)]! += 1;
    for (const [kind, number] of row.kinds) byKind.set(kind, (byKind.get(kind) ?? 0) + number);
  }
  return (
    <details class="charts-panel" open={initiallyOpen} onToggle={({ currentTarget }) => remember(currentTarget.open)}>
      <summary>{words.value.charts}</summary>
      <div class="charts">
        <Chart
          title={completionChart}
          heads={[completion, dashboardTotal]}
          bars={steps.map((step, index) => ({
            name: nameOfStep(index),
            value: byStep[index]!,
            className: step.from === 100 ? "validated" : "under-way",
            chosen: selection.step === index,
            choose: () => change({ step: selection.step === index ? null : index }),
          }))}
        />
        <Chart
          title={piecesChart}
          note={selection.kind && piecesChartNote}
          heads={[status, pieces]}
          bars={byOrderOfKinds([...byKind]).map(([kind, value]) => ({
            name: nameOfKind(kind),
            value,
            className: isKind(kind) ? kind : "other",
            chosen: selection.kind === kind,
            choose: () => change({ kind: selection.kind === kind ? "" : kind }),
          }))}
        />
      </div>
    </details>
  );
}

function remember(isOpen: boolean) {
  if (isOpen) browserStorage.setItem(stateName, "open");
  else browserStorage.removeItem(stateName);
}

export function nameOfStep(index: number): string {
  const { from, to } = steps[index]!;
  return from === to ? percent(from) : `${from}–${percent(to)}`;
}

function Chart({ title, note, heads, bars }: { title: string; note?: string; heads: [string, string]; bars: Bar[] }) {
  const max = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <section class="panel chart">
      <h2>{title}</h2>
      {note && <p class="facts">{note}</p>}
      <table class="charts-css bar show-labels data-start" role="table" aria-label={title}>
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((head) => (
              <th key={head} scope="col" role="columnheader">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {bars.map(({ name, value, className, chosen, choose }) => (
            <tr key={name} role="row" class={chosen ? "chosen" : ""}>
              <th scope="row" role="rowheader">
                <button type="button" class="quiet choice" aria-pressed={chosen} onClick={choose}>
                  {name}
                </button>
              </th>
              <td role="cell" class={value === 0 ? "zero" : className} style={{ "--size": String((maxBarSize * value) / max) }}>
                <span class="data figure">{count(value)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
