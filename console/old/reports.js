import { callHelper, ServiceError } from '../service.ts';
import { makeBarChart, makeRowChart } from './charts.js';
import { make, makeField, makeSelect } from './elements.js';
import { makeErrorBox } from './error-box.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{ history_months: Row[], history_days: Row[] }} History */
/** @typedef {History & Record<string, number> & { services_by_channels: { platform: string, total_services: string }[] }} Stats */

const DAY_MS = 86_400_000;
const totalLabels = /** @type {const} */ ([
  ['total_services', 'Atendimentos'],
  ['total_contracted_services', 'Contratados por mês'],
  ['total_services_after_hours', 'Fora do expediente'],
  ['total_messages', 'Mensagens'],
  ['total_messages_received_by_user', 'De clientes'],
  ['total_messages_sent_by_avatar', 'Do assistente'],
  ['total_messages_responder_manager', 'Da equipe'],
  ['total_messages_after_hours', 'Mensagens fora do expediente'],
  ['total_tickets', 'Chamados'],
  ['total_opened_tickets', 'Chamados abertos'],
  ['total_solved_tickets', 'Chamados resolvidos'],
]);

/** @param {import('../shell/session.ts').SessionContext} context */
export function makeReportsView({ host }) {
  const from = make('input', { type: 'date', required: true, value: formatDay(Date.now() - 29 * DAY_MS) });
  const to = make('input', { type: 'date', required: true, value: formatDay(Date.now()) });
  const { field: grain, row } = makeSelect('Agrupar por', [
    ['days', 'Dia'],
    ['months', 'Mês'],
  ]);
  const button = make('button', {}, 'Ver');
  const board = make('div', { className: 'reports', 'aria-live': 'polite' });
  const form = make(
    'form',
    { className: 'card toolbar' },
    makeField('De', from),
    makeField('Até', to),
    row,
    button,
  );
  /** @type {[Stats, History] | undefined} */
  let lastStats;

  const show = () => {
    if (lastStats) board.replaceChildren(...makeBoard(...lastStats, grain.value === 'months'));
  };
  const load = async () => {
    button.disabled = true;
    // The last day counts completely, and the range excludes its end date.
    const endDate = findNextDay(to.value);
    const body = { ...(host ? { hostId: host.host_id } : {}), startDate: from.value, endDate };
    try {
      const [[stats], [costs]] = await Promise.all([
        callHelper('getConversationalStats', body),
        callHelper('getFinancialStats', body),
      ]);
      lastStats = [stats, costs];
      show();
    } catch (error) {
      const isEmpty = error instanceof ServiceError && error.status === 404;
      const none = make('p', { className: 'card' }, 'Ainda não houve conversas nesta instituição.');
      board.replaceChildren(isEmpty ? none : makeErrorBox(error));
    }
    button.disabled = false;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void load();
  });
  grain.addEventListener('change', show);
  void load();
  return make('section', { 'aria-label': 'Relatórios' }, form, board);
}

/** @param {Stats} stats @param {History} costs @param {boolean} isByMonth */
function makeBoard(stats, costs, isByMonth) {
  const rows = isByMonth ? stats.history_months : stats.history_days;
  const costRows = isByMonth ? costs.history_months : costs.history_days;
  const axis = isByMonth ? 'Mês' : 'Dia';
  /** @param {Row[]} rows @param {string} field */
  const makePoints = (rows, field) =>
    rows.map(row => ({ label: formatDate(row, isByMonth), value: Number(row[field]) }));
  /** @param {number} value */
  const formatReais = value => value.toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  const channels = stats.services_by_channels.map(({ platform, total_services }) => ({
    label: platform,
    value: Number(total_services),
  }));
  const cards = totalLabels.map(([field, label]) => {
    const figure = make('dd', {}, Number(stats[field]).toLocaleString('pt-BR'));
    return make('div', { className: 'card total' }, make('dt', {}, label), figure);
  });
  return [
    make('dl', { className: 'totals' }, ...cards),
    make(
      'div',
      { className: 'charts' },
      makeBarChart('Conversas', axis, makePoints(rows, 'total_conversations')),
      makeBarChart('Mensagens', axis, makePoints(rows, 'total_messages')),
      makeBarChart('Chamados', axis, makePoints(rows, 'total_tickets')),
      makeBarChart('Custo', axis, makePoints(costRows, 'total_cost'), formatReais),
      makeRowChart('Atendimentos por canal', channels),
    ),
  ];
}

/**
 * A row starts at midnight in the time zone of the host. Some hours later it is that day in every time zone of Brazil,
 * wherever this browser is.
 * @param {Row} row
 * @param {boolean} isByMonth
 */
function formatDate(row, isByMonth) {
  const instant = new Date(Date.parse(row[isByMonth ? 'mês' : 'dia'] ?? '') + DAY_MS / 4);
  /** @type {Intl.DateTimeFormatOptions} */
  const form = isByMonth ? { month: '2-digit', year: 'numeric' } : { day: '2-digit', month: '2-digit' };
  return instant.toLocaleDateString('pt-BR', { ...form, timeZone: 'America/Sao_Paulo' });
}

/**
 * The date at that moment in Brazil: at ten in the evening, UTC is already on the next day.
 * @param {number} at
 */
function formatDay(at) {
  return new Date(at).toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' });
}

/** @param {string} day */
function findNextDay(day) {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
