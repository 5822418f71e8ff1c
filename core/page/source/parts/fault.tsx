// Why something is not there: the service's own words, or that nobody answered, and when it is asked again.
import { words } from "../preferences";
import { Away, Refusal } from "../service/ask";

export function Fault({ fault, wait, again }: { fault: unknown; wait?: number | null; again?: () => void }) {
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
