// Virtualizes a long table: only the visible rows and a few around them are in the DOM (@tanstack/virtual-core).
import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll, type VirtualItem } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** The scroll position of the table. */
export interface ScrollPosition {
  top: number;
  /** Pixels of the page above the rows. */
  margin: number;
  /** The rows that were measured. */
  measured: VirtualItem[];
}

export interface WindowRows {
  items: VirtualItem[];
  /** Pixels of the omitted rows above and below. */
  before: number;
  after: number;
  /** The ref of each row in the DOM, which has its index in data-index. */
  measure: (row: HTMLTableRowElement | null) => void;
}

// The virtualizer's own measurement rounds; errors of a pixel for each row would shift the restored scroll position.
function exactHeight(row: HTMLTableRowElement, entry?: ResizeObserverEntry): number {
  return entry?.borderBoxSize[0]?.blockSize ?? row.getBoundingClientRect().height;
}

/** Starts at `scrollPosition` and updates it on unmount. */
export function useWindowRows(count: number, estimate: number, body: RefObject<HTMLTableSectionElement | null>, scrollPosition: ScrollPosition): WindowRows {
  const [, redraw] = useReducer((times: number, _: void) => times + 1, 0);
  const margin = useRef(scrollPosition.margin);
  const options = {
    count,
    estimateSize: () => estimate,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    scrollMargin: margin.current,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: scrollPosition.top,
    initialMeasurementsCache: scrollPosition.measured,
    measureElement: exactHeight,
    overscan: 6,
    onChange: () => redraw(),
  };
  const [rows] = useState(() => new Virtualizer<Window, HTMLTableRowElement>(options));
  rows.setOptions({ ...rows.options, ...options });
  useLayoutEffect(() => {
    const unmount = rows._didMount();
    return () => {
      scrollPosition.top = rows.scrollOffset ?? 0;
      scrollPosition.margin = margin.current;
      scrollPosition.measured = rows.takeSnapshot();
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
