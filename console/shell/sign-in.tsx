import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Field, SelectField } from '../components/field.tsx';
import { Portrait } from '../components/list-row.tsx';
import { ErrorNote } from '../components/states.tsx';
import { isWorthRetrying } from '../errors.ts';
import { makeKey } from '../keys.ts';
import {
  describeLink,
  exchange,
  getSession,
  isSessionOver,
  type LinkFace,
  mayUseAccount,
  readSignedIn,
  ServiceError,
  type SignedIn,
} from '../service.ts';
import { useAction } from '../use-action.ts';
import { useLoad } from '../use-load.ts';
import { LanguageButton } from './language.tsx';
import { enter, enterHost, UNNAMED } from './session.ts';

/** Several links belong to one person in several institutions. */
const linkForm = /^#entrar=(lnk_[0-9A-Za-z]+(?:,lnk_[0-9A-Za-z]+)*)$/;
const accountForm = /^#conta=([a-z-]+)$/;
/** This key in the storage of the tab says that it has begun to sign in with an account, and from which address. */
const ACCOUNT_KEY = 'parley-account';

export interface SignInLinks {
  readonly links: readonly string[];
  /** Whether this tab has asked for the links: a link that somebody sends waits for a press of a button. */
  readonly isAsked: boolean;
}

/** Takes the secrets of the sign-in links by which this page was opened out of the address and the history. */
export function takeSignInLinks(): SignInLinks | undefined {
  const [, links] = linkForm.exec(location.hash) ?? [];
  if (!links) return undefined;
  const isAsked = leaveAccount();
  return { links: links.split(','), isAsked };
}

/** Says why signing in with an account failed, if it did. */
function takeAccountRefusal(): string | undefined {
  const [, why] = accountForm.exec(location.hash) ?? [];
  if (why === undefined) return undefined;
  leaveAccount();
  return accountRefusals[why] ?? accountRefusals['recusada'];
}

/** Returns to the address before the visit to the provider; says whether there was such a visit. */
function leaveAccount(): boolean {
  const before = sessionStorage.getItem(ACCOUNT_KEY);
  sessionStorage.removeItem(ACCOUNT_KEY);
  history.replaceState(null, '', location.pathname);
  if (before) location.replace(before);
  return before !== null;
}

const accountRefusals: Readonly<Record<string, string>> = {
  fora: 'O serviço de contas da instituição não responde agora. Tente de novo daqui a pouco; os links de entrada continuam valendo.',
  recusada:
    'A resposta do serviço de contas não foi aceita. Tente de novo nesta aba; se continuar, avise quem instalou o Parley.',
  cancelada: 'A entrada com a conta foi cancelada.',
  'sem-email':
    'O serviço de contas não confirma o e-mail desta conta. Use outra conta, ou um link de entrada.',
  desconhecida:
    'Ninguém que possa entrar tem o e-mail desta conta. Use outra conta, ou peça a quem administra a equipe que confira o seu e-mail.',
};

function AccountEntrance(props: { readonly refusal: string | undefined; readonly isThere: boolean }) {
  const { refusal, isThere } = props;
  return (
    <>
      {refusal && (
        <p class="trouble" role="alert">
          {refusal}
        </p>
      )}
      {isThere && (
        <button
          type="button"
          onClick={() => {
            sessionStorage.setItem(ACCOUNT_KEY, location.hash);
            location.assign('/console/oidc');
          }}
        >
          Entrar com a conta da instituição
        </button>
      )}
    </>
  );
}

