// The frame of every section: header, navigation, preferences.
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { discardDrafts, drafts, restoreDrafts } from "./administrator/drafts";
import { BundleList } from "./client/bundle_list";
import { Bundle } from "./client/bundle";
import { Loading, Redirect, Title } from "./parts/parts";
import { FaultPage, Refusal } from "./parts/fault";
import { language, languageNames, theme, themes, words, type Theme } from "./preferences";
import { addressOf, lastAddressOf, route, type Section } from "./route";
import { NoAnswerError } from "./service/ask";
import { type Configuration, requestCaller } from "./service/caller";
import { useResource } from "./service/loaded";
import { session, signOut } from "./session";
import { SignInPage } from "./sign_in";

const permissions: Partial<Record<Section, string>> = {
  dashboard: "PortailClients.Dashboard.Host",
  "mail-objects": "PortailClients.ObjetsCourrier.Update",
};

export function App() {
  const { skip } = words.value;
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        {skip}
      </a>
      {session.value ? <SignedIn key={session.value.how} /> : <SignedOut />}
    </>
  );
}

// The fragment of the address is the route, so the link must not change it.
function skipToMain(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function SignedOut() {
  return (
    <>
      <Header />
      <main id="main" class="container narrow" tabIndex={-1}>
        <SignInPage />
      </main>
    </>
  );
}

async function loadCaller(signal: AbortSignal): Promise<Configuration> {
  const caller = await requestCaller(signal);
  restoreDrafts(caller.currentUser.id);
  return caller;
}

function SignedIn() {
  const { value, fault, wait, retry } = useResource("me", loadCaller);
  const sections = value ? sectionsFor(value) : [];
  const shown = route.value.section ?? defaultSection(sections);
  return (
    <>
      <Header name={value?.currentUser.name ?? value?.currentUser.userName ?? null}>
        {sections.length > 1 && <Navigation sections={sections} shown={shown} />}
      </Header>
      <main id="main" class="container" tabIndex={-1}>
        {fault !== null && <FaultPage fault={fault} wait={wait} retry={retry} />}
        {!value && fault === null && <Loading />}
        {value && shown && <SectionContent key={shown} section={shown} id={route.value.id} configuration={value} />}
      </main>
    </>
  );
}

function SectionContent({ section, id, configuration }: { section: Section | "unknown"; id: string | null; configuration: Configuration }) {
  const isManager = configuration.auth.grantedPolicies[permissions.dashboard!] === true;
  if (section === "unknown") return <UnknownPage isManager={isManager} />;
  if (id !== null && section !== "mail-objects") {
    if (section === "dashboard" && !isManager) return <Redirect to={addressOf("bundles", id)} />;
    return <Bundle key={id} id={id} from={section} isManager={isManager} />;
  }
  if (section === "dashboard") return <LazySection load={async () => (await import("./manager/dashboard")).Dashboard} />;
  if (section === "mail-objects") {
    const mayChange = configuration.auth.grantedPolicies[permissions["mail-objects"]!] === true;
    return <LazySection load={async () => (await import("./administrator/mail_objects")).MailObjects} mayChange={mayChange} />;
  }
  return <BundleList />;
}

function UnknownPage({ isManager }: { isManager: boolean }) {
  const { pageNotFound, pageNotFoundText, pageNotFoundNext, pageNotFoundManager } = words.value;
  return (
    <>
      <Title text={pageNotFound} />
      {isManager ? (
        <Refusal what={pageNotFoundText} next={pageNotFoundManager} home="dashboard" />
      ) : (
        <Refusal what={pageNotFoundText} next={pageNotFoundNext} />
      )}
    </>
  );
}

// Loads a section's code on demand: clients do not load the managers' and administrators' sections.
function LazySection<P>({ load, ...properties }: { load: () => Promise<FunctionComponent<P>> } & P) {
  const [loaded, setLoaded] = useState<{ part: FunctionComponent<P> } | { fault: unknown } | null>(null);
  useEffect(() => {
    load().then(
      (part) => setLoaded({ part }),
      () => setLoaded({ fault: new NoAnswerError() }),
    );
  }, []);
  if (loaded === null) return <Loading />;
  if ("fault" in loaded) return <FaultPage fault={loaded.fault} retry={() => window.location.reload()} />;
  return <loaded.part {...(properties as unknown as P & {})} />;
}

function sectionsFor({ auth }: Configuration): Section[] {
  return (["bundles", "dashboard", "mail-objects"] as const).filter((section) => {
    const permission = permissions[section];
    return permission === undefined || auth.grantedPolicies[permission];
  });
}

// The section with the highest permission.
function defaultSection(sections: Section[]): Section | null {
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
            <a href={section === shown ? addressOf(section) : lastAddressOf(section)} aria-current={section === shown ? "page" : undefined}>
              {names[section]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function askAndSignOut() {
  if (drafts.size > 0 && !window.confirm(words.value.discardUnsaved)) return;
  discardDrafts();
  void signOut();
}

function Header({ name, children }: { name?: string | null; children?: ComponentChildren }) {
  const { title, signedInAs, signOut: signOutLabel } = words.value;
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
              <button type="button" class="outline secondary small" onClick={askAndSignOut}>
                {signOutLabel}
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
  const label = colours.label(colours[theme.value]);
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
  const other = language.value === "fr" ? "en" : "fr";
  const symbols: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };
  return (
    <>
      <button
        type="button"
        class="quiet symbol"
        aria-label={label}
        title={label}
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
