import { searchIndex } from '../service.ts';
import { formatCount, make, makeField, makeSelect } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { renderHighlight } from './highlight.js';

/**
 * @typedef {{ origin_table: string, origin_id: string, score: number, matched_by: string[], title: string,
 *   highlight: string, updated_at: string }} Result
 */

const tables = new Map([
  ['conversations', 'Conversa'],
  ['leads', 'Lead'],
  ['tickets', 'Chamado'],
]);
const ways = new Map([
  ['fts', 'palavras'],
  ['trigram', 'semelhança'],
  ['phone', 'telefone'],
]);
const types = new Map([
  ['fts', 'palavras'],
  ['hybrid', 'palavras e semelhança'],
  ['similarity', 'semelhança'],
]);
const PAGE_SIZE = 20;

/** @type {Record<string, (query: string, offset: number) => Promise<{ results: Result[], status: string, hasMore: boolean }>>} */
const searches = {
  async unified(query) {
    const found = await searchIndex('search/unified', { query });
    const failed = Object.keys(found.errors);
    const status = formatCount(found.merged.length, 'resultado', 'resultados');
    const missing =
      failed.length > 0
        ? ` (sem resposta da busca por: ${failed.map(type => types.get(type) ?? type).join(', ')})`
        : '';
    return { results: found.merged, status: status + missing, hasMore: false };
  },
  hybrid: async (query, offset) => searchPage('search/hybrid', { query, limit: PAGE_SIZE, offset }),
  fts: async (query, offset) => searchPage('search/fts', { query, limit: PAGE_SIZE, offset }),
  phone: async (phone, offset) =>
    searchPage('search/phone', { phone, search_type: 'partial', limit: PAGE_SIZE, offset }),
};

/** @param {string} path @param {{ offset: number, [field: string]: string | number }} body */
async function searchPage(path, body) {
  const found = await searchIndex(path, body);
  const about = found.total_is_estimate ? 'cerca de ' : '';
  const took = Math.round(found.took_ms);
  return {
    results: found.results,
    status: `${about}${formatCount(found.total, 'resultado', 'resultados')} em ${took} ms`,
    hasMore: body.offset + found.results.length < found.total && found.results.length > 0,
  };
}

export function makeSearchView() {
  const query = make('input', { type: 'search', maxLength: 256, required: true });
  const { field: kind, row } = makeSelect('Como', [
    ['unified', 'Tudo de uma vez'],
    ['hybrid', 'Palavras e semelhança'],
    ['fts', 'Todas as palavras'],
    ['phone', 'Telefone'],
  ]);
  const button = make('button', {}, 'Buscar');
  const status = make('p', { className: 'small', role: 'status' });
  const list = make('ol', { className: 'results' });
  const more = make('button', { type: 'button', className: 'quiet', hidden: true }, 'Mais resultados');
  const form = make(
    'form',
    { className: 'card toolbar', role: 'search' },
    makeField('Buscar em conversas, leads e chamados', query),
    row,
    button,
  );
  /** The last query: further pages use it even if the fields have changed. */
  let lastQuery = { kind: 'unified', text: '' };

  const loadPage = async () => {
    button.disabled = true;
    more.hidden = true;
    const { kind, text } = lastQuery;
    try {
      const search = searches[kind] ?? searches['unified'];
      const found = await search?.(text, list.children.length);
      list.append(...(found?.results ?? []).map(makeResult));
      status.replaceChildren(list.children.length > 0 ? (found?.status ?? '') : 'Nada foi encontrado.');
      more.hidden = !found?.hasMore;
    } catch (error) {
      status.replaceChildren(makeErrorBox(error));
    }
    button.disabled = false;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    lastQuery = { kind: kind.value, text: query.value.trim() };
    list.replaceChildren();
    void loadPage();
  });
  more.addEventListener('click', () => void loadPage());
  return make('section', { 'aria-label': 'Busca' }, form, status, list, more);
}

/** @param {Result} result */
function makeResult({ origin_table, origin_id, score, matched_by, title, highlight, updated_at }) {
  const kind = tables.get(origin_table) ?? origin_table;
  const by = matched_by.map(way => ways.get(way) ?? way).join(', ');
  const when = new Date(updated_at).toLocaleString('pt-BR', { dateStyle: 'short', timeStyle: 'short' });
  return make(
    'li',
    { className: 'card result' },
    make('h2', {}, make('span', { className: 'tag' }, kind), title || 'Sem nome'),
    make('p', { className: 'highlight' }, renderHighlight(highlight)),
    make(
      'p',
      { className: 'small' },
      `${when} · achado por ${by} · nota ${score.toLocaleString('pt-BR', { maximumFractionDigits: 3 })} · `,
      make('code', {}, origin_id),
    ),
  );
}
