import { confirmAction } from '../components/dialogs.tsx';
import { callHelper } from '../service.ts';
import { makeButton, runAction } from './actions.js';
import { make, makeField } from './elements.js';
import { makeCheck } from './flow-editor.js';
import { makeImportForm } from './import-form.js';
import { Passages } from './passages.js';
import { makeQuestionTest } from './question-test.js';

/** @typedef {import('./knowledge.js').Dataset} Dataset */
/** @typedef {import('./knowledge.js').Avatar} Avatar */

/**
 * One dataset: its name and readers, a question to test it, documents to import, and its passages.
 * @param {{ host: import('./knowledge.js').Host, dataset: Dataset, avatars: Avatar[], onChanged: (id: string) => void }} options
 */
export function makeDatasetPane({ host, dataset, avatars, onChanged }) {
  const { host_id: hostId } = host;
  const reader = avatars.find(({ datasets }) => datasets.some(({ dataset_id: id }) => id === dataset.id));
  const passages = new Passages({ host, dataset, reader });
  const test =
    reader && makeQuestionTest({ hostId, reader, dataset, onWrite: begin => passages.write(begin) });
  return make(
    'div',
    { className: 'stack' },
    makeSettings({ hostId, dataset, avatars, onChanged }),
    ...(test ? [test] : []),
    makeImportForm({ hostId, dataset, onChanged: () => passages.reload() }),
    passages.element,
  );
}

/** @param {{ hostId: string, dataset: Dataset, avatars: Avatar[], onChanged: (id: string) => void }} options */
function makeSettings({ hostId, dataset, avatars, onChanged }) {
  const name = make('input', { required: true, maxLength: 200, value: dataset.dataset_name });
  const save = make('button', { className: 'quiet' }, 'Renomear');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const remove = makeButton(
    'Excluir base',
    () => void runAction(remove, outcome, deleteDataset),
    'quiet danger',
  );
  const deleteDataset = async () => {
    const question = {
      title: `Excluir “${dataset.dataset_name}”?`,
      text: 'Os assistentes deixam de responder com ela a partir da próxima pergunta.',
      action: 'Excluir base',
    };
    if (!(await confirmAction(question))) return;
    await callHelper('editDatasetHelper', { hostId, id: dataset.id, deleted: true });
    onChanged('');
  };
  const form = make('form', { className: 'ask flat' }, makeField('Nome da base', name), save, remove);
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(save, outcome, async () => {
      await callHelper('editDatasetHelper', { hostId, id: dataset.id, datasetName: name.value.trim() });
      onChanged(dataset.id);
    });
  });
  const readers = avatars.map(avatar => makeReaderCheck({ hostId, dataset, avatar, outcome, onChanged }));
  const legend = make('legend', {}, 'Assistentes que leem esta base');
  return make(
    'section',
    { className: 'card stack', 'aria-label': dataset.dataset_name },
    form,
    make('fieldset', {}, legend, ...readers),
    outcome,
  );
}

/**
 * @param {{ hostId: string, dataset: Dataset, avatar: Avatar, outcome: HTMLElement, onChanged: (id: string) => void }} options
 */
function makeReaderCheck({ hostId, dataset, avatar, outcome, onChanged }) {
  const { avatar_id: avatarId, avatar_name, datasets } = avatar;
  const box = make('input', {
    type: 'checkbox',
    checked: datasets.some(({ dataset_id }) => dataset_id === dataset.id),
  });
  const change = async () => {
    const call = box.checked ? 'linkDatasetAvatarHelper' : 'unlinkDatasetAvatarHelper';
    try {
      await callHelper(call, { hostId, datasetId: dataset.id, avatarId });
    } catch (error) {
      box.checked = !box.checked;
      throw error;
    }
    onChanged(dataset.id);
  };
  box.addEventListener('change', () => void runAction(box, outcome, change));
  return makeCheck(avatar_name, box);
}
