// One bundle. Reading it by its id records the consultation that "new" is relative to.
import { Completion, KindBadge, Loading, NewBadge, Redirect, StateBadge, Title } from "../parts/parts";
import { FaultPage, isFinal, Refusal } from "../parts/fault";
import { Template } from "../parts/template";
import { amount as amountOf, day } from "../format";
import { words } from "../preferences";
import { addressOf, lastAddressOf } from "../route";
import { requestJson } from "../service/ask";
import { useResource } from "../service/loaded";
import type { Bundle as BundleData, Piece } from "../service/types";
import { byKind, isComplete, nameOfKind, nextStep, refusal } from "../statuses";
import { NextSteps } from "./next_steps";

interface BundleProperties {
  id: string;
  /** The section of the back link. Next steps are shown to clients only. */
  from: "bundles" | "dashboard";
  isManager: boolean;
}

export function Bundle({ id, from, isManager }: BundleProperties) {
  const loaded = useResource<BundleData>(id, (signal) => requestJson(`api/app/liasse/${encodeURIComponent(id)}`, { signal }));
  const bundle = loaded.value;
  return (
    <>
      {!isFinal(loaded.fault) && (
        <p class="back">
          <a href={lastAddressOf(from)}>
            <span aria-hidden="true">← </span>
            {words.value[from]}
          </a>
        </p>
      )}
      {isFinal(loaded.fault) && (isManager && from === "bundles" ? <Redirect to={addressOf("dashboard", id)} /> : <Unknown id={id} from={from} />)}
      {loaded.fault !== null && !isFinal(loaded.fault) && <FaultPage name={id} fault={loaded.fault} wait={loaded.wait} retry={loaded.retry} />}
      {!bundle && loaded.fault === null && <Loading />}
      {bundle && <Shown bundle={bundle} forClient={from === "bundles"} />}
    </>
  );
}

// The service distinguishes a bundle that does not exist from one of another client; the reader can do the same about both.
function Unknown({ id, from }: { id: string; from: "bundles" | "dashboard" }) {
  const { bundleNotFound, bundleNotFoundText, bundleNotFoundNext, managedNotFoundText, managedNotFoundNext } = words.value;
  return (
    <>
      <Title text={bundleNotFound} />
      {from === "bundles" ? (
        <Refusal what={bundleNotFoundText(id)} next={bundleNotFoundNext} />
      ) : (
        <Refusal what={managedNotFoundText(id)} next={managedNotFoundNext} home="dashboard" />
      )}
    </>
  );
}

function Shown({ bundle, forClient }: { bundle: BundleData; forClient: boolean }) {
  const { progress, pieces, otherPieces, noPieces, clientHasToSend } = words.value;
  // The next steps have the others.
  const listed = forClient ? bundle.piecesAttendues.filter((piece) => !nextStep(piece)) : bundle.piecesAttendues;
  const isWhole = listed.length === bundle.piecesAttendues.length;
  return (
    <>
      <Title text={bundle.nomDossier}>
        <div class="badges">
          <StateBadge complete={isComplete(bundle)} />
          {bundle.deposeeDepuisDerniereConsultation && <NewBadge />}
        </div>
      </Title>
      <div class="panel overview">
        <Completion value={bundle.completion} label={progress(bundle.nomDossier)} />
        <Facts bundle={bundle} />
      </div>
      {forClient ? <NextSteps bundle={bundle} /> : <p class="lead">{clientHasToSend(bundle.piecesAttendues.filter(nextStep).length)}</p>}
      {(isWhole || listed.length > 0) && <h2>{isWhole ? pieces : otherPieces}</h2>}
      {bundle.piecesAttendues.length === 0 && <p class="notice">{noPieces}</p>}
      {byKind(listed).map(([kind, group]) => (
        <section key={kind} class="group" aria-label={`${pieces} – ${nameOfKind(kind)}`}>
          <h3>
            <KindBadge kind={kind} /> <span class="figure">{group.length}</span>
          </h3>
          <ul class="panel pieces">
            {group.map((piece) => (
              <PieceRow key={piece.id} piece={piece} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Facts({ bundle }: { bundle: BundleData }) {
  const { created, loan, amount, thirdParty, opportunity, yes, no, reference } = words.value;
  const facts: [string, string][] = [
    [reference, bundle.id],
    [created, day(bundle.creationDate)],
    [thirdParty, `${bundle.prenomTiers} ${bundle.nomTiers} (${bundle.numeroTiers})`],
    [loan, bundle.numeroPret],
    [amount, amountOf(bundle.montantOpportunite)],
    [opportunity, bundle.opportuniteMiseEnPlace ? yes : no],
  ];
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function PieceRow({ piece }: { piece: Piece }) {
  const { objetCourrier: object, motif } = piece;
  return (
    <li>
      <span class="what">
        {object.description} <small class="code">{object.typeObjet}</small>
      </span>
      {motif && (
        <span class={`reason ${refusal(piece) ? "" : "quiet"}`}>
          <span class="label">{words.value.reason}</span> {motif}
        </span>
      )}
      <Template of={object} />
    </li>
  );
}
