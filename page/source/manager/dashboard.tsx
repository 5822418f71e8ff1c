// The manager's dashboard: the bundles of all managed clients, shown while they load.
import { useEffect, useMemo, useState } from "preact/hooks";
import { count, percent } from "../format";
import { SectionFault } from "../parts/fault";
import { Loading, Title } from "../parts/parts";
import { save } from "../parts/save";
import { words } from "../preferences";
import { replaceQuery, route } from "../route";
import { request } from "../service/ask";
import { eachElement } from "../service/json";
import { useResource } from "../service/loaded";
import type { Bundle } from "../service/types";
import { session } from "../session";
import { BundleTable } from "./bundle_table";
import { Charts } from "./charts";
import { csvOf, rawCsvOf } from "./csv";
import { ActiveFilters, Filters } from "./filters";
import { rowOf, type Row } from "./rows";
import { isUnfiltered, queryOf, select, selectionOf, type Selection } from "./selection";
import type { ScrollPosition } from "./window_rows";

interface ManagedBundles {
  rows: readonly Row[];
  isLoaded: boolean;
}

const drawInterval = 250; // milliseconds between two renders while the list loads

async function load(signal: AbortSignal, show: (value: ManagedBundles) => void): Promise<ManagedBundles> {
  const state = viewState;
  const { rows: previousRows } = state;
  if (previousRows.length > 0) show({ rows: previousRows, isLoaded: true });
  const rows: Row[] = [];
  let lastDrawn = -Infinity;
  await eachElement<Bundle>(
    await request("api/app/liasse/dashboard-list", { signal }),
    (bundle) => rows.push(rowOf(bundle)),
    async () => {
      if (rows.length === 0 || previousRows.length > 0 || performance.now() - lastDrawn < drawInterval) return;
      show({ rows: rows.slice(), isLoaded: false });
      await new Promise((resolve) => setTimeout(resolve)); // lets the browser render and handle events
      lastDrawn = performance.now();
    },
  );
  state.rows = rows;
  return { rows, isLoaded: true };
}

// The dashboard's state, kept while a bundle is open, at most until the session ends.
interface ViewState {
  rows: readonly Row[];
  scrollPosition: ScrollPosition;
}

const emptyState = (): ViewState => ({ rows: [], scrollPosition: { top: 0, margin: 0, measured: [] } });
let viewState = emptyState();
session.subscribe((current) => {
  if (!current) viewState = emptyState();
});

export function Dashboard() {
  const { dashboard, noneManaged, noneFound, shown, stillLoading } = words.value;
  const loaded = useResource<ManagedBundles>("managed", load);
  const { query } = route.value;
  const selection = useMemo(() => selectionOf(query), [query]);
  const change = (part: Partial<Selection>) => replaceQuery("dashboard", queryOf({ ...selection, ...part }));
  const { isPrinting, print } = usePrinting();
  const rows = loaded.value?.rows ?? [];
  const selected = useMemo(() => select(rows, selection), [rows, selection]);
  const isLoaded = loaded.value?.isLoaded ?? false;
  return (
    <>
      <Title text={dashboard}>{!isUnfiltered(selection) && <ActiveFilters found={selected.length} all={rows.length} selection={selection} change={change} />}</Title>
      {loaded.fault !== null && <SectionFault fault={loaded.fault} wait={loaded.wait} retry={loaded.retry} />}
      {!loaded.value && loaded.fault === null && <Loading />}
      {isLoaded && rows.length === 0 && <p class="notice">{noneManaged}</p>}
      {rows.length > 0 && (
        <>
          <Figures rows={selected} />
          <Charts rows={selected} selection={selection} change={change} />
          <Filters rows={rows} selection={selection} change={change} />
          <div class="found">
            <p role="status" class="figure">
              {shown(selected.length, rows.length)}
              {!isLoaded && loaded.fault === null && <span aria-busy="true"> {stillLoading}</span>}
            </p>
            <Exports rows={selected} disabled={!isLoaded || selected.length === 0} print={print} />
          </div>
          {selected.length > 0 ? (
            <BundleTable rows={selected} order={selection.order} sort={(order) => change({ order })} isPrinting={isPrinting} scrollPosition={viewState.scrollPosition} />
          ) : (
            <p class="notice">{noneFound}</p>
          )}
        </>
      )}
    </>
  );
}

function Exports({ rows, disabled, print }: { rows: readonly Row[]; disabled: boolean; print: () => void }) {
  const { exportCsv, exportRaw, exportName, print: printWord } = words.value;
  return (
    <span class="exports">
      <button type="button" class="outline small" disabled={disabled} onClick={print}>
        {printWord}
      </button>
      <button type="button" class="outline small" disabled={disabled} onClick={() => save(csvOf(rows), `${exportName}.csv`)}>
        {exportCsv}
      </button>
      <button type="button" class="outline small" disabled={disabled} onClick={() => save(rawCsvOf(rows), "liasses.csv")}>
        {exportRaw}
      </button>
    </span>
  );
}

// While the browser prints, the table has all rows. The browser's own command works as the button does.
function usePrinting(): { isPrinting: boolean; print: () => void } {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const print = () => {
    setPrinting(true);
    setTimeout(() => window.print()); // after the rows are in the document
  };
  return { isPrinting, print };
}

function Figures({ rows }: { rows: readonly Row[] }) {
  const { dashboardTotal, dashboardComplete, dashboardAverage, dashboardNew, dashboardTroubled } = words.value;
  const all = Math.max(1, rows.length);
  const figures: [string, string][] = [
    [dashboardTotal, count(rows.length)],
    [dashboardComplete, count(rows.filter((row) => row.complete).length)],
    [dashboardAverage, percent(rows.reduce((sum, row) => sum + row.completion, 0) / all)],
    [dashboardNew, count(rows.filter((row) => row.deposeeDepuisDerniereConsultation).length)],
    [dashboardTroubled, count(rows.filter((row) => row.kinds.has("rejected")).length)],
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
