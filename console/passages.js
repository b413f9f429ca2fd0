import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { confirmAction } from './dialogs.js';
import { dropDraft, readDraft } from './drafts.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makePassageEditor } from './passage-editor.js';
import { callHelper } from './service.js';
import { formatMoment } from './times.js';

/** @typedef {{ chunk_id: string, content: string, dataset_id: string, dataset_name: string, last_update: string, user_name: string }} Passage */

const PAGE_SIZE = 20;

/**
 * The passages of a dataset, newest first. They are read through an assistant that may read the dataset.
 * @param {{ host: import('./knowledge.js').Host, dataset: import('./knowledge.js').Dataset, reader: import('./knowledge.js').Avatar | undefined }} options
 */
export function makePassages({ host, dataset, reader }) {
  const { host_id: hostId } = host;
  const limit = host.host_config?.chunk_size_limit;
  const newDraft = `passage:new:${dataset.id}`;
  const list = make('ul', { className: 'results' });
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const editorPlace = make('div', {});
  const more = makeButton('Mais passagens', () => void runAction(more, outcome, readPage), 'quiet');
  const add = makeButton('Escrever passagem', () => write(), '');
  more.hidden = true;

  const readPage = async () => {
    if (!reader) return list.replaceChildren(make('li', {}, makeUnread()));
    const offset = list.querySelectorAll(':scope > .passage').length;
    const body = { hostId, avatar_id: reader.avatar_id, dataset_ids: [dataset.id], limit: PAGE_SIZE, offset };
    /** @type {Passage[]} */
    const passages = await callHelper('chunkReadHelper', body);
    if (offset === 0) list.replaceChildren();
    list.append(...passages.map(passage => makeRow(passage)));
    more.hidden = passages.length < PAGE_SIZE;
    if (list.children.length === 0)
      list.append(
        make(
          'li',
          { className: 'card' },
          makeNone(() => write()),
        ),
      );
  };
  const reload = async () => {
    list.replaceChildren(make('li', {}, makeWaiting('Carregando as passagens…')));
    try {
      await readPage();
    } catch (error) {
      list.replaceChildren(
        make(
          'li',
          {},
          makeErrorBox(
            error,
            makeButton('Tentar de novo', () => void reload(), 'quiet'),
          ),
        ),
      );
    }
  };
  /** Opens the editor of a new passage. @param {string} [begin] */
  const write = (begin = '') => {
    const save = async (/** @type {string} */ content) => {
      await callHelper('createChunkHelper', { host_id: hostId, content, dataset_id: dataset.id });
      editorPlace.replaceChildren();
      await reload();
    };
    const options = { title: 'Nova passagem', draft: newDraft, saved: '', begin, limit, save };
    editorPlace.replaceChildren(
      makePassageEditor({ ...options, onCancel: () => editorPlace.replaceChildren() }),
    );
    editorPlace.querySelector('textarea')?.focus();
  };
  /** @param {Passage} passage @returns {HTMLLIElement} */
  const makeRow = passage => {
    const { chunk_id: id, content, last_update, user_name } = passage;
    const item = make('li', { className: 'card passage' });
    const about = [`Mudada em ${formatMoment(last_update)}`, user_name && `por ${user_name}`];
    const edit = makeButton('Editar', () => editPassage(item, passage), 'quiet slim');
    const remove = makeButton(
      'Excluir',
      () => void runAction(remove, outcome, () => deletePassage(item, id)),
      'quiet slim',
    );
    item.append(
      make('div', { className: 'passage-text' }, content),
      make(
        'div',
        { className: 'buttons' },
        edit,
        remove,
        make('span', { className: 'small' }, about.filter(Boolean).join(' ')),
      ),
    );
    if (readDraft(`passage:${id}`) !== undefined) queueMicrotask(() => editPassage(item, passage));
    return item;
  };
  /** @param {HTMLElement} item @param {Passage} passage */
  const editPassage = (item, passage) => {
    const { chunk_id: id, content: saved } = passage;
    const editor = makePassageEditor({
      title: 'Editar passagem',
      draft: `passage:${id}`,
      saved,
      limit,
      save: async content => {
        await callHelper('editChunkHelper', { id, host_id: hostId, content, dataset_id: dataset.id });
        item.replaceWith(makeRow({ ...passage, content, last_update: new Date().toISOString() }));
      },
      onCancel: () => item.replaceWith(makeRow(passage)),
    });
    item.replaceChildren(editor);
    editor.querySelector('textarea')?.focus();
  };
  /** @param {HTMLElement} item @param {string} id */
  const deletePassage = async (item, id) => {
    const question = {
      title: 'Excluir esta passagem?',
      text: 'Ela não pode ser recuperada. Os assistentes deixam de responder com ela.',
      action: 'Excluir passagem',
    };
    if (!(await confirmAction(question))) return;
    await callHelper('editChunkHelper', { id, host_id: hostId, dataset_id: dataset.id, deleted: true });
    dropDraft(`passage:${id}`);
    item.remove();
    if (list.children.length === 0) await reload();
  };
  void reload().then(() => {
    if (readDraft(newDraft) !== undefined) write();
  });
  const head = make('div', { className: 'head' }, make('h2', {}, 'Passagens'), add);
  const element = make(
    'section',
    { className: 'stack', 'aria-label': 'Passagens' },
    head,
    editorPlace,
    outcome,
    list,
    more,
  );
  return { element, reload, write };
}

/** @param {() => void} onWrite */
function makeNone(onWrite) {
  const text = 'Escreva a primeira, ou importe um documento acima.';
  return makeEmptyState('Esta base ainda não tem passagens', text, makeButton('Escrever passagem', onWrite));
}

function makeUnread() {
  const text =
    'Marque acima um assistente que leia esta base: as passagens aparecem aqui, e ele passa a responder com elas.';
  return makeEmptyState('Nenhum assistente lê esta base', text);
}
