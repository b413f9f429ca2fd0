import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { Choices } from '../components/choices.tsx';
import { DataTable } from '../components/data-table.tsx';
import { Field } from '../components/field.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { formatCount, formatReais } from '../format.ts';
import { call, readHostZone, readServiceClock, ServiceError } from '../service.ts';
import { replaceRoute, route } from '../shell/route.ts';
import type { SessionContext } from '../shell/session.ts';
import { type Loaded, useLoad } from '../use-load.ts';
import { FailedQuestions, KnowledgeGaps } from './report-gaps.tsx';
import { Endings, type Insights, OutcomeFigures, readInsights } from './report-outcomes.tsx';
import {
  type ChosenDays,
  findPeriods,
  formatReportDay,
  presets,
  type ReportPeriods,
  readDays,
  readPreset,
} from './report-period.ts';
import { MostAsked } from './report-questions.tsx';
import { SpendTables } from './report-spend.tsx';
import { AttendanceTables, TeamTable } from './report-team.tsx';

/** Shows what was resolved, what was missing and what it cost, in a period and in the one before. */
export function ReportsPage({ context }: { readonly context: SessionContext }) {
  const { periodo, de = '', ate = '' } = route.value.query;
  const preset = readPreset(periodo);
  const chosen = [preset, de, ate];
  const days = useMemo(() => readDays({ de, ate }, readServiceClock(), readHostZone()), chosen);
  const periods = useMemo(() => findPeriods(preset, readServiceClock(), readHostZone(), days), chosen);
  const host = context.host ? { hostId: context.host.host_id } : {};
  const insights = useLoad(() => readInsights(host, periods), chosen);
  const body = { ...host, ...periods.period };
  const volumes = useLoad(() => readVolumes(body), chosen);
  const team = useLoad(async () => {
    const [members, stats] = await Promise.all([
      call('getTeamStats', body),
      call('getAttendanceStats', body),
    ]);
    return { members, stats };
  }, chosen);
  const spend = useLoad(() => call('getSpend', body), chosen);
  const all = [insights, volumes, team, spend];
  const isUnread = all.every(({ data, error }) => data === undefined && error !== undefined);
  return (
    <Page
      title="Relatórios"
      about="O que foi resolvido, o que faltou e quanto custou."
      action={
        <div class="report-period">
          <Choices
            label="Período"
            value={preset}
            choices={presets}
            onChoose={next => replaceRoute('relatorios', [], { periodo: next })}
          />
          {preset === 'datas' && <PeriodDays days={days} />}
        </div>
      }
    >
      {isUnread ? (
        <ErrorNote error={insights.error} onRetry={() => all.forEach(({ reload }) => reload())} />
      ) : (
        <>
          <InsightParts loaded={insights} periods={periods} body={body} context={context} />
          <Part title="Equipe" loaded={team}>
            {({ members, stats }) => (
              <>
                <TeamTable team={members} />
                <AttendanceTables stats={stats} />
              </>
            )}
          </Part>
          <Part title="Movimento" loaded={volumes}>
            {data => <Volumes volumes={data} />}
          </Part>
          <Part title="Gasto com modelos" loaded={spend}>
            {data => <SpendTables spend={data} avatars={context.avatars} />}
          </Part>
        </>
      )}
    </Page>
  );
}

/** The parts that share the result of `readInsights`. */
function InsightParts(props: {
  readonly loaded: Loaded<Insights>;
  readonly periods: ReportPeriods;
  readonly body: BodyOf<'getOutcomes'>;
  readonly context: SessionContext;
}) {
  const { loaded, periods, body, context } = props;
  const maySee = context.scopes.includes('reason');
  return (
    <>
      <Part title="Resultado" loaded={loaded} isHead>
        {data => <OutcomeFigures insights={data} periods={periods} body={body} maySee={maySee} />}
      </Part>
      <Part title="Como as conversas terminaram" loaded={loaded} isBehind>
        {data => <Endings insights={data} body={body} maySee={maySee} />}
      </Part>
      <Part title="O que mais perguntam" loaded={loaded} isBehind>
        {({ outcomes: { questions = [] } }) => (
          <MostAsked questions={questions} maySee={maySee} context={context} />
        )}
      </Part>
      <Part title="O que falta no conhecimento" loaded={loaded} isBehind>
        {({ gaps }) => (
          <>
            <FailedQuestions context={context} />
            <KnowledgeGaps gaps={gaps} body={body} context={context} />
          </>
        )}
      </Part>
    </>
  );
}

/** The first and the last day, both of the host. */
function PeriodDays({ days }: { readonly days: ChosenDays }) {
  const change = (changed: Partial<ChosenDays>) => {
    const { first, last } = { ...days, ...changed };
    replaceRoute('relatorios', [], { periodo: 'datas', de: first, ate: last });
  };
  const read = (event: { readonly currentTarget: HTMLInputElement }, day: keyof ChosenDays) => {
    // Empty while a date is being typed.
    const { value } = event.currentTarget;
    if (value !== '') change({ [day]: value });
  };
  return (
    <div class="report-days">
      <Field label="De">
        {field => (
          <input {...field} type="date" value={days.first} onChange={event => read(event, 'first')} />
        )}
      </Field>
      <Field label="Até">
        {field => <input {...field} type="date" value={days.last} onChange={event => read(event, 'last')} />}
      </Field>
    </div>
  );
}

