import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { DataTable } from '../components/data-table.tsx';
import { formatCount, formatReais } from '../format.ts';
import { call } from '../service.ts';
import { ConversationsDrawer } from './report-conversations.tsx';
import type { ReportPeriods } from './report-period.ts';

type Outcomes = DataOf<'getOutcomes'>;
type Gaps = DataOf<'getKnowledgeGaps'>;
type Host = Pick<BodyOf<'getOutcomes'>, 'hostId'>;

interface Insights {
  readonly outcomes: Outcomes;
  readonly outcomesBefore: Outcomes;
  readonly gaps: Gaps;
  readonly gapsBefore: Gaps;
}

const MOST_GAPS = 100;

export async function readInsights(host: Host, { period, before }: ReportPeriods): Promise<Insights> {
  const [outcomes, outcomesBefore, gaps, gapsBefore] = await Promise.all([
    call('getOutcomes', { ...host, ...period }),
    call('getOutcomes', { ...host, ...before }),
    call('getKnowledgeGaps', { ...host, ...period, limit: MOST_GAPS }),
    call('getKnowledgeGaps', { ...host, ...before, limit: MOST_GAPS }),
  ]);
  return { outcomes, outcomesBefore, gaps, gapsBefore };
}

const endings = [
  ['resolvedByAssistant', 'Resolvidas pelo assistente'],
  ['resolvedWithPerson', 'Atendidas por uma pessoa da equipe'],
  ['abandoned', 'Abandonadas'],
  ['reopened', 'Voltaram em até 7 dias'],
  ['open', 'Ainda abertas'],
] as const;
type Ending = (typeof endings)[number][0];

interface PartProps {
  readonly insights: Insights;
  readonly periods: ReportPeriods;
}

/** The four figures that say how it goes. */
export function OutcomeFigures({
  insights: { outcomes, outcomesBefore, gaps, gapsBefore },
  periods: { beforeText },
}: PartProps) {
  const each = outcomes.costPerResolved;
  return (
    <dl class="figures">
      <Figure
        label="Resolvidas sem uma pessoa"
        value={shareOf(outcomes)}
        before={shareOf(outcomesBefore)}
        beforeText={beforeText}
        format={formatShare}
        better="more"
        note={`${formatCount(outcomes.resolvedByAssistant.count, 'conversa', 'conversas')} de ${outcomes.total.toLocaleString('pt-BR')}`}
      />
      <Figure
        label="Até uma pessoa atender"
        value={outcomes.secondsUntilPerson}
        before={outcomesBefore.secondsUntilPerson}
        beforeText={beforeText}
        format={formatSeconds}
        better="less"
        note="Metade espera menos, depois de pedir"
      />
      <Figure
        label="Perguntas sem resposta"
        value={countAsked(gaps)}
        before={countAsked(gapsBefore)}
        beforeText={beforeText}
        better="less"
        note={formatCount(gaps.length, 'assunto em falta', 'assuntos em falta')}
      />
      <Figure
        label="Custo pelo contrato"
        value={Number(outcomes.cost)}
        before={Number(outcomesBefore.cost)}
        beforeText={beforeText}
        format={formatReais}
        note={
          each === null ? 'Nenhuma conversa resolvida' : `${formatReais(Number(each))} por conversa resolvida`
        }
      />
    </dl>
  );
}

/** How conversations ended, and which they are. */
export function Endings({
  insights: { outcomes, outcomesBefore },
  body,
  maySee,
}: {
  readonly insights: Insights;
  readonly body: BodyOf<'getOutcomes'>;
  /** Whether the session may read conversations. */
  readonly maySee: boolean;
}) {
  const [shown, show] = useState<Ending>();
  return (
    <div class="card stack">
      <ul class="rows">
        {endings.map(([ending, label]) => {
          const { count } = outcomes[ending];
          return (
            <li key={ending}>
              {maySee && count > 0 ? (
                <button type="button" class="as-link" onClick={() => show(ending)}>
                  {label}
                </button>
              ) : (
                <span>{label}</span>
              )}
              <meter min={0} max={Math.max(outcomes.total, 1)} value={count} aria-label={label} />
              <span class="figure">{count.toLocaleString('pt-BR')}</span>
            </li>
          );
        })}
      </ul>
      <details>
        <summary>Ver em tabela</summary>
        <DataTable
          title="Como as conversas terminaram"
          rows={endings}
          columns={[
            { head: 'Fim', of: ([, label]) => label },
            { head: 'No período', of: ([ending]) => outcomes[ending].count },
            { head: 'Antes', of: ([ending]) => outcomesBefore[ending].count },
          ]}
        />
      </details>
      {shown && (
        <ConversationsDrawer
          title={endings.find(([ending]) => ending === shown)?.[1] ?? ''}
          first={outcomes[shown]}
          readMore={async cursor => (await call('getOutcomes', { ...body, cursor }))[shown]}
          onClose={() => show(undefined)}
        />
      )}
    </div>
  );
}

/** A large figure with its change against the period before; it has none where nothing was counted. */
function Figure({
  label,
  value,
  before,
  beforeText,
  format = (figure: number) => figure.toLocaleString('pt-BR'),
  better,
  note,
}: {
  readonly label: string;
  readonly value: number | null;
  readonly before: number | null;
  readonly beforeText: string;
  readonly format?: (figure: number) => string;
  readonly better?: 'more' | 'less';
  readonly note: string;
}) {
  return (
    <div class="card figure-card">
      <dt>{label}</dt>
      <dd class="figure-value">
        {value === null ? '–' : format(value)}{' '}
        {value !== null && before !== null && before > 0 && value !== before && (
          <Badge tone={toneOf(value > before, better)}>{formatChange(value, before)}</Badge>
        )}
      </dd>
      <dd class="small">{note}</dd>
      {before !== null && (
        <dd class="small">
          {format(before)} {beforeText}
        </dd>
      )}
    </div>
  );
}

function toneOf(isMore: boolean, better: 'more' | 'less' | undefined): Tone {
  if (!better) return 'plain';
  return isMore === (better === 'more') ? 'good' : 'warn';
}

const formatChange = (value: number, before: number): string =>
  `${value > before ? '▲' : '▼'} ${Math.round(Math.abs(value / before - 1) * 100)} %`;

const formatShare = (share: number): string =>
  share.toLocaleString('pt-BR', { style: 'percent', maximumFractionDigits: 0 });

const shareOf = ({ resolvedByAssistant, total }: Outcomes): number | null =>
  total > 0 ? resolvedByAssistant.count / total : null;

const countAsked = (gaps: Gaps): number => gaps.reduce((sum, { times }) => sum + times, 0);

export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.round(minutes / 60).toLocaleString('pt-BR')} h`;
}
