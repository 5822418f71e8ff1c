// The bundles of the dashboard: a table on a desktop, cards on a phone. Only the visible rows are in the DOM.
import { useRef } from "preact/hooks";
import { day } from "../format";
import { Completion, NewBadge, StateBadge } from "../parts/parts";
import { words } from "../preferences";
import { addressOf } from "../route";
import type { Row } from "./rows";
import type { Order } from "./selection";
import { useWindowRows, type ScrollPosition } from "./window_rows";

const estimatedRowHeight = 60;

interface BundleTableProperties {
  rows: Row[];
  order: Order;
  sort: (order: Order) => void;
  /** Whether all rows are in the document. */
  isPrinting: boolean;
  scrollPosition: ScrollPosition;
}

export function BundleTable({ rows, order, sort, isPrinting, scrollPosition }: BundleTableProperties) {
  const { thirdParty, name, created, completion, status, refusals, dashboard } = words.value;
  const body = useRef<HTMLTableSectionElement>(null);
  const { items, before, after, measure } = useWindowRows(rows.length, estimatedRowHeight, body, scrollPosition);
  return (
    <table class="bundles panel" aria-label={dashboard} aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <Head text={thirdParty} up="name" order={order} sort={sort} />
          <th scope="col">{name}</th>
          <Head text={created} up="oldest" down="newest" order={order} sort={sort} />
          <Head text={completion} up="least" down="most" order={order} sort={sort} />
          <th scope="col">{status}</th>
          <th scope="col">{refusals}</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {isPrinting && rows.map((row, index) => <BundleRow key={row.id} row={row} index={index} measure={null} />)}
        {!isPrinting && before > 0 && <Gap height={before} />}
        {!isPrinting && items.map(({ index }) => <BundleRow key={rows[index]!.id} row={rows[index]!} index={index} measure={measure} />)}
        {!isPrinting && after > 0 && <Gap height={after} />}
      </tbody>
    </table>
  );
}

// A column header. The first click sorts by the column, the second reverses the order.
function Head({ text, up, down, order, sort }: { text: string; up: Order; down?: Order; order: Order; sort: (order: Order) => void }) {
  const sorted = order === up ? "ascending" : order === down ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={sorted}>
      <button type="button" class="quiet sort" onClick={() => sort(order === up && down ? down : up)}>
        {text}
        <span aria-hidden="true">{sorted === "ascending" ? " ▲" : sorted === "descending" ? " ▼" : " ⇅"}</span>
      </button>
    </th>
  );
}

// A spacer for the rows that are not in the DOM.
function Gap({ height }: { height: number }) {
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={6} style={{ height: `${height}px` }} />
    </tr>
  );
}

function BundleRow({ row, index, measure }: { row: Row; index: number; measure: ((row: HTMLTableRowElement | null) => void) | null }) {
  const { progress } = words.value;
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <td class="person">
        {row.prenomTiers} {row.nomTiers}
        <small>{row.numeroTiers}</small>
      </td>
      <td class="name">
        <a href={addressOf("dashboard", row.id)}>{row.nomDossier}</a>
        <small>
          {row.id} · {row.numeroPret}
        </small>
      </td>
      <td class="day">{day(row.creationDate)}</td>
      <td class="progress">
        <Completion value={row.completion} label={progress(row.nomDossier)} />
      </td>
      <td class="state">
        <span class="badges">
          <StateBadge complete={row.complete} />
          {row.deposeeDepuisDerniereConsultation && <NewBadge short />}
        </span>
      </td>
      <td class="reason">
        {row.refusals.map((each) => (
          <span key={each}>{each}</span>
        ))}
      </td>
    </tr>
  );
}
