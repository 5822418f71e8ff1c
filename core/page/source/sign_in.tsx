// Who are you: the identity provider knows, or, where this portal has none, a token says it.
import { useState } from "preact/hooks";
import { Title } from "./parts/parts";
import { strangerIn, tokenIn } from "./pasted_token";
import { words } from "./preferences";
import { begin, ending, signIn, type Persona, type PortalSettings } from "./session";

export function SignInPage({ settings }: { settings: PortalSettings }) {
  const { welcome, welcomeText, signIn: enter, signInAgain, signInFailed } = words.value;
  const { personas } = settings;
  return (
    <div class="sign-in">
      <Title text={welcome} />
      <p class="lead">{welcomeText}</p>
      {ending.value && (
        <div class="notice fault" role="alert">
          <strong>{ending.value.how === "ended" ? signInAgain : signInFailed}</strong>
          {ending.value.text && <p class="details">{ending.value.text}</p>}
        </div>
      )}
      {settings.signIn && (
        <button type="button" class="enter" onClick={() => void signIn()}>
          {enter}
        </button>
      )}
      {personas.length > 0 && <Personas personas={personas} />}
      {!settings.signIn && personas.length === 0 && <TokenBox />}
    </div>
  );
}

function Personas({ personas }: { personas: Persona[] }) {
  return (
    <section class="panel" aria-labelledby="personas">
      <h2 id="personas">{words.value.personas}</h2>
      <p class="facts">{words.value.personasText}</p>
      <ul class="personas">
        {personas.map(({ name, description, token }) => (
          <li key={name}>
            <button type="button" class="outline" onClick={() => begin({ token, how: "persona" })}>
              <strong>{name}</strong>
              <span>{description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TokenBox() {
  const [text, setText] = useState("");
  const token = tokenIn(text);
  const stranger = strangerIn(token);
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault();
        if (token && !stranger) begin({ token, how: "token" });
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
          aria-invalid={stranger ? true : undefined}
          aria-describedby={stranger && "stranger"}
        />
      </label>
      {stranger && (
        <p id="stranger" class="notice fault" role="alert">
          {words.value.noTokenHas(stranger)}
        </p>
      )}
      <p class="facts">{words.value.tokenText}</p>
      <button type="submit">{words.value.useToken}</button>
    </form>
  );
}
