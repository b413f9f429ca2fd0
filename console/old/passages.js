import { readDraft } from '../drafts.ts';
import { callHelper } from '../service.ts';
import { makeButton, makeEmptyState, makeWaiting, runAction } from './actions.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makePassageEditor } from './passage-editor.js';
import { makePassageRow } from './passage-row.js';

/** @typedef {import('./passage-row.js').Passage} Passage */
/**
 * @typedef {{ host: import('./knowledge.js').Host, dataset: import('./knowledge.js').Dataset,
 *   reader: import('./knowledge.js').Avatar | undefined }} PassagesOptions
 */

const PAGE_SIZE = 20;

/** The passages of a dataset, newest first. They are read through an assistant that may read the dataset. */
export class Passages {
  #options;
  #list = make('ul', { className: 'results' });
  #outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  #editor = make('div', {});
  #more = makeButton('Mais passagens', () => void this.#readMore(), 'quiet');
  element;

  /** @param {PassagesOptions} options */
  constructor(options) {
    this.#options = options;
    const add = makeButton('Escrever passagem', () => this.write());
    const head = make('div', { className: 'head' }, make('h2', {}, 'Passagens'), add);
    const parts = [head, this.#editor, this.#outcome, this.#list, this.#more];
    this.element = make('section', { className: 'stack', 'aria-label': 'Passagens' }, ...parts);
    if (readDraft(this.#draft) !== undefined) this.write();
    void this.reload();
  }

  get #draft() {
    return `passage:new:${this.#options.dataset.id}`;
  }

  async reload() {
    this.#more.hidden = true;
    this.#list.replaceChildren(make('li', {}, makeWaiting('Carregando as passagens…')));
    try {
      await this.#readPage();
    } catch (error) {
      const retry = makeButton('Tentar de novo', () => void this.reload(), 'quiet');
      this.#list.replaceChildren(make('li', {}, makeErrorBox(error, retry)));
    }
  }

  #readMore() {
    return runAction(this.#more, this.#outcome, () => this.#readPage());
  }

  async #readPage() {
    const { host, dataset, reader } = this.#options;
    if (!reader) return this.#list.replaceChildren(make('li', {}, makeUnread()));
    const offset = this.#list.querySelectorAll(':scope > .passage').length;
    const target = { hostId: host.host_id, avatar_id: reader.avatar_id, dataset_ids: [dataset.id] };
    /** @type {Passage[]} */
    const passages = await callHelper('chunkReadHelper', { ...target, limit: PAGE_SIZE, offset });
    if (offset === 0) this.#list.replaceChildren();
    this.#list.append(...passages.map(passage => this.#makeRow(passage)));
    this.#more.hidden = passages.length < PAGE_SIZE;
    if (this.#list.children.length > 0) return;
    const write = makeButton('Escrever passagem', () => this.write());
    const text = 'Cada passagem é um assunto com que os assistentes respondem.';
    const none = makeEmptyState('Esta base ainda não tem passagens', text, write);
    this.#list.append(make('li', { className: 'card' }, none));
  }

  /** @param {Passage} passage */
  #makeRow(passage) {
    const { host, dataset } = this.#options;
    return makePassageRow(passage, {
      hostId: host.host_id,
      datasetId: dataset.id,
      limit: host.host_config?.chunk_size_limit,
      outcome: this.#outcome,
      onDeleted: () => {
        if (this.#list.children.length === 0) void this.reload();
      },
    });
  }

  /** Opens the editor of a new passage. @param {string} [begin] */
  write(begin = '') {
    const { host, dataset } = this.#options;
    const close = () => this.#editor.replaceChildren();
    const editor = makePassageEditor({
      title: 'Nova passagem',
      draft: this.#draft,
      saved: '',
      begin,
      limit: host.host_config?.chunk_size_limit,
      save: content =>
        callHelper('createChunkHelper', { host_id: host.host_id, content, dataset_id: dataset.id }),
      onSaved: () => {
        close();
        void this.reload();
      },
      onCancel: close,
    });
    this.#editor.replaceChildren(editor);
    editor.querySelector('textarea')?.focus();
  }
}

function makeUnread() {
  const text =
    'Marque acima um assistente que leia esta base: as passagens aparecem aqui, e ele passa a responder com elas.';
  return makeEmptyState('Nenhum assistente lê esta base', text);
}
