import { copyText } from '../clipboard.ts';
import { callHelper } from '../service.ts';
import { makeButton, runAction } from './actions.js';
import { make, makeField } from './elements.js';
import { eventTypes } from './event-types.js';
import { makeCheck } from './flow-editor.js';

/** @typedef {import('./webhooks.js').Webhook} Webhook */

/**
 * @param {{ hostId: string, webhook: Webhook | undefined, onSaved: (webhook: Webhook) => void, onCancel: () => void }} options
 */
export function makeWebhookForm({ hostId, webhook, onSaved, onCancel }) {
  const name = make('input', { required: true, maxLength: 200, value: webhook?.name ?? '' });
  const url = make('input', {
    type: 'url',
    required: true,
    placeholder: 'https://',
    value: webhook?.url ?? '',
  });
  const boxes = eventTypes.map(([type, label]) => ({
    type,
    label,
    box: make('input', { type: 'checkbox', checked: webhook?.events.includes(type) ?? false }),
  }));
  const save = make('button', {}, webhook ? 'Salvar' : 'Criar webhook');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const legend = make('legend', {}, 'O que enviar');
  const title = webhook ? `Editar ${webhook.name}` : 'Novo webhook';
  const form = make(
    'form',
    { className: 'card stack', 'aria-label': title },
    make('h2', {}, title),
    make('div', { className: 'pair' }, makeField('Nome', name), makeField('Endereço', url)),
    make(
      'fieldset',
      { className: 'columns' },
      legend,
      ...boxes.map(({ label, box }) => makeCheck(label, box)),
    ),
    outcome,
    make('div', { className: 'buttons' }, save, makeButton('Cancelar', onCancel, 'quiet')),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(save, outcome, async () => {
      const events = boxes.filter(({ box }) => box.checked).map(({ type }) => type);
      // Types that this page does not know stay.
      const unknown = (webhook?.events ?? []).filter(type => !eventTypes.some(([known]) => known === type));
      const body = {
        hostId,
        name: name.value.trim(),
        url: url.value.trim(),
        events: [...events, ...unknown],
      };
      const target = webhook ? { id: webhook.webhookId } : {};
      onSaved(await callHelper('saveWebhookHelper', { ...body, ...target }));
    });
  });
  return form;
}

/**
 * The secret of a webhook, which is shown once.
 * @param {Webhook} webhook
 */
export function makeSecretBox({ name, secret }) {
  const status = make('span', { className: 'small', role: 'status' });
  const copy = makeButton('Copiar segredo', () => {
    void copyText(secret).then(isCopied => {
      status.textContent = isCopied ? 'Copiado' : 'O navegador não deixou copiar: selecione o segredo acima';
    });
  });
  const element = make(
    'div',
    { className: 'card stack secret', role: 'status' },
    make('strong', {}, `Segredo de “${name}”: guarde agora, ele não é mostrado de novo.`),
    make('code', {}, secret),
    make(
      'div',
      { className: 'buttons' },
      copy,
      makeButton('Já guardei', () => element.remove(), 'quiet'),
      status,
    ),
  );
  return element;
}
