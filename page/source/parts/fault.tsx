// Error notices: what happened, the time of the next attempt, and what the user can do next.
import { words } from "../preferences";
import { lastAddressOf } from "../route";
import { NoAnswerError, ServiceError } from "../service/ask";
import { Contact } from "./contact";
import { Title } from "./parts";

interface FaultProperties {
  fault: unknown;
  wait?: number | null;
  retry?: () => void;
}

/** Whether the answer is final for this user: another attempt would not help. */
export function isFinal(fault: unknown): boolean {
  return fault instanceof ServiceError && (fault.status === 403 || fault.status === 404);
}

/** Replaces a section by an error notice under the title `name`. */
export function FaultPage({ name = words.value.title, ...properties }: FaultProperties & { name?: string }) {
  return (
    <>
      <Title text={name} />
      <SectionFault {...properties} />
    </>
  );
}

/** The error notice of a section. */
export function SectionFault(properties: FaultProperties) {
  const { forbidden, forbiddenNext } = words.value;
  return isFinal(properties.fault) ? <Refusal what={forbidden} next={forbiddenNext} /> : <Fault {...properties} />;
}

/** A notice that the page has nothing to show, and what to do. It links to the section `home`. */
export function Refusal({ what, next, home = "bundles" }: { what: string; next: string; home?: "bundles" | "dashboard" }) {
  const { toBundles, toDashboard } = words.value;
  return (
    <>
      <div class="notice fault" role="alert">
        <strong>{what}</strong>
        <p class="details">{next}</p>
      </div>
      <p>
        <a href={lastAddressOf(home)}>{home === "bundles" ? toBundles : toDashboard}</a>
      </p>
      {home === "bundles" && <Contact />}
    </>
  );
}

export function Fault({ fault, wait, retry }: FaultProperties) {
  const { noAnswer, retryIn, retryNow } = words.value;
  return (
    <div class="notice fault">
      <div role="alert">
        <strong>{fault instanceof NoAnswerError ? noAnswer : (fault as Error).message}</strong>
        {fault instanceof ServiceError && fault.details && <p class="details">{fault.details}</p>}
      </div>
      {wait != null && <span>{retryIn(wait)}</span>}
      {retry && (
        <button type="button" class="secondary outline small" onClick={retry}>
          {retryNow}
        </button>
      )}
    </div>
  );
}
