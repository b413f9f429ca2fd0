import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { DataTable } from '../components/data-table.tsx';
import { formatCount, formatReais } from '../format.ts';
import { call } from '../service.ts';
import { ConversationsDrawer, type IdList, type Ids, joinLists } from './report-conversations.tsx';
import { listOfGap } from './report-gaps.tsx';
import type { ReportPeriods } from './report-period.ts';

type Outcomes = DataOf<'getOutcomes'>;
type Gaps = DataOf<'getKnowledgeGaps'>;
type Host = Pick<BodyOf<'getOutcomes'>, 'hostId'>;

export interface Insights {
  readonly outcomes: Outcomes;
  readonly outcomesBefore: Outcomes;
  readonly gaps: Gaps;
  readonly gapsBefore: Gaps;
}

const MAX_GAPS = 100;
const MAX_QUESTIONS = 10;

export async function readInsights(host: Host, { period, before }: ReportPeriods): Promise<Insights> {
  const [outcomes, outcomesBefore, gaps, gapsBefore] = await Promise.all([
    call('getOutcomes', { ...host, ...period, questions: MAX_QUESTIONS }),
    call('getOutcomes', { ...host, ...before }),
    call('getKnowledgeGaps', { ...host, ...period, limit: MAX_GAPS }),
    call('getKnowledgeGaps', { ...host, ...before, limit: MAX_GAPS }),
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
  readonly body: BodyOf<'getOutcomes'>;
  /** Whether the session may read conversations. */
  readonly maySee: boolean;
}

/** The main figures of the period; each opens the conversations that it counts. */
export function OutcomeFigures(props: PartProps & { readonly periods: ReportPeriods }) {
  const { body, maySee } = props;
  const { outcomes, outcomesBefore, gaps, gapsBefore } = props.insights;
  const { beforeText } = props.periods;
  const listOf = (entryOf: (data: Outcomes) => Ids): IdList => ({
    first: entryOf(outcomes),
    readMore: async cursor => entryOf(await call('getOutcomes', { ...body, cursor })),
  });
  const seeing = (list: IdList) => (maySee ? { list } : {});
  return (
    <dl class="figures">
      <ResolvedFigure
        outcomes={outcomes}
        before={outcomesBefore}
        beforeText={beforeText}
        {...seeing(listOf(data => data.resolvedByAssistant))}
      />
      <Figure
        label="Até uma pessoa atender"
        value={outcomes.secondsUntilPerson}
        before={outcomesBefore.secondsUntilPerson}
        beforeText={beforeText}
        format={formatSeconds}
        better="less"
        {...seeing(listOf(data => data.waited))}
        note="Metade espera menos, depois de pedir"
      />
      <MissedFigure
        outcomes={outcomes}
        before={outcomesBefore}
        beforeText={beforeText}
        {...seeing(listOf(data => data.missedWindows))}
      />
      <Figure
        label="Perguntas sem resposta"
        value={countAsked(gaps)}
        before={countAsked(gapsBefore)}
        beforeText={beforeText}
        better="less"
        {...seeing(joinLists(gaps.map(gap => listOfGap(gap, body))))}
        note={formatCount(gaps.length, 'assunto em falta', 'assuntos em falta')}
      />
      <SupportedFigure
        outcomes={outcomes}
        before={outcomesBefore}
        beforeText={beforeText}
        {...seeing(listOf(data => data.answers.unsupported))}
      />
      <CostFigure
        outcomes={outcomes}
        before={outcomesBefore}
        beforeText={beforeText}
        {...seeing(joinLists(endings.map(([ending]) => listOf(data => data[ending]))))}
      />
    </dl>
  );
}

interface ComparedProps {
  readonly outcomes: Outcomes;
  readonly before: Outcomes;
  readonly beforeText: string;
  readonly list?: IdList;
}

function ResolvedFigure({ outcomes, before, ...rest }: ComparedProps) {
  const { count } = outcomes.resolvedByAssistant;
  return (
    <Figure
      label="Resolvidas sem uma pessoa"
      value={shareOf(outcomes)}
      before={shareOf(before)}
      format={formatShare}
      better="more"
      note={`${formatCount(count, 'conversa', 'conversas')} de ${outcomes.total.toLocaleString('pt-BR')}`}
      {...rest}
    />
  );
}

function CostFigure({ outcomes, before, ...rest }: ComparedProps) {
  return (
    <Figure
      label="Custo pelo contrato"
      value={Number(outcomes.cost)}
      before={Number(before.cost)}
      format={formatReais}
      note={formatEach(outcomes.costPerResolved)}
      {...rest}
    />
  );
}

/** This figure is shown where a channel has windows that close. */
function MissedFigure({ outcomes, before, ...rest }: ComparedProps) {
  const [now, earlier] = [outcomes.missedWindows.count, before.missedWindows.count];
  if (now + earlier === 0) return null;
  return (
    <Figure
      label="Janelas perdidas"
      value={now}
      before={earlier}
      better="less"
      note="O canal fechou e a pessoa ainda esperava"
      {...rest}
    />
  );
}

/** This figure leads to the answers that it does not count. */
function SupportedFigure({ outcomes, before, ...rest }: ComparedProps) {
  const { supported, unsupported } = outcomes.answers;
  return (
    <Figure
      label="Respostas sustentadas"
      value={supportedShareOf(outcomes)}
      before={supportedShareOf(before)}
      format={formatTenths}
      better="more"
      {...rest}
      listTitle="Respostas com um número sem fonte"
      note={`${unsupported.count.toLocaleString('pt-BR')} de ${formatCount(supported + unsupported.count, 'resposta', 'respostas')} com um número sem fonte`}
    />
  );
}

/** How conversations ended; each ending opens its conversations. */
export function Endings({ insights: { outcomes, outcomesBefore }, body, maySee }: PartProps) {
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

/** A large figure with its change against the period before, if that had anything to count. */
function Figure(props: {
  readonly label: string;
  readonly value: number | null;
  readonly before: number | null;
  readonly beforeText: string;
  readonly format?: (figure: number) => string;
  readonly better?: 'more' | 'less';
  readonly list?: IdList;
  readonly listTitle?: string;
  readonly note: string;
}) {
  const {
    label,
    value,
    before,
    beforeText,
    format = (figure: number) => figure.toLocaleString('pt-BR'),
    better,
    list,
    listTitle = label,
    note,
  } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="card figure-card">
      <dt>
        {list && list.first.conversations.length > 0 ? (
          <button type="button" class="as-link" onClick={() => setOpen(true)}>
            {label}
          </button>
        ) : (
          label
        )}
        {list && isOpen && <ConversationsDrawer title={listTitle} {...list} onClose={() => setOpen(false)} />}
      </dt>
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

/** Rounds down: "100 %" where one of thousands is missing would be untrue. */
const formatTenths = (share: number): string =>
  (Math.floor(share * 1_000) / 1_000).toLocaleString('pt-BR', { style: 'percent', maximumFractionDigits: 1 });

const supportedShareOf = ({ answers: { supported, unsupported } }: Outcomes): number | null =>
  supported + unsupported.count > 0 ? supported / (supported + unsupported.count) : null;

const formatEach = (cost: string | null): string =>
  cost === null ? 'Nenhuma conversa resolvida' : `${formatReais(Number(cost))} por conversa resolvida`;

const shareOf = ({ resolvedByAssistant, total }: Outcomes): number | null =>
  total > 0 ? resolvedByAssistant.count / total : null;

const countAsked = (gaps: Gaps): number => gaps.reduce((sum, { times }) => sum + times, 0);

export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  return `${Math.round(minutes / 60).toLocaleString('pt-BR')} h`;
}
