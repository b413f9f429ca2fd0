import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { makeDeliveries } from './deliveries.js';
import { confirmAction } from './dialogs.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { eventLabel } from './event-types.js';
import { callHelper } from './service.js';
import { makeSecretBox, makeWebhookForm } from './webhook-form.js';

/** @typedef {{ webhookId: string, name: string, url: string, events: string[], enabled: boolean, secret: string }} Webhook */

/** @param {import('./sign-in.js').SessionContext} context */
export function makeEventsView({ host }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite ver eventos.');
  const { host_id: hostId } = host;
  const list = make('ul', { className: 'results' });
  const place = make('div', { className: 'stack' });
  const deliveries = makeDeliveries(hostId);
  const add = makeButton('Novo webhook', () => edit(undefined));
  const head = make('div', { className: 'head' }, make('h2', { className: 'title' }, 'Eventos'), add);

  /** @param {Webhook | undefined} webhook */
  const edit = webhook => {
    const onSaved = (/** @type {Webhook} */ saved) => {
      place.replaceChildren(...(saved.secret === '***' ? [] : [makeSecretBox(saved)]));
      void reload();
    };
    place.replaceChildren(
      makeWebhookForm({ hostId, webhook, onSaved, onCancel: () => place.replaceChildren() }),
    );
    place.querySelector('input')?.focus();
  };
  const reload = async () => {
    try {
      /** @type {Webhook[]} */
      const webhooks = await callHelper('listWebhooksHelper', { hostId });
      list.replaceChildren(...webhooks.map(webhook => makeRow(webhook)));
      if (webhooks.length === 0)
        list.append(
          make(
            'li',
            { className: 'card' },
            makeNone(() => edit(undefined)),
          ),
        );
      deliveries.setWebhooks(webhooks);
    } catch (error) {
      const retry = makeButton('Tentar de novo', () => void reload(), 'quiet');
      list.replaceChildren(make('li', {}, makeErrorBox(error, retry)));
    }
  };
  /** @param {Webhook} webhook */
  const makeRow = webhook => {
    const { webhookId, name, url, events, enabled } = webhook;
    const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
    /** @param {string} text @param {() => Promise<unknown>} work @param {string} [className] */
    const makeWork = (text, work, className = 'quiet slim') => {
      const button = makeButton(text, () => void runAction(button, outcome, work), className);
      return button;
    };
    const test = makeWork('Enviar teste', async () => {
      await callHelper('testWebhookHelper', { hostId, webhookId });
      outcome.replaceChildren(make('p', { className: 'small' }, 'Enviado: veja a entrega abaixo.'));
      await deliveries.reload();
    });
    test.disabled = !enabled;
    const buttons = [
      test,
      makeButton('Editar', () => edit(webhook), 'quiet slim'),
      makeWork(enabled ? 'Pausar' : 'Retomar', async () => {
        await callHelper('saveWebhookHelper', { hostId, id: webhookId, enabled: !enabled });
        await reload();
      }),
      makeWork('Trocar segredo', () => rotate(webhook)),
      makeWork('Excluir', () => remove(webhook)),
    ];
    const state = make(
      'span',
      { className: `badge badge-${enabled ? 'ok' : 'degraded'}` },
      enabled ? 'Ativo' : 'Pausado',
    );
    const wanted = events.map(eventLabel).join(', ') || 'Só avisos de trabalhos e testes';
    return make(
      'li',
      { className: 'card stack', 'aria-label': name },
      make('div', { className: 'head' }, make('h2', {}, name), state),
      make('code', {}, url),
      make('p', { className: 'small' }, wanted),
      outcome,
      make('div', { className: 'buttons' }, ...buttons),
    );
  };
  /** @param {Webhook} webhook */
  const rotate = async webhook => {
    const text = 'O segredo de agora vale por mais 24 horas. O novo é mostrado uma vez.';
    if (!(await confirmAction({ title: `Trocar o segredo de “${webhook.name}”?`, text, action: 'Trocar' })))
      return;
    const body = { hostId, id: webhook.webhookId, rotateSecret: true };
    place.replaceChildren(makeSecretBox(await callHelper('saveWebhookHelper', body)));
  };
  /** @param {Webhook} webhook */
  const remove = async ({ webhookId, name }) => {
    const text = 'As entregas dele também são excluídas, e o que ainda espera não é enviado.';
    if (!(await confirmAction({ title: `Excluir “${name}”?`, text, action: 'Excluir webhook' }))) return;
    await callHelper('saveWebhookHelper', { hostId, id: webhookId, deleted: true });
    await reload();
  };
  list.append(make('li', {}, makeWaiting('Carregando os webhooks…')));
  void reload();
  return make(
    'section',
    { className: 'stack', 'aria-label': 'Eventos' },
    head,
    place,
    list,
    deliveries.element,
  );
}

/** @param {() => void} onBegin */
function makeNone(onBegin) {
  const text =
    'Um webhook avisa os seus sistemas, assinado, quando algo acontece: um chamado aberto, uma conversa que espera por uma pessoa.';
  return makeEmptyState('Nenhum webhook ainda', text, makeButton('Criar o primeiro webhook', onBegin));
}
