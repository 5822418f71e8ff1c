// The sign-in page: through the identity provider, as a persona, or with a pasted token.
import { useState } from "preact/hooks";
import { Contact } from "./parts/contact";
import { Title } from "./parts/parts";
import { invalidCharacterIn, refusalOf, tokenIn } from "./pasted_token";
import { language, words } from "./preferences";
import { startSession, sessionEnd, signIn } from "./session";
import { portalSettings, type Persona } from "./settings";

export function SignInPage() {
  const { welcome, welcomeText, signIn: enter } = words.value;
  const { personas, signIn: provider } = portalSettings.value;
  return (
    <div class="sign-in">
      <Title text={welcome} />
      <p class="lead">{welcomeText}</p>
      <SessionEnd />
      {provider && (
        <button type="button" class="enter" onClick={() => void signIn()}>
          {enter}
        </button>
      )}
      {personas.length > 0 && <Personas personas={personas} />}
      {!provider && personas.length === 0 && <TokenBox />}
    </div>
  );
}

function SessionEnd() {
  const { signInAgain, signInFailed, tokenRefused } = words.value;
  if (!sessionEnd.value) return null;
  const { how, text } = sessionEnd.value;
  return (
    <div class="notice fault" role="alert">
      <strong>{{ ended: signInAgain, refused: tokenRefused, failed: signInFailed }[how]}</strong>
      {how === "refused" ? <TokenRefused reason={text} /> : text && <p class="details">{text}</p>}
      {how !== "ended" && <Contact />}
    </div>
  );
}

// What a client can understand and do; the service's reason is for support.
function TokenRefused({ reason }: { reason: string | null }) {
  const { tokenRefusals, tokenReasons, newToken, waitForToken, copyToken, forSupport } = words.value;
  const refusal = refusalOf(reason);
  const next = refusal === "damaged" ? copyToken : refusal === "early" ? waitForToken : newToken;
  return (
    <>
      <p class="details">{`${tokenRefusals[refusal]} ${next}`}</p>
      {reason && (
        <small class="details">
          {forSupport} {tokenReasons[reason] ?? <span lang="en">{reason}</span>}
        </small>
      )}
    </>
  );
}

function Personas({ personas }: { personas: Persona[] }) {
  return (
    <section class="panel" aria-labelledby="personas">
      <h2 id="personas">{words.value.personas}</h2>
      <p class="facts">{words.value.personasText}</p>
      <ul class="personas">
        {personas.map((persona) => {
          const { name, description } = persona.translations?.[language.value] ?? persona;
          return (
            <li key={persona.name}>
              <button type="button" class="outline" value={persona.name} onClick={() => startSession({ token: persona.token, how: "persona" })}>
                <strong>{name}</strong>
                <span>{description}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function TokenBox() {
  const [text, setText] = useState("");
  const token = tokenIn(text);
  const invalidCharacter = invalidCharacterIn(token);
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        if (token && !invalidCharacter) startSession({ token, how: "token" });
      }}
    >
      <label>
        {words.value.token}
        <textarea
          rows={4}
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          required
          aria-invalid={invalidCharacter ? true : undefined}
          aria-describedby={invalidCharacter && "invalidCharacter"}
        />
      </label>
      {invalidCharacter && (
        <p id="invalidCharacter" class="notice fault" role="alert">
          {words.value.notAllowedInToken(invalidCharacter)}
        </p>
      )}
      <p class="facts">{words.value.tokenText}</p>
      <button type="submit">{words.value.useToken}</button>
    </form>
  );
}
