// A manager's dashboard: the bundles of all clients they manage, shown as they come in.
import { useMemo, useState } from "preact/hooks";
import { count, percent } from "../format";
import { Fault } from "../parts/fault";
import { Loading, Title } from "../parts/parts";
import { save } from "../parts/save";
import { language, words } from "../preferences";
import { ask } from "../service/ask";
import { eachElement } from "../service/json";
import { useLoaded } from "../service/loaded";
import type { Bundle } from "../service/types";
import { session } from "../session";
import { BundleTable } from "./bundle_table";
import { Charts } from "./charts";
import { csvOf } from "./csv";
import { Filters } from "./filters";
import { rowOf, type Row } from "./rows";
import { everything, select, type Selection } from "./selection";
import type { Place } from "./window_rows";

interface Managed {
  rows: readonly Row[];
  whole: boolean;
}

const betweenDrawings = 250; // milliseconds, while more is coming in

async function load(signal: AbortSignal, show: (value: Managed) => void): Promise<Managed> {
  const kept = left;
  const { rows: known } = kept;
  if (known.length > 0) show({ rows: known, whole: true });
  const rows: Row[] = [];
  let drawn = -Infinity;
  await eachElement<Bundle>(
    await ask("api/app/liasse/dashboard-list", { signal }),
    (bundle) => rows.push(rowOf(bundle)),
    async () => {
      if (rows.length === 0 || known.length > 0 || performance.now() - drawn < betweenDrawings) return;
      show({ rows: rows.slice(), whole: false });
      await new Promise((resolve) => setTimeout(resolve)); // the browser draws, and listens
      drawn = performance.now();
    },
  );
  kept.rows = rows;
  return { rows, whole: true };
}

// What stays while a bundle is looked at, and no longer than a session.
interface Left {
  rows: readonly Row[];
  selection: Selection;
  place: Place;
}

const nothing = (): Left => ({ rows: [], selection: everything, place: { top: 0, margin: 0, measured: [] } });
let left = nothing();
session.subscribe((someone) => {
  if (!someone) left = nothing();
});

export function Dashboard() {
  const { dashboard, noneManaged, noneFound, shown, stillLoading, exportCsv } = words.value;
  const loaded = useLoaded<Managed>("managed", load);
  const [selection, setSelection] = useState(left.selection);
  const change = (part: Partial<Selection>) => {
    left.selection = { ...selection, ...part };
    setSelection(left.selection);
  };
  const rows = loaded.value?.rows ?? [];
  const selected = useMemo(() => select(rows, selection), [rows, selection]);
  const whole = loaded.value?.whole ?? false;
  return (
    <>
      <Title text={dashboard} />
      {loaded.fault !== null && <Fault fault={loaded.fault} wait={loaded.wait} again={loaded.again} />}
      {!loaded.value && loaded.fault === null && <Loading />}
      {whole && rows.length === 0 && <p class="notice">{noneManaged}</p>}
      {rows.length > 0 && (
        <>
          <Figures rows={selected} />
          <Charts rows={selected} selection={selection} change={change} />
          <Filters rows={rows} selection={selection} change={change} />
          <div class="found">
            <p role="status" class="figure">
              {shown(selected.length, rows.length)}
              {!whole && loaded.fault === null && <span aria-busy="true"> {stillLoading}</span>}
            </p>
            <button
              type="button"
              class="outline small"
              disabled={!whole || selected.length === 0}
              onClick={() => save(csvOf(selected, language.value), "dossiers.csv")}
            >
              {exportCsv}
            </button>
          </div>
          {selected.length > 0 ? (
            <BundleTable rows={selected} order={selection.order} sort={(order) => change({ order })} place={left.place} />
          ) : (
            <p class="notice">{noneFound}</p>
          )}
        </>
      )}
    </>
  );
}

function Figures({ rows }: { rows: readonly Row[] }) {
  const { dashboardTotal, dashboardComplete, dashboardAverage, dashboardNew, dashboardTroubled } = words.value;
  const all = Math.max(1, rows.length);
  const figures: [string, string][] = [
    [dashboardTotal, count(rows.length)],
    [dashboardComplete, count(rows.filter((row) => row.complete).length)],
    [dashboardAverage, percent(rows.reduce((sum, row) => sum + row.completion, 0) / all)],
    [dashboardNew, count(rows.filter((row) => row.deposeeDepuisDerniereConsultation).length)],
    [dashboardTroubled, count(rows.filter((row) => row.erreur !== null).length)],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name} class="panel">
          <dt>{name}</dt>
          <dd class="figure">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
