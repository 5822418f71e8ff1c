// Which rows of a long table are in the window: only these, and a few around them, are in the page (@tanstack/virtual-core).
import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll, type VirtualItem } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** How far down the page the user has scrolled. */
export interface Place {
  top: number;
  /** Pixels of the page above the rows. */
  margin: number;
  /** The rows whose heights are known by then. */
  measured: VirtualItem[];
}

export interface WindowRows {
  items: VirtualItem[];
  /** Pixels of the rows that are left out. */
  before: number;
  after: number;
  /** For each row that is in the page, which has its index in data-index. */
  measure: (row: HTMLTableRowElement | null) => void;
}

// The virtualizer's own measure rounds, and a pixel more or less for each row above would move the rows of a user who
// comes back.
function exactHeight(row: HTMLTableRowElement, seen?: ResizeObserverEntry): number {
  return seen?.borderBoxSize[0]?.blockSize ?? row.getBoundingClientRect().height;
}

/** Begins at `place`, and says there where it ended. */
export function useWindowRows(count: number, estimate: number, body: RefObject<HTMLTableSectionElement | null>, place: Place): WindowRows {
  const [, redraw] = useReducer((times: number, _: void) => times + 1, 0);
  const margin = useRef(place.margin);
  const options = {
    count,
    estimateSize: () => estimate,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    scrollMargin: margin.current,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: place.top,
    initialMeasurementsCache: place.measured,
    measureElement: exactHeight,
    overscan: 6,
    onChange: () => redraw(),
  };
  const [rows] = useState(() => new Virtualizer<Window, HTMLTableRowElement>(options));
  rows.setOptions({ ...rows.options, ...options });
  useLayoutEffect(() => {
    const unmount = rows._didMount();
    return () => {
      place.top = rows.scrollOffset ?? 0;
      place.margin = margin.current;
      place.measured = rows.takeSnapshot();
      unmount();
    };
  }, []);
  useLayoutEffect(() => {
    const top = Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY);
    if (top !== margin.current) {
      margin.current = top;
      redraw();
    }
    rows._willUpdate();
  });
  const items = rows.getVirtualItems();
  return {
    items,
    before: (items[0]?.start ?? margin.current) - margin.current,
    after: rows.getTotalSize() - ((items.at(-1)?.end ?? margin.current) - margin.current),
    measure: rows.measureElement,
  };
}
