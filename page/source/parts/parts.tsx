// Components shared by the sections.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { percent } from "../format";
import { words } from "../preferences";
import { isKind, nameOfKind, type Kind } from "../statuses";

/** The heading of a section. It has the focus from the moment it is shown and sets the window's title. */
export function Title({ text, children }: { text: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const portal = words.value.title;
  useEffect(() => {
    document.title = text === portal ? portal : `${text} – ${portal}`;
  }, [text, portal]);
  return (
    <div class="title">
      <h1 ref={heading} tabIndex={-1}>
        {text}
      </h1>
      {children}
    </div>
  );
}

export function Completion({ value, label }: { value: number; label: string }) {
  return (
    <span class="completion">
      <progress value={value} max={100} aria-label={label} class={value === 100 ? "full" : ""} />
      <span class="figure">{percent(value)}</span>
    </span>
  );
}

export function KindBadge({ kind }: { kind: Kind | string }) {
  return <span class={`badge ${isKind(kind) ? kind : "other"}`}>{nameOfKind(kind)}</span>;
}

export function StateBadge({ complete }: { complete: boolean }) {
  const { states } = words.value;
  return <span class={`badge ${complete ? "validated" : "under-way"}`}>{complete ? states.complete : states.underWay}</span>;
}

/** A file with a document that was received since the user opened it. `short` is for tables. */
export function NewBadge({ short }: { short?: boolean }) {
  const { isNew, isNewShort } = words.value;
  return (
    <span class="badge new" title={short ? isNew : undefined}>
      {short ? isNewShort : isNew}
    </span>
  );
}

/** Shows another address. The browser's history does not keep the current one. */
export function Redirect({ to }: { to: string }) {
  useEffect(() => location.replace(to), []);
  return <Loading />;
}

export function Loading() {
  return (
    <p class="loading" aria-busy="true">
      {words.value.loading}
    </p>
  );
}
