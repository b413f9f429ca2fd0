import { useEffect, useState } from 'preact/hooks';
import { OperationForm } from '../../components/operation-form.tsx';
import { Page } from '../../components/page.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { dropDraft, readDraft, storeDraft } from '../../drafts.ts';
import { isWorthRetrying } from '../../errors.ts';
import { call } from '../../service.ts';
import { type HostOfSession, readAvatarsAgain, type SessionContext } from '../../shell/session.ts';
import { ImportProgress } from '../knowledge/documents-tab.tsx';
import { type PreparedSite, type Progress, prepareSite, type Refused } from './begin-site.ts';
import { siteReasonText } from './report.ts';
import { pause, SiteQuestions } from './site-questions.tsx';
import { Steps } from './steps.tsx';

/** The address that this tab works on: a reload goes on with it, another tab does not begin by itself. */
const DRAFT = 'begin';
/** Of looks at imports that nobody has begun. */
const LOOKS_UNTIL_HINT = 15;

/** From an address to an assistant that nobody reaches by accident, and what it answers. */
export function BeginPage({ context: { host } }: { readonly context: SessionContext }) {
  const [address, setAddress] = useState(() => readDraft(DRAFT));
  const begin = (url: string) => {
    storeDraft(DRAFT, url);
    setAddress(url);
  };
  const leave = () => {
    dropDraft(DRAFT);
    setAddress(undefined);
  };
  if (!host) return null;
  return (
    <Page
      title="Começar"
      about="O endereço do seu site vira uma base, um assistente e uma página que diz o que ele já responde."
    >
      {address === undefined ? (
        <AddressForm onBegin={begin} />
      ) : (
        <Run host={host} address={address} onLeave={leave} />
      )}
    </Page>
  );
}

function AddressForm({ onBegin }: { readonly onBegin: (url: string) => void }) {
  return (
    <>
      <OperationForm
        of="findSiteSources"
        class="card stack"
        begin={{ url: '' }}
        text="Começar"
        save={async ({ url }) => onBegin(url)}
      />
      <p class="small">
        Ninguém é atendido por este assistente antes que você o ligue a um canal. Você pode fechar a página e
        continuar depois com o mesmo endereço: o que já foi feito não é feito de novo.
      </p>
    </>
  );
}

function Run(props: {
  readonly host: HostOfSession;
  readonly address: string;
  readonly onLeave: () => void;
}) {
  const { progress, outcome, error, retry } = usePreparation(props.host, props.address);
  if (outcome && !('refused' in outcome))
    return <SiteQuestions host={props.host} site={outcome} onLeave={props.onLeave} />;
  const hasEnded = outcome !== undefined || error !== undefined;
  return (
    <div class="stack">
      {!hasEnded && (
        <Steps current={progress.step} address={props.address}>
          {progress.step === 'reading' && <Reading {...progress} />}
        </Steps>
      )}
      {outcome && (
        <div class="trouble" role="alert">
          <strong>{refusalText(outcome)}</strong>
        </div>
      )}
      {error !== undefined && (
        <ErrorNote error={error} {...(isWorthRetrying(error) ? { onRetry: retry } : {})} />
      )}
      {hasEnded && (
        <div class="buttons">
          {outcome && (
            <button type="button" onClick={retry}>
              Tentar de novo
            </button>
          )}
          <button type="button" class="quiet" onClick={props.onLeave}>
            Outro endereço
          </button>
        </div>
      )}
    </div>
  );
}

function refusalText(refused: Refused): string {
  return refused.refused === 'unreadable'
    ? `Não foi possível ler ${refused.address}: ${siteReasonText(refused.reason)}`
    : `Já existe um assistente “${refused.slug}” que não lê este site, e pessoas podem estar falando com ele. Mude o identificador dele, ou comece por outro endereço.`;
}

function Reading({ documents, looks }: Extract<Progress, { readonly step: 'reading' }>) {
  const isForgotten = looks >= LOOKS_UNTIL_HINT && documents.every(({ state }) => state === 'waiting');
  return (
    <>
      {documents.map(({ id, job_id: jobId, url = '', state }) =>
        state === 'waiting' || state === 'running' ? (
          <p key={id} class="small">
            {url} <ImportProgress jobId={jobId} name={url} onEnded={() => undefined} />
          </p>
        ) : null,
      )}
      {isForgotten && (
        <p class="small">Ninguém começou a ler ainda. Se continuar assim, fale com quem instalou o Parley.</p>
      )}
    </>
  );
}

interface Preparation {
  readonly progress: Progress;
  readonly outcome?: PreparedSite | Refused;
  readonly error?: unknown;
}

const begun: Preparation = { progress: { step: 'finding' } };

/** Takes the steps while the page is open; what a service does meanwhile goes on without it. */
function usePreparation({ host_slug }: HostOfSession, address: string) {
  const [state, setState] = useState(begun);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const update = (change: Partial<Preparation>) =>
      !over.signal.aborted && setState(known => ({ ...known, ...change }));
    setState(begun);
    const onStep = (progress: Progress) => {
      over.signal.throwIfAborted();
      update({ progress });
    };
    const readHosted = async () => (await call('listAvatars', { host_slug })).avatarsAdminList;
    prepareSite(call, { readHosted, address, onStep, pause }).then(
      async outcome => {
        update({ outcome });
        if (!over.signal.aborted) await readAvatarsAgain();
      },
      (error: unknown) => update({ error }),
    );
    return () => over.abort();
  }, [address, tries]);
  return { ...state, retry: () => setTries(tries + 1) };
}