/** A form beside the picture of the house. */
function Entrance(props: { readonly onSubmit: () => void; readonly children: ComponentChildren }) {
  const { onSubmit, children } = props;
  return (
    <>
      <div class="entrance-face" aria-hidden="true">
        <img src="/console/icon.svg" alt="" width="56" height="56" />
        <p class="entrance-name">Parley</p>
        <p>Conversas que se resolvem, e pessoas quando é preciso.</p>
        <div class="entrance-talk">
          <span class="bubble theirs">Que horas abre a secretaria?</span>
          <span class="bubble ours">De segunda a sexta, das 8h às 21h.</span>
          <span class="bubble theirs">Obrigada!</span>
        </div>
      </div>
      <form
        class="sign-in"
        onSubmit={event => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
      </form>
    </>
  );
}

/**
 * Shown until the service has said whom the cookie of this browser signs in. Only a session that is over leads to the sign-in: a
 * person with a session needs no new link because the service is slow or away.
 */
export function OpeningPage({ onDone }: { readonly onDone: () => void }) {
  const { error, reload } = useLoad(async () => {
    try {
      await enter(await readSignedIn());
    } catch (failure) {
      if (!(failure instanceof ServiceError && failure.status === 401)) throw failure;
      isSessionOver.value = true;
    }
    onDone();
  }, []);
  return (
    <main id="conteudo" class="opening">
      {error === undefined ? (
        <p role="status">
          <img src="/console/icon.svg" alt="" width="28" height="28" /> Abrindo o painel…
        </p>
      ) : (
        <ErrorNote error={error} onRetry={reload}>
          {isWorthRetrying(error) && <p>Você continua conectado: não precisa de outro link.</p>}
        </ErrorNote>
      )}
      {error !== undefined && (
        <button type="button" class="quiet slim" onClick={onDone}>
          Entrar de outro modo
        </button>
      )}
    </main>
  );
}

/** The institution that the person signs in to. Its place is kept before: nothing moves under a finger that presses. */
function HostFace({ face }: { readonly face: Omit<LinkFace, 'name'> | undefined }) {
  return (
    <p class="host-face">
      {face && (
        <>
          <Portrait name={face.host_name} url={face.host_picture} />
          <strong>{face.host_name}</strong>
        </>
      )}
    </p>
  );
}

type LinkState = 'ready' | 'busy' | 'used' | { error: unknown; isTaken: boolean };

/** The link is used when the person agrees, not when it is opened: programs that check mail open links, too. */
export function LinkPage(props: {
  readonly link: string;
  readonly isAsked: boolean;
  readonly onDone: () => void;
  readonly onUsed: () => void;
}) {
  const { link, isAsked, onDone, onUsed } = props;
  const [state, setState] = useState<LinkState>('ready');
  // The page stays general while this is missing, or if the link is used up.
  const [face, setFace] = useState<LinkFace>();
  const [key] = useState(makeKey);
  useEffect(() => void describeLink(link).then(setFace, () => undefined), [link]);
  const signIn = async () => {
    setState('busy');
    let signedIn: SignedIn;
    try {
      signedIn = await exchange(link, key);
    } catch (error) {
      const isUsed = error instanceof ServiceError && error.status === 401;
      return setState(isUsed ? 'used' : { error, isTaken: false });
    }
    // The link is used up: later failures are retried with the cookie.
    try {
      await enter(signedIn, signedIn.name);
      onDone();
    } catch (error) {
      setState({ error, isTaken: true });
    }
  };
  useEffect(() => {
    if (isAsked) void signIn();
  }, []);
  return (
    <Entrance onSubmit={() => void signIn()}>
      <HostFace face={face} />
      <h1>{face && face.name !== UNNAMED ? `Olá, ${face.name}` : 'Painel do Parley'}</h1>
      <p>Este link vale uma vez. Depois, este navegador fica conectado até a sua sessão terminar.</p>
      {state !== 'used' && (
        <button type="submit" disabled={state === 'busy'}>
          Entrar no painel
        </button>
      )}
      {state === 'used' && <UsedLink onDone={onUsed} />}
      {typeof state === 'object' && (
        <ErrorNote error={state.error} {...(state.isTaken ? { onRetry: () => location.reload() } : {})} />
      )}
    </Entrance>
  );
}

/** For a person in the teams of several institutions; the one used last is offered first. */
export function LinksPage(props: {
  readonly links: readonly string[];
  readonly onChosen: (link: string) => void;
}) {
  const { links, onChosen } = props;
  const { data, error } = useLoad(
    () => Promise.all(links.map(async link => [link, (await describeLink(link)).host_name] as const)),
    [links],
  );
  return (
    <HostChoice
      question="A sua conta vale para várias instituições. Qual?"
      hosts={data}
      action="Entrar"
      error={error}
      onChosen={onChosen}
    />
  );
}

function HostChoice(props: {
  readonly question: string;
  /** Undefined while their names are being read. */
  readonly hosts: readonly (readonly [key: string, name: string])[] | undefined;
  readonly action: string;
  readonly isBusy?: boolean;
  readonly error: unknown;
  readonly onChosen: (key: string) => void;
}) {
  const { question, hosts, action, isBusy = false, error, onChosen } = props;
  const [chosen, setChosen] = useState<string>();
  const key = chosen ?? hosts?.[0]?.[0] ?? '';
  return (
    <Entrance onSubmit={() => key !== '' && onChosen(key)}>
      <h1>Painel do Parley</h1>
      {hosts && <SelectField label={question} value={key} choices={hosts} onChange={setChosen} />}
      <button type="submit" disabled={!hosts || isBusy}>
        {action}
      </button>
      {error !== undefined && <ErrorNote error={error} />}
    </Entrance>
  );
}

function UsedLink({ onDone }: { readonly onDone: () => void }) {
  return (
    <div class="trouble" role="alert">
      <strong>Este link já foi usado ou venceu</strong>
      <p>
        Se foi neste navegador, siga para o painel. Se não, peça outro a quem administra a equipe, ou entre de
        outro modo.
      </p>
      <button type="button" class="quiet" onClick={onDone}>
        Seguir para o painel
      </button>
    </div>
  );
}

/** A link works once, so a person without a session needs another one; drafts stay in this tab. */
function NewLink() {
  return (
    <div class="new-link">
      <strong>Quem envia o link</strong>
      <p>
        Quem administra a equipe: em “Equipe”, no menu ao lado do seu nome, “Criar link de entrada”. Se você
        administra sozinho, peça a quem instalou o Parley.
      </p>
      <p>
        Cole o link na barra de endereço desta aba. Se ele abrir em outra, entre por lá e depois recarregue
        esta.
      </p>
    </div>
  );
}

/** The field has no name: even without this script, submitting the form would put nothing into an address. */
export function SignInPage() {
  const [token, setToken] = useState('');
  const { run, isBusy, error } = useAction();
  const isOver = isSessionOver.value;
  const known = getSession()?.host.host_name;
  const [refusal] = useState(takeAccountRefusal);
  const { data: hasAccounts = false } = useLoad(mayUseAccount, []);
  return (
    <Entrance onSubmit={() => run(async () => enter(await exchange(token.trim())))}>
      {known && <HostFace face={{ host_name: known, host_picture: '' }} />}
      <h1>{isOver ? 'Sua sessão terminou' : 'Painel do Parley'}</h1>
      <p>
        {isOver
          ? `Para continuar, ${hasAccounts ? 'entre de novo' : 'você precisa de um link novo'}. O que você escreveu está guardado nesta aba.`
          : 'Atenda pessoas, cuide do conhecimento e dos assistentes, e veja os relatórios da sua instituição.'}
      </p>
      <AccountEntrance refusal={refusal} isThere={hasAccounts} />
      {isOver && !hasAccounts && <NewLink />}
      <p class="small">
        {hasAccounts && 'Sem essa conta, você entra por um link de quem administra a equipe. '}
        {!isOver &&
          !hasAccounts &&
          'Você entra por um link de quem administra a equipe: abra-o neste navegador. '}
        Quem tem um token de acesso pode usá-lo aqui.
      </p>
      <Field label="Token de acesso" hint="É trocado por uma sessão, e não fica guardado nesta página.">
        {field => (
          <input
            {...field}
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            onInput={event => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class={hasAccounts ? 'quiet' : undefined} disabled={isBusy}>
        Entrar
      </button>
      <div aria-live="polite">{error !== undefined && <ErrorNote error={error} />}</div>
      <LanguageButton />
    </Entrance>
  );
}

/** A person who may see several hosts works in one at a time. */
export function HostPage({ signedIn }: { readonly signedIn: SignedIn }) {
  const { hosts } = signedIn;
  const { run, isBusy, error } = useAction();
  const choose = (id: string) => {
    const chosen = hosts.find(({ host_id }) => host_id === id);
    if (chosen) run(() => enterHost(signedIn, chosen));
  };
  return (
    <HostChoice
      question="Este acesso vale para várias instituições. Qual?"
      hosts={hosts.map(({ host_id, host_name }) => [host_id, host_name])}
      action="Escolher"
      isBusy={isBusy}
      error={error}
      onChosen={choose}
    />
  );
}
