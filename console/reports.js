import { barChart, rowChart } from './charts.js';
import { labelled, make, select } from './elements.js';
import { errorBox } from './error-box.js';
import { helper, ServiceError } from './service.js';

/** @typedef {Record<string, string>} Row */
/** @typedef {{ history_months: Row[], history_days: Row[] }} History */
/** @typedef {History & Record<string, number> & { services_by_channels: { platform: string, total_services: string }[] }} Stats */

const DAY_MS = 86_400_000;
const totals = /** @type {const} */ ([
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

/** @param {import('./sign-in.js').Place} place */
export function reportsView({ host }) {
  const from = make('input', { type: 'date', required: true, value: dayInBrazil(Date.now() - 29 * DAY_MS) });
  const to = make('input', { type: 'date', required: true, value: dayInBrazil(Date.now()) });
  const { field: grain, row } = select('Agrupar por', [
    ['days', 'Dia'],
    ['months', 'Mês'],
  ]);
  const button = make('button', {}, 'Ver');
  const board = make('div', { className: 'reports', 'aria-live': 'polite' });
  const form = make(
    'form',
    { className: 'card toolbar' },
    labelled('De', from),
    labelled('Até', to),
    row,
    button,
  );
  /** @type {[Stats, History] | undefined} */
  let seen;

  const show = () => {
    if (seen) board.replaceChildren(...boardOf(...seen, grain.value === 'months'));
  };
  const ask = async () => {
    button.disabled = true;
    // The last day counts completely, and the range excludes its end date.
    const endDate = dayAfter(to.value);
    const body = { ...(host ? { hostId: host.host_id } : {}), startDate: from.value, endDate };
    try {
      const [[stats], [costs]] = await Promise.all([
        helper('getConversationalStats', body),
        helper('getFinancialStats', body),
      ]);
      seen = [stats, costs];
      show();
    } catch (error) {
      const isEmpty = error instanceof ServiceError && error.status === 404;
      const none = make('p', { className: 'card' }, 'Ainda não houve conversas nesta instituição.');
      board.replaceChildren(isEmpty ? none : errorBox(error));
    }
    button.disabled = false;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void ask();
  });
  grain.addEventListener('change', show);
  void ask();
  return make('section', { 'aria-label': 'Relatórios' }, form, board);
}

/** @param {Stats} stats @param {History} costs @param {boolean} byMonth */
function boardOf(stats, costs, byMonth) {
  const rows = byMonth ? stats.history_months : stats.history_days;
  const costRows = byMonth ? costs.history_months : costs.history_days;
  const axis = byMonth ? 'Mês' : 'Dia';
  /** @param {Row[]} rows @param {string} field */
  const series = (rows, field) =>
    rows.map(row => ({ label: labelOf(row, byMonth), value: Number(row[field]) }));
  /** @param {number} value */
  const reais = value => value.toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
  const channels = stats.services_by_channels.map(({ platform, total_services }) => ({
    label: platform,
    value: Number(total_services),
  }));
  const cards = totals.map(([field, label]) => {
    const figure = make('dd', {}, Number(stats[field]).toLocaleString('pt-BR'));
    return make('div', { className: 'card total' }, make('dt', {}, label), figure);
  });
  return [
    make('dl', { className: 'totals' }, ...cards),
    make(
      'div',
      { className: 'charts' },
      barChart('Conversas', axis, series(rows, 'total_conversations')),
      barChart('Mensagens', axis, series(rows, 'total_messages')),
      barChart('Chamados', axis, series(rows, 'total_tickets')),
      barChart('Custo', axis, series(costRows, 'total_cost'), reais),
      rowChart('Atendimentos por canal', channels),
    ),
  ];
}

/**
 * A row starts at midnight in the time zone of the host. Some hours later it is that day in every time zone of Brazil,
 * wherever this browser is.
 * @param {Row} row
 * @param {boolean} byMonth
 */
function labelOf(row, byMonth) {
  const instant = new Date(Date.parse(row[byMonth ? 'mês' : 'dia'] ?? '') + DAY_MS / 4);
  /** @type {Intl.DateTimeFormatOptions} */
  const form = byMonth ? { month: '2-digit', year: 'numeric' } : { day: '2-digit', month: '2-digit' };
  return instant.toLocaleDateString('pt-BR', { ...form, timeZone: 'America/Sao_Paulo' });
}

/**
 * The date at that moment in Brazil: at ten in the evening, UTC is already on the next day.
 * @param {number} at
 */
function dayInBrazil(at) {
  return new Date(at).toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' });
}

/** @param {string} day */
function dayAfter(day) {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
