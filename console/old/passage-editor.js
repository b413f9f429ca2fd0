import { dropDraft, keepDraft, readDraft } from '../drafts.ts';
import { makeButton, runAction } from './actions.js';
import { formatCount, make, makeField } from './elements.js';

/**
 * @typedef {{ title: string, draft: string, saved: string, begin?: string, limit: number | undefined,
 *   save: (content: string) => Promise<unknown>, onSaved: (content: string) => void, onCancel: () => void }} EditorOptions
 */

/**
 * What is typed stays, over an error and a reload, until it is saved or given up.
 * @param {EditorOptions} options
 */
export function makePassageEditor({ title, draft, saved, begin = '', limit, save, onSaved, onCancel }) {
  const field = make('textarea', { rows: 8, required: true });
  const count = make('span', { className: 'small', role: 'status' });
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const button = make('button', {}, 'Salvar passagem');
  const isNew = readDraft(draft) === undefined;
  keepDraft(field, draft, saved);
  if (isNew && begin) field.value = begin;
  const showCount = () => {
    const { length } = Array.from(field.value);
    const isTooLong = limit !== undefined && length > limit;
    const most = limit === undefined ? '' : ` de ${limit.toLocaleString('pt-BR')}`;
    count.textContent = `${formatCount(length, 'caractere', 'caracteres')}${most}${isTooLong ? ': divida em duas passagens' : ''}`;
    count.classList.toggle('over', isTooLong);
  };
  field.addEventListener('input', showCount);
  showCount();
  const cancel = makeButton(
    'Cancelar',
    () => {
      dropDraft(draft);
      onCancel();
    },
    'quiet',
  );
  const form = make(
    'form',
    { className: 'card stack', 'aria-label': title },
    makeField(title, field, 'Um assunto por passagem, com um título: “## Biblioteca”.'),
    outcome,
    make('div', { className: 'buttons' }, button, cancel, count),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(button, outcome, async () => {
      const content = field.value;
      await save(content);
      dropDraft(draft);
      onSaved(content);
    });
  });
  return form;
}
