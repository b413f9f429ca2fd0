import { callHelper } from '../service.ts';
import { runAction } from './actions.js';
import { readDocument } from './document-file.js';
import { DocumentList } from './document-list.js';
import { make, makeField } from './elements.js';

const MAX_BYTES = 16 * 1_048_576;

/**
 * A file or an address becomes passages. The import goes on without this page.
 * @param {{ hostId: string, dataset: import('./knowledge.js').Dataset, onChanged: () => Promise<void> }} options
 */
export function makeImportForm({ hostId, dataset, onChanged }) {
  const file = make('input', { type: 'file', accept: '.pdf,.docx,.md,.markdown,.txt,.html,.htm,.csv' });
  const url = make('input', { type: 'url', placeholder: 'https://', maxLength: 2_000 });
  const begin = make('button', {}, 'Importar');
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const documents = new DocumentList({ hostId, datasetId: dataset.id, onChanged });

  const importDocument = async () => {
    const [chosen] = file.files ?? [];
    const wrong = findProblem(chosen, url.value.trim());
    if (wrong) return outcome.replaceChildren(make('p', { className: 'small over', role: 'alert' }, wrong));
    const document = chosen ? await readDocument(chosen) : documentAt(url.value.trim());
    await callHelper('importDocumentHelper', { hostId, dataset_id: dataset.id, ...document });
    form.reset();
    await documents.reload();
  };
  const form = make(
    'form',
    { className: 'stack' },
    make(
      'div',
      { className: 'pair' },
      makeField('Arquivo', file, 'PDF, Word, Markdown, texto, HTML ou CSV, até 16 MB.'),
      makeField('Ou um endereço', url, 'Uma página, ou um sitemap com até 200 páginas.'),
    ),
    outcome,
    make('div', { className: 'buttons' }, begin),
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(begin, outcome, importDocument);
  });
  return make(
    'section',
    { className: 'card stack', 'aria-label': 'Documentos' },
    make('h2', {}, 'Documentos'),
    form,
    documents.element,
  );
}

/** @param {File | undefined} file @param {string} url */
function findProblem(file, url) {
  if (!file && !url) return 'Escolha um arquivo, ou dê um endereço.';
  if (file && url) return 'Escolha um arquivo ou dê um endereço, não os dois.';
  return file && file.size > MAX_BYTES ? 'O arquivo tem mais de 16 MB: divida-o.' : undefined;
}

/** The same address replaces what it gave before. @param {string} url */
function documentAt(url) {
  return { name: url, external_key: url, url };
}
