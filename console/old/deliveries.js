import { callHelper, readServiceClock } from '../service.ts';
import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { makeDeliveryRow } from './delivery-row.js';
import { make, makeSelect } from './elements.js';
import { makeErrorBox } from './error-box.js';

/** @typedef {import('./delivery-row.js').Delivery} Delivery */

const KEPT_MS = 30 * 86_400_000;

/** What was sent to the webhooks, newest first, and what waits. */
export class Deliveries {
  #hostId;
  #list = make('ul', { className: 'plain deliveries' });
  #note = make('div', {});
  #outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  #state = makeSelect('Mostrar', [
    ['', 'Todas'],
    ['pending', 'À espera'],
    ['dead', 'Que não chegaram'],
    ['delivered', 'Entregues'],
  ]);
  #more = this.#makeWork('Mais entregas', () => this.#readPage());
  #replayAll = this.#makeWork('Enviar todas de novo', () => this.#replayDead());
  /** The names of the webhooks. @type {Map<string, string>} */
  #names = new Map();
  /** @type {string | null} */
  #cursor = null;
  element;

  /** @param {string} hostId */
  constructor(hostId) {
    this.#hostId = hostId;
    this.#state.field.addEventListener('change', () => void this.reload());
    const update = this.#makeWork('Atualizar', () => this.reload());
    const buttons = make('div', { className: 'buttons' }, this.#state.row, update, this.#replayAll);
    const head = make('div', { className: 'head' }, make('h2', {}, 'Entregas'), buttons);
    const parts = [head, this.#outcome, this.#note, this.#list, this.#more];
    this.element = make('section', { className: 'card stack', 'aria-label': 'Entregas' }, ...parts);
  }

  /** @param {import('./webhooks.js').Webhook[]} webhooks */
  setWebhooks(webhooks) {
    this.#names = new Map(webhooks.map(({ webhookId, name }) => [webhookId, name]));
    void this.reload();
  }

  async reload() {
    this.#cursor = null;
    this.#list.replaceChildren();
    this.#more.hidden = true;
    this.#replayAll.hidden = true;
    this.#note.replaceChildren(makeWaiting('Carregando as entregas…'));
    try {
      await this.#readPage();
    } catch (error) {
      const retry = makeButton('Tentar de novo', () => void this.reload(), 'quiet');
      this.#note.replaceChildren(makeErrorBox(error, retry));
    }
  }

  async #readPage() {
    const state = this.#state.field.value;
    const filter = { ...(state ? { state } : {}), ...(this.#cursor ? { cursor: this.#cursor } : {}) };
    const body = { hostId: this.#hostId, limit: 25, ...filter };
    /** @type {{ items: Delivery[], nextCursor: string | null }} */
    const { items, nextCursor } = await callHelper('listDeliveriesHelper', body);
    this.#cursor = nextCursor;
    this.#list.append(...items.map(delivery => this.#makeRow(delivery)));
    const isEmpty = this.#list.children.length === 0;
    this.#more.hidden = !nextCursor;
    this.#replayAll.hidden = state !== 'dead' || isEmpty;
    const text = 'O que for enviado aparece aqui por 30 dias, com cada tentativa.';
    this.#note.replaceChildren(...(isEmpty ? [makeEmptyState('Nenhuma entrega', text)] : []));
  }

  /** @param {Delivery} delivery */
  #makeRow(delivery) {
    const webhook = this.#names.get(delivery.webhookId) ?? '';
    const replay = async (/** @type {string} */ id) => {
      await callHelper('replayDeliveriesHelper', { hostId: this.#hostId, deliveryIds: [id] });
      await this.reload();
    };
    return makeDeliveryRow(delivery, { webhook, outcome: this.#outcome, replay });
  }

  async #replayDead() {
    const since = new Date(readServiceClock() - KEPT_MS).toISOString();
    // A call sends at most so many again.
    for (let replayed = 1; replayed > 0; ) {
      ({ replayed } = await callHelper('replayDeliveriesHelper', { hostId: this.#hostId, since }));
    }
    await this.reload();
  }

  /** @param {string} text @param {() => Promise<unknown>} work */
  #makeWork(text, work) {
    const button = makeButton(text, () => void runAction(button, this.#outcome, work), 'quiet');
    return button;
  }
}
