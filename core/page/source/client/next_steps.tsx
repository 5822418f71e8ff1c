// The client's next steps, one for each piece.
import { Template } from "../parts/template";
import { words } from "../preferences";
import type { Bundle } from "../service/types";
import { isComplete, nextStep, refusal } from "../statuses";

export function NextSteps({ bundle }: { bundle: Bundle }) {
  const { toDo, toProvide, toRedo, allDone, onlyWaiting } = words.value;
  const steps = bundle.piecesAttendues.filter((piece) => nextStep(piece)).sort((a, b) => rank(a) - rank(b));
  if (steps.length === 0) {
    const complete = isComplete(bundle);
    return <p class={`notice ${complete ? "good" : ""}`}>{complete ? allDone : onlyWaiting}</p>;
  }
  return (
    <section class="panel next-steps" aria-labelledby="next-steps">
      <h2 id="next-steps">{toDo}</h2>
      <ul>
        {steps.map((piece) => (
          <li key={piece.id} class={nextStep(piece)!}>
            <span class="what">
              <strong>{nextStep(piece) === "redo" ? toRedo : toProvide}</strong> {piece.objetCourrier.description}
            </span>
            {refusal(piece) && <span class="reason">{refusal(piece)}</span>}
            <Template of={piece.objetCourrier} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function rank(piece: Bundle["piecesAttendues"][number]): number {
  return nextStep(piece) === "redo" ? 0 : 1;
}
