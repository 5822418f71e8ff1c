// The frame around every section: who is here, where they may go, and what they prefer.
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { BundleList } from "./client/bundle_list";
import { Bundle } from "./client/bundle";
import { Loading, Title } from "./parts/parts";
import { FaultAlone } from "./parts/fault";
import { language, languageNames, theme, themes, words, type Theme } from "./preferences";
import { addressOf, route, type Section } from "./route";
import { Away } from "./service/ask";
import { askCaller } from "./service/caller";
import { useLoaded } from "./service/loaded";
import type { Configuration } from "./service/types";
import { session, signOut, type PortalSettings } from "./session";
import { SignInPage } from "./sign_in";

const permissions: Partial<Record<Section, string>> = {
  dashboard: "PortailClients.Dashboard.Host",
  "mail-objects": "PortailClients.ObjetsCourrier.Update",
};

export function App({ settings }: { settings: PortalSettings }) {
  const { skip } = words.value;
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        {skip}
      </a>
      {session.value ? <SignedIn key={session.value.how} /> : <SignedOut settings={settings} />}
    </>
  );
}

// The address behind the # is taken.
function skipToMain(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function SignedOut({ settings }: { settings: PortalSettings }) {
  return (
    <>
      <Header />
      <main id="main" class="container narrow" tabIndex={-1}>
        <SignInPage settings={settings} />
      </main>
    </>
  );
}

function SignedIn() {
  const { value, fault, wait, again } = useLoaded("me", askCaller);
  const sections = value ? sectionsFor(value) : [];
  const shown = route.value.section ?? landing(sections);
  return (
    <>
      <Header name={value?.currentUser.name ?? value?.currentUser.userName ?? null}>
        {sections.length > 1 && <Navigation sections={sections} shown={shown} />}
      </Header>
      <main id="main" class="container" tabIndex={-1}>
        {fault !== null && <FaultAlone fault={fault} wait={wait} again={again} />}
        {!value && fault === null && <Loading />}
        {value && shown && <Shown key={shown} section={shown} id={route.value.id} configuration={value} />}
      </main>
    </>
  );
}

function Shown({ section, id, configuration }: { section: Section | "unknown"; id: string | null; configuration: Configuration }) {
  if (section === "unknown") return <Title text={words.value.nothingHere} />;
  if (id !== null && section !== "mail-objects") return <Bundle key={id} id={id} from={section} />;
  if (section === "dashboard") return <Lazily load={async () => (await import("./manager/dashboard")).Dashboard} />;
  if (section === "mail-objects") {
    const mayChange = configuration.auth.grantedPolicies[permissions["mail-objects"]!] === true;
    return <Lazily load={async () => (await import("./administrator/mail_objects")).MailObjects} mayChange={mayChange} />;
  }
  return <BundleList />;
}

// A client never loads what managers and administrators have.
function Lazily<P>({ load, ...properties }: { load: () => Promise<FunctionComponent<P>> } & P) {
  const [loaded, setLoaded] = useState<{ part: FunctionComponent<P> } | { fault: unknown } | null>(null);
  useEffect(() => {
    load().then(
      (part) => setLoaded({ part }),
      () => setLoaded({ fault: new Away() }),
    );
  }, []);
  if (loaded === null) return <Loading />;
  if ("fault" in loaded) return <FaultAlone fault={loaded.fault} again={() => window.location.reload()} />;
  return <loaded.part {...(properties as unknown as P & {})} />;
}

function sectionsFor({ auth }: Configuration): Section[] {
  return (["bundles", "dashboard", "mail-objects"] as const).filter((section) => {
    const permission = permissions[section];
    return permission === undefined || auth.grantedPolicies[permission];
  });
}

// The section that a user sees first: one that a client may not open, if there is one.
function landing(sections: Section[]): Section | null {
  return sections.at(-1) ?? null;
}

function Navigation({ sections, shown }: { sections: Section[]; shown: Section | "unknown" | null }) {
  const names: Record<Section, string> = {
    bundles: words.value.bundles,
    dashboard: words.value.dashboard,
    "mail-objects": words.value.mailObjects,
  };
  return (
    <nav aria-label={words.value.sections}>
      <ul>
        {sections.map((section) => (
          <li key={section}>
            <a href={addressOf(section)} aria-current={section === shown ? "page" : undefined}>
              {names[section]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Header({ name, children }: { name?: string | null; children?: ComponentChildren }) {
  const { title, signedInAs, signOut: leave } = words.value;
  return (
    <header class="top">
      <div class="container bar">
        <a class="brand" href="#/">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M3 8a4 4 0 0 1 4-4h6.3a4 4 0 0 1 2.9 1.2L18 7h7a4 4 0 0 1 4 4v13a4 4 0 0 1-4 4H7a4 4 0 0 1-4-4Z" />
            <path class="mark" d="m10.5 17.5 4 4 7.5-8" />
          </svg>
          {title}
        </a>
        {children}
        <div class="controls">
          <Preferences />
          {session.value && (
            <>
              {name && (
                <span class="who" title={signedInAs(name)}>
                  {name}
                </span>
              )}
              <button type="button" class="outline secondary small" onClick={() => void signOut()}>
                {leave}
              </button>
            </>
          )}
        </div>
      </div>
    </header>
  );
}

function Preferences() {
  const { theme: colours } = words.value;
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
  const other = language.value === "fr" ? "en" : "fr";
  const symbols: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };
  return (
    <>
      <button
        type="button"
        class="quiet symbol"
        aria-label={`${colours.label} : ${colours[theme.value]}`}
        title={`${colours.label} : ${colours[theme.value]}`}
        onClick={() => (theme.value = next)}
      >
        <span aria-hidden="true">{symbols[theme.value]}</span>
      </button>
      <button type="button" class="quiet" lang={other} onClick={() => (language.value = other)}>
        {languageNames[other]}
      </button>
    </>
  );
}
