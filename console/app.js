import { chatView } from './chat.js';
import { indexView } from './index-health.js';
import { reportsView } from './reports.js';
import { searchView } from './search.js';
import { currentSession, setSession } from './service.js';
import { enter, signInView } from './sign-in.js';

/** @typedef {import('./sign-in.js').Place} Place */

/*
 *   signed out --enter--> signed in --"Sair"--> signed out
 *
 * Each view is created once per session and then only hidden and shown, so that a conversation is kept while the
 * user looks at the reports.
 */

/** @type {Record<string, { title: string, make: (place: Place) => HTMLElement }>} */
const views = {
  conversa: { title: 'Conversa', make: chatView },
  busca: { title: 'Busca', make: searchView },
  relatorios: { title: 'Relatórios', make: reportsView },
  indice: { title: 'Índice', make: indexView },
};

/** @param {string} id */
const byId = id => /** @type {HTMLElement} */ (document.getElementById(id));
const main = byId('conteudo');

/** @type {Place | undefined} */
let place;
/** @type {Map<string, HTMLElement>} */
const made = new Map();

function showView() {
  if (!place) return;
  const wanted = location.hash.slice(1);
  // The skip link leads to the content of the open view.
  if (wanted === 'conteudo') return main.focus();
  const name = Object.hasOwn(views, wanted) ? wanted : 'conversa';
  const { title, make } = /** @type {(typeof views)[string]} */ (views[name]);
  document.title = `${title} · Parley`;
  for (const link of byId('views').querySelectorAll('a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const view = made.get(name) ?? make(place);
  if (!made.has(name)) main.append(view);
  made.set(name, view);
  for (const [other, element] of made) element.hidden = other !== name;
}

/** @param {Place | undefined} next */
function showSession(next) {
  place = next;
  made.clear();
  main.replaceChildren();
  byId('views').hidden = !next;
  byId('session').hidden = !next;
  byId('host-name').textContent = next?.host?.host_name ?? '';
  if (next) showView();
  else main.append(signInView(showSession));
}

byId('sign-out').addEventListener('click', () => {
  setSession(undefined);
  document.title = 'Parley';
  showSession(undefined);
});
addEventListener('hashchange', showView);

showSession(currentSession() ? await enter().catch(() => undefined) : undefined);