/** A part of the page, which fails and is read again by itself. */
function Part<Data>(props: {
  readonly title: string;
  readonly loaded: Loaded<Data>;
  /** Under the title of the page itself. */
  readonly isHead?: boolean;
  /** Whether another part loads the same data and shows the progress. */
  readonly isBehind?: boolean;
  readonly children: (data: Data) => ComponentChildren;
}) {
  const { title, isHead = false, isBehind = false, children } = props;
  const { data, error, isLoading, reload } = props.loaded;
  if (isBehind && data === undefined) return null;
  return (
    <section class="report-part" aria-label={title} aria-busy={isLoading}>
      {!isHead && <h2>{title}</h2>}
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {data === undefined && isLoading && <Skeleton rows={2} label={`Carregando: ${title}`} />}
      {data !== undefined && children(data)}
    </section>
  );
}

/** Null before the first conversation of the host. */
async function readVolumes(body: BodyOf<'conversationalStats'>) {
  try {
    const [[stats], [costs]] = await Promise.all([
      call('conversationalStats', body),
      call('financialStats', body),
    ]);
    return stats && costs ? { stats, costs } : null;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}

const totals = [
  ['Conversas', 'total_services'],
  ['Conversas contratadas por mês', 'total_contracted_services'],
  ['Conversas fora do expediente', 'total_services_after_hours'],
  ['Mensagens', 'total_messages'],
  ['Mensagens das pessoas', 'total_messages_received_by_user'],
  ['Mensagens do assistente', 'total_messages_sent_by_avatar'],
  ['Mensagens da equipe', 'total_messages_responder_manager'],
  ['Mensagens fora do expediente', 'total_messages_after_hours'],
  ['Chamados', 'total_tickets'],
  ['Chamados ainda abertos', 'total_opened_tickets'],
  ['Chamados resolvidos', 'total_solved_tickets'],
] as const;

function Volumes({ volumes }: { readonly volumes: Awaited<ReturnType<typeof readVolumes>> }) {
  if (!volumes)
    return (
      <EmptyState
        title="Ainda não houve conversas"
        text="Os números aparecem com a primeira conversa. Ensaios não contam."
      />
    );
  const { stats, costs } = volumes;
  const points = (field: 'total_conversations' | 'total_messages' | 'total_tickets') =>
    stats.history_days.map(row => ({
      label: formatReportDay(row.dia, readHostZone()),
      value: Number(row[field]),
    }));
  const costPoints = costs.history_days.map(row => ({
    label: formatReportDay(row.dia, readHostZone()),
    value: Number(row.total_cost),
  }));
  const channels = stats.services_by_channels.map(({ platform, total_services }) => ({
    label: platform,
    value: Number(total_services),
  }));
  return (
    <>
      <div class="charts">
        <BarChart title="Conversas" points={points('total_conversations')} />
        <BarChart title="Mensagens" points={points('total_messages')} />
        <BarChart title="Chamados" points={points('total_tickets')} />
        <BarChart title="Custo pelo contrato" points={costPoints} format={formatReais} />
      </div>
      <details class="card">
        <summary>Todos os números</summary>
        <div class="charts">
          <div>
            <DataTable
              title="Números do período"
              rows={totals}
              columns={[
                { head: 'O quê', of: ([label]) => label },
                { head: 'No período', of: ([, field]) => stats[field] },
              ]}
            />
          </div>
          <div>
            <DataTable
              title="Conversas por canal"
              rows={channels}
              columns={[
                { head: 'Canal', of: ({ label }) => label },
                { head: 'Conversas', of: ({ value }) => value },
              ]}
            />
          </div>
        </div>
      </details>
    </>
  );
}

interface Point {
  readonly label: string;
  readonly value: number;
}

const HEIGHT = 100;
const GAP = 0.14;

/** Bars over time. A table with the same figures is folded below. */
function BarChart(props: {
  readonly title: string;
  readonly points: readonly Point[];
  readonly format?: (value: number) => string;
}) {
  const { title, points, format = value => value.toLocaleString('pt-BR') } = props;
  const total = format(points.reduce((sum, { value }) => sum + value, 0));
  const highest = Math.max(0, ...points.map(({ value }) => value));
  const labels = [points[0], points[Math.floor(points.length / 2)], points.at(-1)];
  return (
    <figure class="card chart">
      <figcaption>
        <strong>{title}</strong>
        <span>{total}</span>
      </figcaption>
      <svg
        class="stage"
        viewBox={`0 0 ${Math.max(points.length, 1)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${total} ao todo, em ${formatCount(points.length, 'barra', 'barras')}`}
      >
        {points.map(({ label, value }, at) => {
          const height = highest > 0 ? (value / highest) * HEIGHT : 0;
          return (
            <rect key={at} class="bar" x={at + GAP} y={HEIGHT - height} width={1 - 2 * GAP} height={height}>
              <title>{`${label}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="chart-labels small" aria-hidden="true">
        {labels.map((point, at) => (
          <span key={at}>{point?.label}</span>
        ))}
      </p>
      <details>
        <summary>Ver em tabela</summary>
        <DataTable
          title={title}
          rows={points}
          columns={[
            { head: 'Dia', of: ({ label }) => label },
            { head: title, of: ({ value }) => value, format },
          ]}
        />
      </details>
    </figure>
  );
}
