import { makeChatView } from './chat.js';
import { makeIndexView } from './index-health.js';
import { makeReportsView } from './reports.js';
import { makeSearchView } from './search.js';
import { getSession, setSession } from './service.js';
import { makeSignInView, readSessionContext } from './sign-in.js';

/** @typedef {import('./sign-in.js').SessionContext} SessionContext */

/*
 *   signed out --"Entrar"--> signed in --"Sair"--> signed out
 *
 * Each view is created once per session and then only hidden and shown, so that a conversation is kept while the
 * user looks at the reports.
 */

/** @type {Record<string, { title: string, make: (context: SessionContext) => HTMLElement }>} */
const views = {
  conversa: { title: 'Conversa', make: makeChatView },
  busca: { title: 'Busca', make: makeSearchView },
  relatorios: { title: 'Relatórios', make: makeReportsView },
  indice: { title: 'Índice', make: makeIndexView },
};

/** @param {string} id */
const findElement = id => /** @type {HTMLElement} */ (document.getElementById(id));
const main = findElement('conteudo');

/** @type {SessionContext | undefined} */
let context;
/** @type {Map<string, HTMLElement>} */
const viewsByName = new Map();

function showView() {
  if (!context) return;
  const hash = location.hash.slice(1);
  // The skip link leads to the content of the open view.
  if (hash === 'conteudo') return main.focus();
  const name = Object.hasOwn(views, hash) ? hash : 'conversa';
  const { title, make } = /** @type {(typeof views)[string]} */ (views[name]);
  document.title = `${title} · Parley`;
  for (const link of findElement('views').querySelectorAll('a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const view = viewsByName.get(name) ?? make(context);
  if (!viewsByName.has(name)) main.append(view);
  viewsByName.set(name, view);
  for (const [other, element] of viewsByName) element.hidden = other !== name;
}

/** @param {SessionContext | undefined} next */
function showSession(next) {
  context = next;
  viewsByName.clear();
  main.replaceChildren();
  findElement('views').hidden = !next;
  findElement('session').hidden = !next;
  findElement('host-name').textContent = next?.host?.host_name ?? '';
  if (next) showView();
  else main.append(makeSignInView(showSession));
}

findElement('sign-out').addEventListener('click', () => {
  setSession(undefined);
  document.title = 'Parley';
  showSession(undefined);
});
addEventListener('hashchange', showView);

showSession(getSession() ? await readSessionContext().catch(() => undefined) : undefined);
