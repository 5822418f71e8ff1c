// An error notice: the service's message, or that it does not answer, and the time of the next attempt.
import { words } from "../preferences";
import { NoAnswerError, ServiceError } from "../service/ask";
import { Title } from "./parts";

interface FaultProperties {
  fault: unknown;
  wait?: number | null;
  retry?: () => void;
}

/** Replaces a section by an error notice under the title `name`. */
export function FaultPage({ name = words.value.title, ...properties }: FaultProperties & { name?: string }) {
  return (
    <>
      <Title text={name} />
      <Fault {...properties} />
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
