import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { makeDeliveryRow } from './delivery-row.js';
import { make, makeSelect } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { callHelper, readServiceClock } from './service.js';

const KEPT_MS = 30 * 86_400_000;

/** What was sent to the webhooks, newest first, and what waits. @param {string} hostId */
export function makeDeliveries(hostId) {
  const { field: state, row: stateRow } = makeSelect('Mostrar', [
    ['', 'Todas'],
    ['pending', 'À espera'],
    ['dead', 'Que não chegaram'],
    ['delivered', 'Entregues'],
  ]);
  const list = make('ul', { className: 'plain deliveries' });
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const note = make('div', {});
  const more = makeButton('Mais entregas', () => void runAction(more, outcome, readPage), 'quiet');
  const update = makeButton('Atualizar', () => void runAction(update, outcome, reload), 'quiet');
  /** @type {Map<string, string>} */
  let names = new Map();
  /** @type {string | null} */
  let cursor = null;

  const readPage = async () => {
    const filter = state.value ? { state: state.value } : {};
    const page = cursor ? { cursor } : {};
    const { items, nextCursor } = await callHelper('listDeliveriesHelper', {
      hostId,
      limit: 25,
      ...filter,
      ...page,
    });
    cursor = nextCursor;
    list.append(
      ...items.map((/** @type {import('./delivery-row.js').Delivery} */ item) =>
        makeDeliveryRow(item, { webhook: names.get(item.webhookId) ?? '', outcome, replay: replayDelivery }),
      ),
    );
    more.hidden = !cursor;
    replayAll.hidden = state.value !== 'dead' || list.children.length === 0;
    const text = 'O que for enviado aparece aqui por 30 dias, com cada tentativa.';
    note.replaceChildren(...(list.children.length === 0 ? [makeEmptyState('Nenhuma entrega', text)] : []));
  };
  const reload = async () => {
    cursor = null;
    list.replaceChildren();
    replayAll.hidden = true;
    more.hidden = true;
    note.replaceChildren(makeWaiting('Carregando as entregas…'));
    try {
      await readPage();
    } catch (error) {
      note.replaceChildren(
        makeErrorBox(
          error,
          makeButton('Tentar de novo', () => void reload(), 'quiet'),
        ),
      );
    }
  };
  /** @param {string} id */
  const replayDelivery = async id => {
    await callHelper('replayDeliveriesHelper', { hostId, deliveryIds: [id] });
    await reload();
  };
  const replayAll = makeButton(
    'Enviar todas de novo',
    () => void runAction(replayAll, outcome, replayDead),
    'quiet',
  );
  const replayDead = async () => {
    const since = new Date(readServiceClock() - KEPT_MS).toISOString();
    // A call sends at most so many again.
    for (let replayed = 1; replayed > 0; ) {
      ({ replayed } = await callHelper('replayDeliveriesHelper', { hostId, since }));
    }
    await reload();
  };
  state.addEventListener('change', () => void reload());
  const element = make(
    'section',
    { className: 'card stack', 'aria-label': 'Entregas' },
    make(
      'div',
      { className: 'head' },
      make('h2', {}, 'Entregas'),
      make('div', { className: 'buttons' }, stateRow, update, replayAll),
    ),
    outcome,
    note,
    list,
    more,
  );
  return {
    element,
    reload,
    /** @param {import('./webhooks.js').Webhook[]} webhooks */
    setWebhooks(webhooks) {
      names = new Map(webhooks.map(({ webhookId, name }) => [webhookId, name]));
      void reload();
    },
  };
}
