// Why something is missing: the service's own message, or that no answer came, and when the page asks again.
import { words } from "../preferences";
import { Away, Refusal } from "../service/ask";
import { Title } from "./parts";

interface FaultProperties {
  fault: unknown;
  wait?: number | null;
  again?: () => void;
}

/** In the place of a whole section, under the name that it has so far. */
export function FaultAlone({ name = words.value.title, ...told }: FaultProperties & { name?: string }) {
  return (
    <>
      <Title text={name} />
      <Fault {...told} />
    </>
  );
}

export function Fault({ fault, wait, again }: FaultProperties) {
  const { away, retryIn, retryNow } = words.value;
  return (
    <div class="notice fault">
      <div role="alert">
        <strong>{fault instanceof Away ? away : (fault as Error).message}</strong>
        {fault instanceof Refusal && fault.details && <p class="details">{fault.details}</p>}
      </div>
      {wait != null && <span>{retryIn(wait)}</span>}
      {again && (
        <button type="button" class="secondary outline small" onClick={again}>
          {retryNow}
        </button>
      )}
    </div>
  );
}
