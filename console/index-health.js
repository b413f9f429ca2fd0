import { make } from './elements.js';
import { errorBox } from './error-box.js';
import { searchIndex } from './service.js';

/** @typedef {{ source: number, indexed: number, missing: number, orphans: number, stale: number, coverage: number }} Counts */

const states = new Map([
  ['ok', 'Em ordem'],
  ['degraded', 'Com atraso'],
  ['down', 'Fora do ar'],
]);
const tables = new Map([
  ['conversations', 'Conversas'],
  ['leads', 'Leads'],
  ['tickets', 'Chamados'],
]);
const parts = new Map([
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

export function indexView() {
  const button = make('button', { type: 'button' }, 'Atualizar');
  const board = make('div', { className: 'reports', 'aria-live': 'polite' });
  const look = async () => {
    button.disabled = true;
    const [health, stats] = await Promise.allSettled([
      searchIndex('admin/health'),
      searchIndex('admin/stats'),
    ]);
    board.replaceChildren(
      health.status === 'fulfilled' ? healthCard(health.value) : errorBox(health.reason),
      ...(stats.status === 'fulfilled' ? statsCards(stats.value) : []),
    );
    if (stats.status === 'rejected' && health.status === 'fulfilled') board.append(errorBox(stats.reason));
    button.disabled = false;
  };
  button.addEventListener('click', () => void look());
  void look();
  const head = make('div', { className: 'card toolbar' }, make('h1', {}, 'Saúde do índice de busca'), button);
  return make('section', { 'aria-label': 'Índice' }, head, board);
}

/** @param {{ status: string, checks: Record<string, string>, freshness_ms?: number, health_score?: number | null }} health */
function healthCard({ status, checks, freshness_ms: late, health_score: score }) {
  const listed = Object.entries(checks).map(([name, state]) => {
    return make('li', {}, badge(state), ` ${parts.get(name) ?? name}`);
  });
  return make(
    'div',
    { className: 'card health' },
    make('p', { className: 'state' }, badge(status)),
    make('p', {}, typeof score === 'number' ? `Nota ${decimal(score)} de 100` : 'Nota ainda não calculada'),
    typeof late === 'number' ? make('p', {}, `Atraso de ${seconds(late)}`) : undefined,
    make('ul', { className: 'checks' }, ...listed),
  );
}

/**
 * @param {{ tables: Record<string, Counts>, pipeline: Record<string, number | string | null>,
 *   reconcile: Record<string, number | string | null> }} stats
 */
function statsCards({ tables: counted, pipeline, reconcile }) {
  const rows = Object.entries(counted).map(([name, counts]) => {
    const share = make('meter', { min: 0, max: 1, value: counts.coverage, 'aria-label': 'Cobertura' });
    const figures = columns.map(([field]) => make('td', {}, counts[field].toLocaleString('pt-BR')));
    const covered = make('td', {}, share, ` ${decimal(counts.coverage * 100)} %`);
    return make('tr', {}, make('th', { scope: 'row' }, tables.get(name) ?? name), ...figures, covered);
  });
  const heads = ['Tabela', ...columns.map(([, label]) => label), 'Cobertura'];
  const head = make('tr', {}, ...heads.map(label => make('th', { scope: 'col' }, label)));
  const table = make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows));
  return [
    make('div', { className: 'card scroll', tabIndex: 0, role: 'region', 'aria-label': 'Cobertura' }, table),
    facts('Fila de mudanças', [
      ['À espera', pipeline['pending']],
      ['Feitas', pipeline['processed']],
      ['Falhas', pipeline['failed']],
      ['Última gravação', when(pipeline['last_flush_at'])],
      ['Atraso', seconds(Number(pipeline['lag_ms']))],
    ]),
    facts('Reconciliação', [
      ['Última', when(reconcile['last_run_at'])],
      ['Próxima', when(reconcile['next_run_at'])],
      ['Corrigidos', reconcile['repaired']],
      ['Removidos', reconcile['removed']],
    ]),
  ];
}

/** @param {string} title @param {readonly (readonly [string, string | number | null | undefined])[]} all */
function facts(title, all) {
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
function badge(state) {
  return make(
    'span',
    { className: `badge badge-${state in { ok: 1, degraded: 1 } ? state : 'down'}` },
    states.get(state) ?? state,
  );
}

/** @param {number | string | null | undefined} at */
function when(at) {
  return at ? new Date(at).toLocaleString('pt-BR', { dateStyle: 'short', timeStyle: 'medium' }) : '—';
}

/** @param {number} ms */
const seconds = ms => `${decimal(ms / 1_000)} s`;
/** @param {number} value */
const decimal = value => value.toLocaleString('pt-BR', { maximumFractionDigits: 1 });
