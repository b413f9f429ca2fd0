import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { DataTable } from '../components/data-table.tsx';
import { Page } from '../components/page.tsx';
import { ErrorNote, Skeleton } from '../components/states.tsx';
import { readIndex } from '../service.ts';
import { useLoad } from '../use-load.ts';

type Health = DataOf<'searchHealth'>;
type Stats = DataOf<'searchStats'>;

const statuses: Readonly<Record<Health['status'], readonly [label: string, tone: Tone]>> = {
  ok: ['Em ordem', 'good'],
  degraded: ['Com atraso', 'warn'],
  down: ['Fora do ar', 'bad'],
};
const checks = new Map([
  ['queue', 'Fila'],
  ['database', 'Banco de dados'],
  ['listener', 'Escuta das mudanças'],
  ['pipeline', 'Indexação'],
]);
const tables = [
  ['conversations', 'Conversas'],
  ['leads', 'Leads'],
  ['tickets', 'Chamados'],
] as const;

/** Shows operators how complete and how fresh the search index is. */
export function IndexPage() {
  const health = useLoad(() => readIndex('searchHealth'), []);
  const stats = useLoad(() => readIndex('searchStats'), []);
  const isLoading = health.isLoading || stats.isLoading;
  const reload = () => {
    health.reload();
    stats.reload();
  };
  return (
    <Page
      title="Índice"
      about="O que a busca encontra, e se está em dia."
      action={
        <button type="button" class="quiet" aria-busy={isLoading} onClick={reload}>
          Atualizar
        </button>
      }
    >
      {health.error !== undefined && <ErrorNote error={health.error} onRetry={reload} />}
      {health.data && <HealthCard health={health.data} />}
      {stats.error !== undefined && health.error === undefined && (
        <ErrorNote error={stats.error} onRetry={reload} />
      )}
      {stats.data && <StatsCards stats={stats.data} />}
      {isLoading && !health.data && !stats.data && <Skeleton label="Carregando" />}
    </Page>
  );
}

function HealthCard({ health }: { readonly health: Health }) {
  const { status, checks: found, freshness_ms: freshnessMs, health_score: score } = health;
  const score100 =
    typeof score === 'number'
      ? `Nota ${formatDecimal(score)} de 100`
      : 'A nota vem com a primeira reconciliação';
  return (
    <section class="card stack" aria-label="Saúde">
      <p class="health">
        <StatusBadge status={status} />
        <span>{score100}</span>
        {freshnessMs !== undefined && <span>Atraso de {formatSeconds(freshnessMs)}</span>}
      </p>
      <dl class="field-list">
        {Object.entries(found).map(([name, state]) => [
          <dt key={name}>{checks.get(name) ?? name}</dt>,
          <dd key={`${name} ${state}`}>
            <StatusBadge status={state} />
          </dd>,
        ])}
      </dl>
    </section>
  );
}

function StatusBadge({ status }: { readonly status: Health['status'] }) {
  const [label, tone] = statuses[status];
  return <Badge tone={tone}>{label}</Badge>;
}

function StatsCards({ stats: { tables: counts, pipeline, reconcile } }: { readonly stats: Stats }) {
  return (
    <>
      <section class="card" aria-label="Cobertura">
        <DataTable
          title="Cobertura"
          rows={tables}
          columns={[
            { head: 'Tabela', of: ([, label]) => label },
            { head: 'Registros', of: ([name]) => counts[name].source },
            { head: 'No índice', of: ([name]) => counts[name].indexed },
            { head: 'Faltam', of: ([name]) => counts[name].missing },
            { head: 'Antigos', of: ([name]) => counts[name].stale },
            { head: 'Órfãos', of: ([name]) => counts[name].orphans },
            { head: 'Cobertura', of: ([name]) => counts[name].coverage, format: formatShare },
          ]}
        />
      </section>
      <div class="pair">
        <Facts
          title="Fila de mudanças"
          facts={[
            ['À espera', formatDecimal(pipeline.pending)],
            ['Feitas', formatDecimal(pipeline.processed)],
            ['Falhas', formatDecimal(pipeline.failed)],
            ['Última gravação', formatTime(pipeline.last_flush_at)],
            ['Atraso', formatSeconds(pipeline.lag_ms)],
          ]}
        />
        <Facts
          title="Reconciliação"
          facts={[
            ['Última', formatTime(reconcile.last_run_at)],
            ['Próxima', formatTime(reconcile.next_run_at)],
            ['Corrigidos', formatDecimal(reconcile.repaired)],
            ['Removidos', formatDecimal(reconcile.removed)],
          ]}
        />
      </div>
    </>
  );
}

function Facts(props: {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
}) {
  const { title, facts } = props;
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      <dl class="field-list">
        {facts.map(([label, value]) => [
          <dt key={label}>{label}</dt>,
          <dd key={`${label} value`}>{value}</dd>,
        ])}
      </dl>
    </section>
  );
}

const formatTime = (at: string | null): string =>
  at ? new Date(at).toLocaleString('pt-BR', { dateStyle: 'short', timeStyle: 'medium' }) : '–';
const formatDecimal = (value: number): string => value.toLocaleString('pt-BR', { maximumFractionDigits: 1 });
const formatSeconds = (ms: number): string => `${formatDecimal(ms / 1_000)} s`;
const formatShare = (share: number): string =>
  share.toLocaleString('pt-BR', { style: 'percent', maximumFractionDigits: 1 });
