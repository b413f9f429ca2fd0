import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../components/field.tsx';
import { ErrorNote } from '../components/states.tsx';
import { isDisabled } from '../errors.ts';
import { exchangeLink, getSession, type Host, ServiceError, setSession } from '../service.ts';
import { openSession, readSessionContext } from './session.ts';

const linkForm = /^#entrar=(lnk_[0-9A-Za-z]+)$/;
/** The name of the token of a link that was made without one. */
const UNNAMED = 'console';

/** The secret of the sign-in link by which this page was opened; it is taken out of the address and the history at once. */
export function takeSignInLink(): string | undefined {
  const [, link] = linkForm.exec(location.hash) ?? [];
  if (link) history.replaceState(null, '', location.pathname);
  return link;
}

function Entrance({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <div class="entrance-face" aria-hidden="true">
        <img src="/console/icon.svg" alt="" width="56" height="56" />
        <p class="entrance-name">Parley</p>
        <p>Conversas que se resolvem, e pessoas quando é preciso.</p>
        <div class="entrance-talk">
          <span class="bubble theirs">Que horas abre a secretaria?</span>
          <span class="bubble ours">De segunda a sexta, das 8h às 20h.</span>
          <span class="bubble theirs">Obrigada!</span>
        </div>
      </div>
      {children}
    </>
  );
}

/** The link is used when the person agrees, not when it is opened: programs that check mail open links, too. */
export function LinkPage({ link, onDone }: { readonly link: string; readonly onDone: () => void }) {
  const [state, setState] = useState<'ready' | 'busy' | 'used' | { error: unknown; isTaken: boolean }>(
    'ready',
  );
  const enter = async () => {
    setState('busy');
    try {
      const { token, hostSlug, name } = await exchangeLink(link);
      setSession({ token, slug: hostSlug, ...(name === UNNAMED ? {} : { name }) });
    } catch (error) {
      const isUsed = error instanceof ServiceError && error.status === 401;
      return setState(isUsed ? 'used' : { error, isTaken: false });
    }
    // The link is used up: what fails from here on is tried again with its token.
    try {
      openSession(await readSessionContext());
      onDone();
    } catch (error) {
      setState({ error, isTaken: true });
    }
  };
  return (
    <Entrance>
      <form
        class="sign-in"
        onSubmit={event => {
          event.preventDefault();
          void enter();
        }}
      >
        <h1>Painel do Parley</h1>
        <p>Este link vale uma vez, por 10 minutos.</p>
        {state !== 'used' && (
          <button type="submit" disabled={state === 'busy'}>
            Entrar no painel
          </button>
        )}
        {state === 'used' && <UsedLink onDone={onDone} />}
        {typeof state === 'object' && (
          <ErrorNote error={state.error} {...(state.isTaken ? { onRetry: () => location.reload() } : {})} />
        )}
      </form>
    </Entrance>
  );
}

function UsedLink({ onDone }: { readonly onDone: () => void }) {
  return (
    <div class="trouble" role="alert">
      <strong>Este link já foi usado ou venceu</strong>
      <p>Peça outro a quem cuida do Parley, ou entre com um token.</p>
      <button type="button" class="quiet" onClick={onDone}>
        Entrar com um token
      </button>
    </div>
  );
}

/** The fields have no names: even without this script, submitting the form would put nothing into an address. */
export function SignInPage({ isSessionOver }: { readonly isSessionOver: boolean }) {
  const [token, setToken] = useState('');
  const [slug, setSlug] = useState(getSession()?.slug ?? 'demo');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ error: unknown; slug: string }>();
  const signIn = async (chosen?: string, chosenSlug = slug.trim()) => {
    const before = getSession();
    const name = isSessionOver && before?.name ? { name: before.name } : {};
    setSession({ token: token.trim(), slug: chosenSlug, ...(chosen ? { chosen } : {}), ...name });
    setBusy(true);
    setFailure(undefined);
    try {
      openSession(await readSessionContext());
    } catch (error) {
      const mayChoose = error instanceof ServiceError && error.availableHosts.length > 0;
      if (!mayChoose) setSession(before);
      setFailure({ error, slug: chosenSlug });
      setBusy(false);
    }
  };
  return (
    <Entrance>
      <form
        class="sign-in"
        onSubmit={event => {
          event.preventDefault();
          void signIn();
        }}
      >
        <h1>{isSessionOver ? 'Sua sessão terminou' : 'Painel do Parley'}</h1>
        <p>
          {isSessionOver
            ? 'Entre de novo para continuar: o que você escreveu está guardado.'
            : 'Atenda pessoas, cuide do conhecimento e dos assistentes, e veja os relatórios da sua instituição.'}
        </p>
        <TokenFields token={token} setToken={setToken} slug={slug} setSlug={setSlug} />
        <button type="submit" disabled={isBusy}>
          Entrar
        </button>
        <div aria-live="polite">{failure && <SignInFailure {...failure} onChoose={signIn} />}</div>
      </form>
    </Entrance>
  );
}

function TokenFields({
  token,
  setToken,
  slug,
  setSlug,
}: {
  readonly token: string;
  readonly setToken: (token: string) => void;
  readonly slug: string;
  readonly setSlug: (slug: string) => void;
}) {
  const common = { autocomplete: 'off', spellcheck: false, required: true } as const;
  return (
    <>
      <Field label="Token de acesso" hint="Fica só nesta aba, e é esquecido ao sair.">
        {field => (
          <input
            {...field}
            {...common}
            type="password"
            value={token}
            onInput={event => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Identificador da instituição" hint="Por exemplo: demo">
        {field => (
          <input {...field} {...common} value={slug} onInput={event => setSlug(event.currentTarget.value)} />
        )}
      </Field>
    </>
  );
}

/** With a token for several hosts the page asks for one. */
function SignInFailure({
  error,
  slug,
  onChoose,
}: {
  readonly error: unknown;
  readonly slug: string;
  readonly onChoose: (chosen: string, slug: string) => Promise<void>;
}) {
  const { status = -1, availableHosts = [] } = error instanceof ServiceError ? error : {};
  if (availableHosts.length > 0) return <HostChoice hosts={availableHosts} onChoose={onChoose} />;
  if (status === 404) {
    return (
      <div class="trouble" role="alert">
        <strong>
          Este token não conhece nenhuma instituição com o identificador “{slug}”. Confira se está escrito
          certo.
        </strong>
      </div>
    );
  }
  return (
    <ErrorNote error={error}>
      {status === 403 && !isDisabled(error) && (
        <p>O token não vale para a instituição “{slug}”. Confira se o identificador está escrito certo.</p>
      )}
    </ErrorNote>
  );
}

function HostChoice({
  hosts,
  onChoose,
}: {
  readonly hosts: readonly Host[];
  readonly onChoose: (chosen: string, slug: string) => Promise<void>;
}) {
  const [id, setId] = useState(hosts[0]?.host_id);
  const chosen = hosts.find(({ host_id }) => host_id === id);
  return (
    <>
      <Field label="Este token vale para várias instituições. Qual?">
        {field => (
          <select {...field} value={id} onChange={event => setId(event.currentTarget.value)}>
            {hosts.map(({ host_id, host_name }) => (
              <option key={host_id} value={host_id}>
                {host_name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <button type="button" onClick={() => chosen && void onChoose(chosen.host_id, chosen.host_slug)}>
        Escolher
      </button>
    </>
  );
}
