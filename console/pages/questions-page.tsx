import { BadgeCheck } from 'lucide';
import { useMemo } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Badge } from '../components/badge.tsx';
import { NounList, type Row } from '../components/noun-list.tsx';
import { ErrorNote, Skeleton } from '../components/states.tsx';
import { formatCount, formatDay } from '../format.ts';
import { plainText } from '../passage.ts';
import { call, readHostZone, readServiceClock } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import type { SessionContext } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';
import { ApprovedForm } from './approved-form.tsx';
import { KnowledgeGaps } from './report-gaps.tsx';
import { readInsights } from './report-outcomes.tsx';
import { findPeriods, readDays } from './report-period.ts';
import { MostAsked } from './report-questions.tsx';

type Approved = DataOf<'saveApprovedAnswer'>;

/** What is asked most, what was not found or judged wrong, and the answers that are approved for it. */
export function QuestionsPage({ context }: { readonly context: SessionContext }) {
  const hostId = context.host?.host_id ?? '';
  const periods = useMemo(() => {
    const [now, zone] = [readServiceClock(), readHostZone()];
    return findPeriods('30', now, zone, readDays({ de: '', ate: '' }, now, zone));
  }, []);
  const approved = useLoad(() => call('listApprovedAnswers', { hostId }), [hostId]);
  const insights = useLoad(() => readInsights({ hostId }, periods), [hostId]);
  const { outcomes, gaps } = insights.data ?? {};
  return (
    <NounList
      loaded={approved}
      label="Respostas aprovadas"
      page={{
        title: 'Perguntas',
        about: 'O que mais perguntam, o que faltou, e as respostas que valem como estão.',
      }}
      begin={{ text: 'Nova resposta aprovada', icon: BadgeCheck }}
      empty={{
        title: 'Ainda não há respostas aprovadas',
        text: 'Quem faz uma destas perguntas recebe o texto como está, na hora e sem custo de modelo.',
      }}
      rowOf={each => rowOf(each, hostId)}
      form={({ item, onSaved, onClose }) => (
        <ApprovedForm
          hostId={hostId}
          avatars={context.avatars}
          begin={item ?? { questions: [], answer: '' }}
          onSaved={onSaved}
          onClose={onClose}
        />
      )}
    >
      {insights.error !== undefined && <ErrorNote error={insights.error} onRetry={insights.reload} />}
      {!insights.data && insights.error === undefined && (
        <Skeleton rows={3} label="Carregando as perguntas" />
      )}
      {outcomes && gaps && (
        <>
          <h2>O que mais perguntam</h2>
          <MostAsked
            questions={outcomes.questions ?? []}
            maySee={context.scopes.includes('reason')}
            context={context}
            onApproved={approved.reload}
          />
          <h2>O que faltou ou foi respondido errado</h2>
          <KnowledgeGaps
            gaps={gaps}
            body={{ hostId, ...periods.period }}
            context={context}
            onApproved={approved.reload}
          />
          <p class="small">Dos últimos 30 dias.</p>
        </>
      )}
      <ContradictionCount hostId={hostId} />
    </NounList>
  );
}

const MOST_COUNTED = 100;

/** A page of the list is enough to say how many there are, or that there are more. */
function ContradictionCount({ hostId }: { readonly hostId: string }) {
  const { data } = useLoad(() => call('listContradictions', { hostId, limit: MOST_COUNTED }), [hostId]);
  if (!data || data.items.length === 0) return null;
  const text = formatCount(data.items.length, 'contradição', 'contradições');
  return (
    <>
      <h2>O que se contradiz</h2>
      <p>
        <a href={linkTo('conhecimento', ['contradicoes'])}>{data.nextCursor ? `Mais de ${text}` : text}</a> à
        espera de uma decisão.
      </p>
    </>
  );
}

function rowOf({ id, questions, answer, contradicted, ...approved }: Approved, hostId: string): Row {
  const [first = '', ...others] = questions;
  const { enabled } = approved;
  const [against] = contradicted;
  const start = answer.slice(0, 160);
  const detail = others.length > 0 ? `${start} · e mais ${others.length}` : start;
  return {
    id,
    icon: BadgeCheck,
    title: first,
    detail: against ? <Contradicted answer={start} by={against} /> : detail,
    aside: <StateBadge {...approved} isContradicted={against !== undefined} />,
    menu: [
      ...contradicted.map(({ contradictionId, sentence }) => ({
        text: `Não contradiz “${plainText(sentence).slice(0, 60)}”`,
        run: () => call('resolveContradiction', { hostId, contradictionId }),
        done: 'Vale de novo, enquanto os textos ficarem assim',
      })),
      {
        text: enabled ? 'Desligar' : 'Ligar',
        run: () => call('saveApprovedAnswer', { hostId, id, enabled: !enabled }),
      },
      {
        text: 'Excluir resposta',
        isDangerous: true,
        question: {
          title: `Excluir a resposta a “${first}”?`,
          text: 'O assistente volta a responder com o conhecimento.',
          action: 'Excluir resposta',
        },
        run: () => call('saveApprovedAnswer', { hostId, id, deleted: true }),
        done: 'Resposta excluída',
      },
    ],
  };
}

function Contradicted({
  answer,
  by,
}: {
  readonly answer: string;
  readonly by: Approved['contradicted'][number];
}) {
  const href = linkTo('conhecimento', [by.datasetId, 'passagens'], { passagem: by.chunkId });
  return (
    <>
      {answer} · Uma passagem diz: <a href={href}>{plainText(by.sentence).slice(0, 160)}</a>
    </>
  );
}

function StateBadge({
  expired,
  expires,
  enabled,
  isContradicted,
}: Pick<Approved, 'expired' | 'expires' | 'enabled'> & { readonly isContradicted: boolean }) {
  if (expired) return <Badge tone="warn">Venceu{expires ? ` em ${formatDay(expires)}` : ''}</Badge>;
  if (!enabled) return <Badge>Desligada</Badge>;
  return isContradicted ? <Badge tone="warn">Contradita</Badge> : <Badge tone="good">Ativa</Badge>;
}
