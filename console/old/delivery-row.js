import { formatMoment } from '../format.ts';
import { makeButton, runAction } from './actions.js';
import { formatCount, make } from './elements.js';
import { eventLabel } from './event-types.js';

/**
 * @typedef {{ deliveryId: string, webhookId: string, type: string, state: 'pending' | 'delivered' | 'dead', attempts: number,
 *   nextAttemptAt: string | null, lastStatus: number | null, lastError: string | null, createdAt: string }} Delivery
 */

/** @type {Record<Delivery['state'], { label: string, badge: string }>} */
const states = {
  pending: { label: 'À espera', badge: 'degraded' },
  delivered: { label: 'Entregue', badge: 'ok' },
  dead: { label: 'Não chegou', badge: 'down' },
};

/**
 * One delivery, with what became of it, and a way to send it again.
 * @param {Delivery} delivery
 * @param {{ webhook: string, outcome: HTMLElement, replay: (id: string) => Promise<unknown> }} options
 */
export function makeDeliveryRow(delivery, { webhook, outcome, replay }) {
  const { deliveryId, type, state, createdAt } = delivery;
  const { label, badge } = states[state];
  const again = makeButton(
    'Enviar de novo',
    () => void runAction(again, outcome, () => replay(deliveryId)),
    'quiet slim',
  );
  return make(
    'li',
    {},
    make(
      'div',
      {},
      make('strong', {}, eventLabel(type)),
      make('span', { className: `badge badge-${badge}` }, label),
      make('div', { className: 'small' }, [formatMoment(createdAt), webhook].filter(Boolean).join(' · ')),
      make('div', { className: 'small' }, describeAttempts(delivery)),
    ),
    ...(state === 'pending' ? [] : [again]),
  );
}

/** @param {Delivery} delivery */
function describeAttempts({ state, attempts, nextAttemptAt, lastStatus, lastError }) {
  const tries = attempts > 0 ? formatCount(attempts, 'tentativa', 'tentativas') : 'Ainda sem tentativa';
  const refusal =
    lastError === 'the address is not allowed' ? 'o endereço não é permitido' : 'sem conexão ou resposta';
  const failure = lastStatus === null ? refusal : `o sistema respondeu ${lastStatus}`;
  const next = state === 'pending' && nextAttemptAt ? `próxima em ${formatMoment(nextAttemptAt)}` : '';
  return [tries, lastError && failure, next].filter(Boolean).join(' · ');
}
