import { confirmAction } from '../components/dialogs.tsx';
import { formatMoment } from '../format.ts';
import { callHelper } from '../service.ts';
import { makeButton, runAction } from './actions.js';
import { formatCount, make } from './elements.js';
import { watchImport } from './import-progress.js';
import { reasonText } from './import-reasons.js';
import { makeLoadError } from './split-view.js';

/**
 * @typedef {{ id: string, name: string, passages: number, state: 'waiting' | 'running' | 'ready' | 'failed', reason?: string,
 *   job_id: string, updated_at: string }} ImportedDocument
 */

/** The documents of a dataset, newest first; one that is being imported shows how far it is. */
export class DocumentList {
  #options;
  #list = make('ul', { className: 'plain documents' });
  #outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  #more = makeButton('Mais documentos', () => void this.#readMore(), 'quiet');
  /** The imports for which the person does not want to wait. @type {Set<string>} */
  #unwatched = new Set();
  /** @type {string | null} */
  #cursor = null;
  element = make('div', { className: 'stack' }, this.#outcome, this.#list, this.#more);

  /** @param {{ hostId: string, datasetId: string, onChanged: () => Promise<void> }} options */
  constructor(options) {
    this.#options = options;
    void this.reload();
  }

  async reload() {
    this.#cursor = null;
    this.#more.hidden = true;
    try {
      await this.#readPage();
    } catch (error) {
      this.#list.replaceChildren(
        make(
          'li',
          {},
          makeLoadError(error, () => void this.reload()),
        ),
      );
    }
  }

  #readMore() {
    return runAction(this.#more, this.#outcome, () => this.#readPage());
  }

  async #readPage() {
    const { hostId, datasetId } = this.#options;
    const page = this.#cursor ? { cursor: this.#cursor } : {};
    /** @type {{ items: ImportedDocument[], nextCursor: string | null }} */
    const found = await callHelper('documentsListHelper', { hostId, dataset_id: datasetId, ...page });
    if (!this.#cursor) this.#list.replaceChildren();
    this.#cursor = found.nextCursor;
    this.#more.hidden = !found.nextCursor;
    this.#list.append(...found.items.map(document => this.#makeRow(document)));
    const isEmpty = this.#list.children.length === 0;
    if (isEmpty) this.#list.append(make('li', { className: 'small' }, 'Nenhum documento importado ainda.'));
  }

  /** @param {ImportedDocument} document */
  #makeRow(document) {
    const { name, state, job_id: jobId } = document;
    const remove = makeButton(
      'Excluir',
      () => void runAction(remove, this.#outcome, () => this.#deleteDocument(document)),
      'quiet slim',
    );
    const isImporting = state === 'waiting' || state === 'running';
    const isWatched = isImporting && jobId !== '' && !this.#unwatched.has(jobId);
    const about = isWatched ? [] : [make('div', { className: 'small' }, describe(document))];
    const progress = isWatched ? [this.#watch(jobId, name)] : [];
    return make('li', {}, make('div', {}, make('strong', {}, name), ...about), remove, ...progress);
  }

  /** @param {string} jobId @param {string} name */
  #watch(jobId, name) {
    return watchImport({
      jobId,
      name,
      onEnd: async () => {
        await Promise.all([this.reload(), this.#options.onChanged()]);
      },
      onStop: () => {
        this.#unwatched.add(jobId);
        void this.reload();
      },
    });
  }

  /** @param {ImportedDocument} document */
  async #deleteDocument({ id, name }) {
    const question = {
      title: `Excluir “${name}”?`,
      text: 'As passagens que vieram dele também são excluídas. Uma importação que ainda corre termina sem mudar nada.',
      action: 'Excluir documento',
    };
    if (!(await confirmAction(question))) return;
    await callHelper('deleteDocumentHelper', { hostId: this.#options.hostId, id });
    await Promise.all([this.reload(), this.#options.onChanged()]);
  }
}

/** @param {ImportedDocument} document */
function describe({ state, reason, passages, updated_at }) {
  const count = formatCount(passages, 'passagem', 'passagens');
  if (state === 'failed') {
    const before = passages > 0 ? ` Valem as ${count} de antes.` : '';
    return `Não foi importado: ${reasonText(reason)}${before}`;
  }
  if (state !== 'ready') return 'A importação continua; a lista mostra o fim quando for recarregada.';
  return `${count} · ${formatMoment(updated_at)}`;
}
