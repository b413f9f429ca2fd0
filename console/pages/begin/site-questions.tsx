import { useEffect, useMemo, useState } from 'preact/hooks';
import { saveFile } from '../../components/data-table.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { formatCount } from '../../format.ts';
import { call, type Host } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { useLoad } from '../../use-load.ts';
import { useCaseRuns } from '../assistants/case-run.ts';
import { nameOf } from '../assistants/case-words.ts';
import { type PreparedSite, readContradictions } from './begin-site.ts';
import type { SiteReport } from './report.ts';
import { reportFile } from './report-file.ts';
import { ReportView } from './report-view.tsx';
import { Steps } from './steps.tsx';

interface SiteQuestionsProps {
  readonly host: Host;
  readonly site: PreparedSite;
  readonly onLeave: () => void;
}

const LOOK_EVERY_MS = 1_000;
export const pause = () => new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));

/** Asks what was not asked in this tab yet, and shows what is known. */
export function SiteQuestions({ host, site, onLeave }: SiteQuestionsProps) {
  const { cases, avatar } = site;
  const { verdicts, waiting, action, run } = useCaseRuns(host, avatar.subSlug, avatar.id);
  const left = cases.filter(each => !verdicts.has(nameOf(each)));
  const [over] = useState(() => new AbortController());
  const ask = (some: typeof cases) => run(some, over.signal);
  useEffect(() => {
    if (left.length > 0) ask(left);
    return () => over.abort();
  }, []);
  const isAsking = action.isBusy || waiting.length > 0;
  const contradictions = useLoad(
    async () => (isAsking ? undefined : readContradictions(call, site, pause)),
    [isAsking],
  );
  const report = useMemo((): SiteReport | undefined => {
    const asked = cases.flatMap(each => {
      const verdict = verdicts.get(nameOf(each));
      return verdict ? [{ case: nameOf(each), ...verdict, sources: verdict.sources ?? [] }] : [];
    });
    const isEmpty = asked.length === 0 && cases.length > 0;
    if (isAsking || isEmpty || !contradictions.data) return undefined;
    return { site, madeAt: new Date(), verdicts: asked, contradictions: contradictions.data };
  }, [isAsking, verdicts, contradictions.data]);
  return (
    <div class="stack">
      {!isAsking && !contradictions.data && contradictions.error === undefined && (
        <Steps current="comparing" address={site.address} />
      )}
      {isAsking && <Asking site={site} waiting={waiting.length} />}
      {action.error !== undefined && (
        <ErrorNote
          error={action.error}
          undone="Nem todas as perguntas foram respondidas"
          onRetry={() => ask(left)}
        >
          <p>
            O que já foi respondido fica. Se o modelo continuar sem responder, fale com quem instalou o
            Parley: pode faltar a chave dele.
          </p>
        </ErrorNote>
      )}
      {contradictions.error !== undefined && (
        <ErrorNote error={contradictions.error} onRetry={contradictions.reload} />
      )}
      {!isAsking && <Actions site={site} report={report} onAsk={() => ask(cases)} onLeave={onLeave} />}
      {report && <ReportView report={report} />}
    </div>
  );
}

function Asking({ site, waiting }: { readonly site: PreparedSite; readonly waiting: number }) {
  const total = site.cases.length;
  return (
    <Steps current="asking" address={site.address}>
      <progress aria-label="Perguntas respondidas" value={total - waiting} max={total} />
      <p class="small">Falta responder {formatCount(waiting, 'pergunta', 'perguntas')}.</p>
    </Steps>
  );
}

function Actions(props: {
  readonly site: PreparedSite;
  readonly report: SiteReport | undefined;
  readonly onAsk: () => void;
  readonly onLeave: () => void;
}) {
  const { site, report, onAsk, onLeave } = props;
  return (
    <div class="buttons">
      {report && (
        <button type="button" onClick={() => saveFile('relatorio.html', 'text/html', reportFile(report))}>
          Salvar em um arquivo
        </button>
      )}
      <button type="button" class="quiet" onClick={onAsk}>
        Perguntar de novo
      </button>
      <button type="button" class="quiet" onClick={onLeave}>
        Outro endereço
      </button>
      <a href={linkTo('assistentes', [site.avatar.id])}>Abrir o assistente</a>
      <a href={linkTo('conhecimento', [site.dataset])}>Abrir a base</a>
    </div>
  );
}
