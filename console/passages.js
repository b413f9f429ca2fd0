import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { readDraft } from './drafts.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makePassageEditor } from './passage-editor.js';
import { makePassageRow } from './passage-row.js';
import { callHelper } from './service.js';

/** @typedef {import('./passage-row.js').Passage} Passage */

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

  const onDeleted = () => {
    if (list.children.length === 0) void reload();
  };
  const rowOptions = { hostId, datasetId: dataset.id, limit, outcome, onDeleted };

  const readPage = async () => {
    if (!reader) return list.replaceChildren(make('li', {}, makeUnread()));
    const offset = list.querySelectorAll(':scope > .passage').length;
    const body = { hostId, avatar_id: reader.avatar_id, dataset_ids: [dataset.id], limit: PAGE_SIZE, offset };
    /** @type {Passage[]} */
    const passages = await callHelper('chunkReadHelper', body);
    if (offset === 0) list.replaceChildren();
    list.append(...passages.map(passage => makePassageRow(passage, rowOptions)));
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
    const close = () => editorPlace.replaceChildren();
    const editor = makePassageEditor({
      title: 'Nova passagem',
      draft: newDraft,
      saved: '',
      begin,
      limit,
      save: content => callHelper('createChunkHelper', { host_id: hostId, content, dataset_id: dataset.id }),
      onSaved: () => {
        close();
        void reload();
      },
      onCancel: close,
    });
    editorPlace.replaceChildren(editor);
    editorPlace.querySelector('textarea')?.focus();
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
