import { dropDraft, keepDraft, readDraft, storeDraft } from '../drafts.ts';
import { makeKey } from '../keys.ts';
import { callHelper } from '../service.ts';
import { readPersonName } from '../shell/person-name.ts';
import { runAction, submitOnEnter } from './actions.js';
import { make, makeField } from './elements.js';

const MAX_LENGTH = 16_000;

/**
 * The answer of a person. What is typed stays until the service has accepted it, and the same text is sent with the same
 * key, so that it is stored once, however often it is tried.
 * @param {{ hostId: string, conversationId: string, beforeSending: () => Promise<boolean>, refresh: () => Promise<void> }} options
 */
export function makeAnswerForm({ hostId, conversationId, beforeSending, refresh }) {
  const draft = `answer:${conversationId}`;
  const keyDraft = `answer-key:${conversationId}`;
  const field = make('textarea', { rows: 2, maxLength: MAX_LENGTH, placeholder: 'Escreva ao cliente' });
  const send = make('button', {}, 'Enviar');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const row = make('div', { className: 'ask' }, makeField('Sua resposta', field), send);
  const form = make('form', { className: 'answer' }, outcome, row);
  keepDraft(field, draft);
  field.addEventListener('input', () => dropDraft(keyDraft));
  submitOnEnter(field, form);

  const sendAnswer = async () => {
    const content = field.value.trim();
    if (content === '' || !(await beforeSending())) return;
    const key = readDraft(keyDraft) ?? makeKey();
    storeDraft(keyDraft, key);
    const body = { hostId, conversationId, content, author: 'human', name: readPersonName() ?? '' };
    await callHelper('appendMessageHelper', body, { 'idempotency-key': key });
    dropDraft(keyDraft);
    // What was typed meanwhile is the next answer.
    if (field.value.trim() === content) {
      field.value = '';
      dropDraft(draft);
    }
    await refresh();
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(send, outcome, sendAnswer);
  });
  return form;
}
