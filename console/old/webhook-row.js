import { confirmAction } from '../components/dialogs.tsx';
import { callHelper } from '../service.ts';
import { makeButton, runAction } from './actions.js';
import { make } from './elements.js';
import { eventLabel } from './event-types.js';

/** @typedef {import('./webhooks.js').Webhook} Webhook */
/**
 * @typedef {{ hostId: string, onEdit: () => void, onChanged: () => Promise<void>, onSecret: (webhook: Webhook) => void,
 *   onTested: () => Promise<void> }} RowOptions
 */

/**
 * A webhook and what may be done with it.
 * @param {Webhook} webhook
 * @param {RowOptions} options
 */
export function makeWebhookRow(webhook, options) {
  const { name, url, events, enabled } = webhook;
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const badge = make(
    'span',
    { className: `badge badge-${enabled ? 'ok' : 'degraded'}` },
    enabled ? 'Ativo' : 'Pausado',
  );
  const wanted = events.map(eventLabel).join(', ') || 'Só avisos de trabalhos e testes';
  return make(
    'li',
    { className: 'card stack', 'aria-label': name },
    make('div', { className: 'head' }, make('h2', {}, name), badge),
    make('code', {}, url),
    make('p', { className: 'small' }, wanted),
    outcome,
    make('div', { className: 'buttons' }, ...makeButtons(webhook, options, outcome)),
  );
}

/** @param {Webhook} webhook @param {RowOptions} options @param {HTMLElement} outcome */
function makeButtons(webhook, options, outcome) {
  const { webhookId, enabled } = webhook;
  const { hostId, onEdit, onChanged, onTested } = options;
  /** @param {string} text @param {() => Promise<unknown>} work */
  const makeWork = (text, work) => {
    const button = makeButton(text, () => void runAction(button, outcome, work), 'quiet slim');
    return button;
  };
  const test = makeWork('Enviar teste', async () => {
    await callHelper('testWebhookHelper', { hostId, webhookId });
    outcome.replaceChildren(make('p', { className: 'small' }, 'Enviado: veja a entrega abaixo.'));
    await onTested();
  });
  test.disabled = !enabled;
  return [
    test,
    makeButton('Editar', onEdit, 'quiet slim'),
    makeWork(enabled ? 'Pausar' : 'Retomar', async () => {
      await callHelper('saveWebhookHelper', { hostId, id: webhookId, enabled: !enabled });
      await onChanged();
    }),
    makeWork('Trocar segredo', () => rotateSecret(webhook, options)),
    makeWork('Excluir', () => deleteWebhook(webhook, options)),
  ];
}

/** @param {Webhook} webhook @param {RowOptions} options */
async function rotateSecret({ webhookId, name }, { hostId, onSecret }) {
  const text = 'O segredo de agora vale por mais 24 horas. O novo é mostrado uma vez.';
  if (!(await confirmAction({ title: `Trocar o segredo de “${name}”?`, text, action: 'Trocar' }))) return;
  onSecret(await callHelper('saveWebhookHelper', { hostId, id: webhookId, rotateSecret: true }));
}

/** @param {Webhook} webhook @param {RowOptions} options */
async function deleteWebhook({ webhookId, name }, { hostId, onChanged }) {
  const text = 'As entregas dele também são excluídas, e o que ainda espera não é enviado.';
  if (!(await confirmAction({ title: `Excluir “${name}”?`, text, action: 'Excluir webhook' }))) return;
  await callHelper('saveWebhookHelper', { hostId, id: webhookId, deleted: true });
  await onChanged();
}
