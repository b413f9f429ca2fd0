import { callHelper } from '../service.ts';
import { makeButton, makeEmptyState, makeWaiting } from './actions.js';
import { Deliveries } from './deliveries.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makeSecretBox, makeWebhookForm } from './webhook-form.js';
import { makeWebhookRow } from './webhook-row.js';

/** @typedef {{ webhookId: string, name: string, url: string, events: string[], enabled: boolean, secret: string }} Webhook */

/** @param {import('../shell/session.ts').SessionContext} context */
export function makeEventsView({ host }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite ver eventos.');
  const { host_id: hostId } = host;
  const list = make('ul', { className: 'results' });
  const place = make('div', { className: 'stack' });
  const deliveries = new Deliveries(hostId);
  const add = makeButton('Novo webhook', () => edit(undefined));
  const head = make('div', { className: 'head' }, make('h2', { className: 'title' }, 'Eventos'), add);

  /** @param {Webhook | undefined} webhook */
  const edit = webhook => {
    const onSaved = (/** @type {Webhook} */ saved) => {
      place.replaceChildren(...(saved.secret === '***' ? [] : [makeSecretBox(saved)]));
      void reload();
    };
    const onCancel = () => place.replaceChildren();
    place.replaceChildren(makeWebhookForm({ hostId, webhook, onSaved, onCancel }));
    place.querySelector('input')?.focus();
  };
  /** @param {Webhook} webhook */
  const makeRow = webhook =>
    makeWebhookRow(webhook, {
      hostId,
      onEdit: () => edit(webhook),
      onChanged: reload,
      onSecret: changed => place.replaceChildren(makeSecretBox(changed)),
      onTested: () => deliveries.reload(),
    });
  const reload = async () => {
    try {
      /** @type {Webhook[]} */
      const webhooks = await callHelper('listWebhooksHelper', { hostId });
      const none = make(
        'li',
        { className: 'card' },
        makeNone(() => edit(undefined)),
      );
      list.replaceChildren(...(webhooks.length > 0 ? webhooks.map(makeRow) : [none]));
      deliveries.setWebhooks(webhooks);
    } catch (error) {
      const retry = makeButton('Tentar de novo', () => void reload(), 'quiet');
      list.replaceChildren(make('li', {}, makeErrorBox(error, retry)));
    }
  };
  list.append(make('li', {}, makeWaiting('Carregando os webhooks…')));
  void reload();
  const parts = [head, place, list, deliveries.element];
  return make('section', { className: 'stack', 'aria-label': 'Eventos' }, ...parts);
}

/** @param {() => void} onBegin */
function makeNone(onBegin) {
  const text =
    'Um webhook avisa os seus sistemas, assinado, quando algo acontece: um chamado aberto, uma conversa que espera por uma pessoa.';
  return makeEmptyState('Nenhum webhook ainda', text, makeButton('Criar o primeiro webhook', onBegin));
}
