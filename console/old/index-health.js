import { searchIndex } from '../service.ts';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';

/** @typedef {{ source: number, indexed: number, missing: number, orphans: number, stale: number, coverage: number }} Counts */

const statusLabels = new Map([
  ['ok', 'Em ordem'],
  ['degraded', 'Com atraso'],
  ['down', 'Fora do ar'],
]);
const tableLabels = new Map([
  ['conversations', 'Conversas'],
  ['leads', 'Leads'],
  ['tickets', 'Chamados'],
]);
const checkLabels = new Map([
  ['database', 'Banco de dados'],
  ['listener', 'Escuta das mudanças'],
  ['pipeline', 'Indexação'],
]);
const columns = /** @type {const} */ ([
  ['source', 'Registros'],
  ['indexed', 'No índice'],
  ['missing', 'Faltam'],
  ['stale', 'Antigos'],
  ['orphans', 'Órfãos'],
]);

export function makeIndexView() {
  const button = make('button', { type: 'button' }, 'Atualizar');
  const board = make('div', { className: 'reports', 'aria-live': 'polite' });
  const load = async () => {
    button.disabled = true;
    const [health, stats] = await Promise.allSettled([
      searchIndex('admin/health'),
      searchIndex('admin/stats'),
    ]);
    board.replaceChildren(
      health.status === 'fulfilled' ? makeHealthCard(health.value) : makeErrorBox(health.reason),
      ...(stats.status === 'fulfilled' ? makeStatsCards(stats.value) : []),
    );
    if (stats.status === 'rejected' && health.status === 'fulfilled')
      board.append(makeErrorBox(stats.reason));
    button.disabled = false;
  };
  button.addEventListener('click', () => void load());
  void load();
  const head = make(
    'div',
    { className: 'card toolbar' },
    make('h2', { className: 'title' }, 'Saúde do índice de busca'),
    button,
  );
  return make('section', { 'aria-label': 'Índice' }, head, board);
}

/** @param {{ status: string, checks: Record<string, string>, freshness_ms?: number, health_score?: number | null }} health */
function makeHealthCard({ status, checks, freshness_ms: freshnessMs, health_score: score }) {
  const checkItems = Object.entries(checks).map(([name, state]) => {
    return make('li', {}, makeBadge(state), ` ${checkLabels.get(name) ?? name}`);
  });
  return make(
    'div',
    { className: 'card health' },
    make('p', { className: 'state' }, makeBadge(status)),
    make(
      'p',
      {},
      typeof score === 'number' ? `Nota ${formatDecimal(score)} de 100` : 'Nota ainda não calculada',
    ),
    typeof freshnessMs === 'number' ? make('p', {}, `Atraso de ${formatSeconds(freshnessMs)}`) : undefined,
    make('ul', { className: 'checks' }, ...checkItems),
  );
}

/**
 * @param {{ tables: Record<string, Counts>, pipeline: Record<string, number | string | null>,
 *   reconcile: Record<string, number | string | null> }} stats
 */
function makeStatsCards({ tables, pipeline, reconcile }) {
  const rows = Object.entries(tables).map(([name, counts]) => {
    const share = make('meter', { min: 0, max: 1, value: counts.coverage, 'aria-label': 'Cobertura' });
    const figures = columns.map(([field]) => make('td', {}, counts[field].toLocaleString('pt-BR')));
    const coverageCell = make('td', {}, share, ` ${formatDecimal(counts.coverage * 100)} %`);
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, tableLabels.get(name) ?? name),
      ...figures,
      coverageCell,
    );
  });
  const heads = ['Tabela', ...columns.map(([, label]) => label), 'Cobertura'];
  const head = make('tr', {}, ...heads.map(label => make('th', { scope: 'col' }, label)));
  const table = make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows));
  return [
    make('div', { className: 'card scroll', tabIndex: 0, role: 'region', 'aria-label': 'Cobertura' }, table),
    makeFacts('Fila de mudanças', [
      ['À espera', pipeline['pending']],
      ['Feitas', pipeline['processed']],
      ['Falhas', pipeline['failed']],
      ['Última gravação', formatTime(pipeline['last_flush_at'])],
      ['Atraso', formatSeconds(Number(pipeline['lag_ms']))],
    ]),
    makeFacts('Reconciliação', [
      ['Última', formatTime(reconcile['last_run_at'])],
      ['Próxima', formatTime(reconcile['next_run_at'])],
      ['Corrigidos', reconcile['repaired']],
      ['Removidos', reconcile['removed']],
    ]),
  ];
}

/** @param {string} title @param {readonly (readonly [string, string | number | null | undefined])[]} all */
function makeFacts(title, all) {
  const rows = all.map(([label, value]) =>
    make('div', {}, make('dt', {}, label), make('dd', {}, `${value ?? '—'}`)),
  );
  return make(
    'div',
    { className: 'card' },
    make('h2', {}, title),
    make('dl', { className: 'facts' }, ...rows),
  );
}

/** @param {string} state */
function makeBadge(state) {
  return make(
    'span',
    { className: `badge badge-${state in { ok: 1, degraded: 1 } ? state : 'down'}` },
    statusLabels.get(state) ?? state,
  );
}

/** @param {number | string | null | undefined} at */
function formatTime(at) {
  return at ? new Date(at).toLocaleString('pt-BR', { dateStyle: 'short', timeStyle: 'medium' }) : '—';
}

/** @param {number} ms */
const formatSeconds = ms => `${formatDecimal(ms / 1_000)} s`;
/** @param {number} value */
const formatDecimal = value => value.toLocaleString('pt-BR', { maximumFractionDigits: 1 });
