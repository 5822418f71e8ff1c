// A client's bundles, as cards.
import { Completion, Loading, NewBadge, StateBadge, Title } from "../parts/parts";
import { Contact } from "../parts/contact";
import { SectionFault } from "../parts/fault";
import { day } from "../format";
import { words } from "../preferences";
import { addressOf } from "../route";
import { requestJson } from "../service/ask";
import { useResource } from "../service/loaded";
import type { Bundle } from "../service/types";
import { isComplete, kindOf, nextStep } from "../statuses";

const maxSteps = 2; // on a card

export function BundleList() {
  const { bundles, bundleCount, completeCount, newCount, toSendCount, noBundles } = words.value;
  const loaded = useResource<Bundle[]>("own", (signal) => requestJson("api/app/liasse", { signal }));
  const list = loaded.value?.slice().sort((a, b) => rank(a) - rank(b)); // in the service's order otherwise
  const isShared = new Set(list?.map((bundle) => bundle.numeroTiers)).size > 1;
  return (
    <>
      <Title text={bundles}>
        {list && list.length > 0 && (
          <p class="summary">
            {bundleCount(list.length)} · {completeCount(list.filter(isComplete).length)} ·{" "}
            {newCount(list.filter((bundle) => bundle.deposeeDepuisDerniereConsultation).length)} ·{" "}
            {toSendCount(list.reduce((sum, bundle) => sum + stepsOf(bundle).length, 0))}
          </p>
        )}
      </Title>
      {loaded.fault !== null && <SectionFault fault={loaded.fault} wait={loaded.wait} retry={loaded.retry} />}
      {!list && loaded.fault === null && <Loading />}
      {list?.length === 0 && <p class="notice">{noBundles}</p>}
      <ul class="cards">
        {list?.map((bundle) => (
          <li key={bundle.id}>
            <Card bundle={bundle} isShared={isShared} />
          </li>
        ))}
      </ul>
      {list && <Contact />}
    </>
  );
}

const stepsOf = (bundle: Bundle) => bundle.piecesAttendues.filter((piece) => nextStep(piece));

// Bundles with documents to send come first, complete ones last.
function rank(bundle: Bundle): number {
  if (stepsOf(bundle).length > 0) return 0;
  return isComplete(bundle) ? 2 : 1;
}

// `isShared`: the list has files of several persons.
function Card({ bundle, isShared }: { bundle: Bundle; isShared: boolean }) {
  const { progress, acceptedOf, noPieces, created, loan, toRedo, toProvide, moreToDo, allDone, onlyWaiting, labelled } = words.value;
  const pieces = bundle.piecesAttendues;
  const accepted = pieces.filter((piece) => kindOf(piece.statut) === "validated").length;
  const steps = stepsOf(bundle);
  return (
    <article class={`card ${isComplete(bundle) ? "complete" : ""}`}>
      <div class="badges">
        <StateBadge complete={isComplete(bundle)} />
        {bundle.deposeeDepuisDerniereConsultation && <NewBadge />}
      </div>
      <h2>
        <a href={addressOf("bundles", bundle.id)}>{bundle.nomDossier}</a>
      </h2>
      <p class="facts">
        {isShared && `${bundle.prenomTiers} ${bundle.nomTiers} · `}
        {loan} {bundle.numeroPret} · {created} {day(bundle.creationDate)}
      </p>
      <Completion value={bundle.completion} label={progress(bundle.nomDossier)} />
      <p class="facts">{pieces.length === 0 ? noPieces : acceptedOf(accepted, pieces.length)}</p>
      {steps.length === 0 && <p class="steps">{isComplete(bundle) ? allDone : onlyWaiting}</p>}
      {steps.length > 0 && (
        <ul class="steps">
          {steps.slice(0, maxSteps).map((piece) => (
            <li key={piece.id}>{labelled(nextStep(piece) === "redo" ? toRedo : toProvide, piece.objetCourrier.description)}</li>
          ))}
          {steps.length > maxSteps && <li>{moreToDo(steps.length - maxSteps)}</li>}
        </ul>
      )}
    </article>
  );
}
