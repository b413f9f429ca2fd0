import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Toasts } from '../components/toast.tsx';
import { startFeed } from '../pages/inbox/feed.ts';
import { readSeen } from '../pages/inbox/seen.ts';
import { findService, getSession, isReachable, isSessionOver, mayBeSignedIn } from '../service.ts';
import { FirstSteps } from './first-steps.tsx';
import { listPages, pages } from './pages.ts';
import { Rail } from './rail.tsx';
import { route } from './route.ts';
import { choosing, context, leave, type SessionContext } from './session.ts';
import { Shortcuts } from './shortcuts.tsx';
import { HostPage, LinkPage, LinksPage, OpeningPage, SignInPage, takeSignInLinks } from './sign-in.tsx';
import { newOfMine, waiting } from './waiting.ts';

/*
 *   opening --the cookie signs somebody in--> signed in
 *   opening --it signs nobody in--> signed out
 *   signed out --"Entrar"--> signed in --"Sair"--> signed out
 *                            signed in --the session ends--> signed out, and what was typed is kept
 */

export function App() {
  const [link, setLink] = useState(takeSignInLinks);
  const [isOpening, setOpening] = useState(
    link === undefined && !location.hash.startsWith('#conta=') && mayBeSignedIn(),
  );
  useSignalEffect(() => {
    // The route is read in any case, so that this runs again for each address.
    const next = route.value && takeSignInLinks();
    if (!next) return;
    leave();
    setOpening(false);
    setLink(next);
  });
  const only = link?.links.length === 1 ? link.links[0] : undefined;
  const session = isSessionOver.value ? undefined : context.value;
  return (
    <>
      {session && <SignedIn context={session} />}
      {!session && isOpening && <OpeningPage onDone={() => setOpening(false)} />}
      {!session && !isOpening && (
        <main id="conteudo" class="entrance" tabIndex={-1}>
          {choosing.value && <HostPage signedIn={choosing.value} />}
          {!choosing.value && link && only === undefined && (
            <LinksPage links={link.links} onChosen={chosen => setLink({ ...link, links: [chosen] })} />
          )}
          {!choosing.value && link && only !== undefined && (
            <LinkPage
              link={only}
              isAsked={link.isAsked}
              key={only}
              onDone={() => setLink(undefined)}
              onUsed={() => {
                setLink(undefined);
                // This very browser may have signed in elsewhere.
                setOpening(mayBeSignedIn());
              }}
            />
          )}
          {!choosing.value && !link && <SignInPage />}
        </main>
      )}
      <ConnectionLine />
      <Toasts />
    </>
  );
}

function SignedIn({ context }: { readonly context: SessionContext }) {
  const main = useRef<HTMLElement>(null);
  const shown = listPages(context);
  const inRail = shown.filter(name => pages[name]?.group);
  const hostId = context.host?.host_id;
  // Waiting conversations are counted on every page.
  useEffect(() => {
    if (hostId === undefined) return undefined;
    readSeen(hostId);
    return startFeed(hostId);
  }, [hostId]);
  const open = shown.includes(route.value.page) ? route.value.page : inRail[0];
  const Page = open === undefined ? undefined : pages[open]?.page;
  // Only people get the guide: a token belongs to a developer.
  const isLed =
    getSession()?.role !== undefined && context.host !== undefined && shown.includes('assistentes');
  useTitle(open);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#conteudo"
        onClick={event => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Ir para o conteúdo
      </a>
      <Rail shown={inRail} open={open} />
      <main id="conteudo" ref={main} tabIndex={-1}>
        {isLed && <FirstSteps key={hostId} context={context} />}
        {open === undefined && <p class="card">Este acesso não permite ver nenhuma parte do painel.</p>}
        {Page && <Page context={context} />}
      </main>
      <Shortcuts shown={shown} />
    </div>
  );
}

/** The title shows waiting and new messages, for people in other tabs. */
function useTitle(open: string | undefined): void {
  const title = open === undefined ? undefined : pages[open]?.title;
  const all = waiting.value + newOfMine.value;
  const count = all > 0 ? `(${all}) ` : '';
  useEffect(() => {
    document.title = `${count}${title ? `${title} · ` : ''}Parley`;
    return () => {
      document.title = 'Parley';
    };
  }, [title, count]);
}

const LOOK_EVERY_MS = 4_000;

/** A thin line while the service cannot be reached; it disappears by itself. */
function ConnectionLine() {
  const isAway = !isReachable.value;
  useEffect(() => {
    if (!isAway) return undefined;
    const timer = setInterval(() => void findService(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAway]);
  return (
    <p class="connection" role="status">
      {isAway && 'Sem conexão: o que você escreve fica guardado.'}
    </p>
  );
}
