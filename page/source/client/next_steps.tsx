// The client's next steps, one for each piece, and how to send the documents. The page itself receives none.
import { Contact } from "../parts/contact";
import { Template } from "../parts/template";
import { words } from "../preferences";
import type { Bundle, Piece } from "../service/types";
import { depositUrlOf, portalSettings } from "../settings";
import { isComplete, nextStep, refusal } from "../statuses";

export function NextSteps({ bundle }: { bundle: Bundle }) {
  const { toDo, toProvide, toRedo, allDone, onlyWaiting, howToSend } = words.value;
  const steps = bundle.piecesAttendues.filter((piece) => nextStep(piece)).sort((a, b) => rank(a) - rank(b));
  if (steps.length === 0) {
    const complete = isComplete(bundle);
    return (
      <>
        <p class={`notice ${complete ? "good" : ""}`}>{complete ? allDone : onlyWaiting}</p>
        <Contact />
      </>
    );
  }
  return (
    <section class="panel next-steps" aria-labelledby="next-steps">
      <h2 id="next-steps">{toDo}</h2>
      <ul>
        {steps.map((piece) => (
          <li key={piece.id} class={nextStep(piece)!}>
            <span class="what">
              <strong>{nextStep(piece) === "redo" ? toRedo : toProvide}</strong> {piece.objetCourrier.description}{" "}
              <small class="code">{piece.objetCourrier.typeObjet}</small>
            </span>
            {refusal(piece) && <span class="reason">{refusal(piece)}</span>}
            <span class="actions">
              <Template of={piece.objetCourrier} />
              <Deposit bundle={bundle.id} piece={piece} />
            </span>
          </li>
        ))}
      </ul>
      {!portalSettings.value.depositUrl && <p class="how">{howToSend}</p>}
      <Contact />
    </section>
  );
}

function Deposit({ bundle, piece }: { bundle: string; piece: Piece }) {
  const { send, sendOf } = words.value;
  const address = depositUrlOf(bundle, piece.id);
  if (address === null) return null;
  return (
    <a class="send small" href={address} aria-label={sendOf(piece.objetCourrier.description)}>
      {send}
    </a>
  );
}

function rank(piece: Piece): number {
  return nextStep(piece) === "redo" ? 0 : 1;
}
