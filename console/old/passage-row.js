import { confirmAction } from '../components/dialogs.tsx';
import { dropDraft, readDraft } from '../drafts.ts';
import { formatMoment } from '../format.ts';
import { callHelper } from '../service.ts';
import { makeButton, runAction } from './actions.js';
import { make } from './elements.js';
import { makePassageEditor } from './passage-editor.js';

/** @typedef {{ chunk_id: string, content: string, dataset_id: string, dataset_name: string, last_update: string, user_name: string }} Passage */
/** @typedef {{ hostId: string, datasetId: string, limit: number | undefined, outcome: HTMLElement, onDeleted: () => void }} RowOptions */

/**
 * A passage to read, and in its place its editor. A change that was begun before a reload is open again.
 * @param {Passage} passage
 * @param {RowOptions} options
 */
export function makePassageRow(passage, options) {
  const item = make('li', { className: 'card passage' });
  showPassage(item, passage, options);
  if (readDraft(draftOf(passage)) !== undefined) editPassage(item, passage, options);
  return item;
}

/** @param {Passage} passage */
const draftOf = ({ chunk_id: id }) => `passage:${id}`;

/** @param {HTMLElement} item @param {Passage} passage @param {RowOptions} options */
function showPassage(item, passage, options) {
  const { content, last_update, user_name } = passage;
  const about = [`Mudada em ${formatMoment(last_update)}`, user_name && `por ${user_name}`];
  const edit = makeButton(
    'Editar',
    () => {
      editPassage(item, passage, options);
      item.querySelector('textarea')?.focus();
    },
    'quiet slim',
  );
  const remove = makeButton(
    'Excluir',
    () => void runAction(remove, options.outcome, () => deletePassage(item, passage, options)),
    'quiet slim',
  );
  const note = make('span', { className: 'small' }, about.filter(Boolean).join(' '));
  item.replaceChildren(
    make('div', { className: 'passage-text' }, content),
    make('div', { className: 'buttons' }, edit, remove, note),
  );
}

/** @param {HTMLElement} item @param {Passage} passage @param {RowOptions} options */
function editPassage(item, passage, options) {
  const { chunk_id: id, content: saved } = passage;
  const { hostId, datasetId, limit } = options;
  const editor = makePassageEditor({
    title: 'Editar passagem',
    draft: draftOf(passage),
    saved,
    limit,
    save: content => callHelper('editChunkHelper', { id, host_id: hostId, content, dataset_id: datasetId }),
    onSaved: content =>
      showPassage(item, { ...passage, content, last_update: new Date().toISOString() }, options),
    onCancel: () => showPassage(item, passage, options),
  });
  item.replaceChildren(editor);
}

/** @param {HTMLElement} item @param {Passage} passage @param {RowOptions} options */
async function deletePassage(item, passage, { hostId, datasetId, onDeleted }) {
  const question = {
    title: 'Excluir esta passagem?',
    text: 'Ela não pode ser recuperada. Os assistentes deixam de responder com ela.',
    action: 'Excluir passagem',
  };
  if (!(await confirmAction(question))) return;
  const body = { id: passage.chunk_id, host_id: hostId, dataset_id: datasetId, deleted: true };
  await callHelper('editChunkHelper', body);
  dropDraft(draftOf(passage));
  item.remove();
  onDeleted();
}
