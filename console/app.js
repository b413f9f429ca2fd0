import { makeAssistantsView } from './assistants.js';
import { makeChatView } from './chat.js';
import { make } from './elements.js';
import { makeInboxView } from './inbox.js';
import { makeIndexView } from './index-health.js';
import { makeKnowledgeView } from './knowledge.js';
import { makeReportsView } from './reports.js';
import { makeSearchView } from './search.js';
import { getSession, setSession } from './service.js';
import { makeLinkView, makeSignInView, readSessionContext, takeSignInLink } from './sign-in.js';
import { makeEventsView } from './webhooks.js';

/** @typedef {import('./sign-in.js').SessionContext} SessionContext */

/*
 *   signed out --"Entrar"--> signed in --"Sair"--> signed out
 *
 * Each view is created once per session and then only hidden and shown, so that a conversation is kept while the
 * user looks at the reports.
 */

/**
 * `needs`: all the scopes without which a view would be an error.
 * @type {Record<string, { title: string, needs: string[], make: (context: SessionContext) => HTMLElement }>}
 */
const views = {
  atendimento: { title: 'Atendimento', needs: ['reason'], make: makeInboxView },
  conhecimento: { title: 'Conhecimento', needs: ['reason', 'manage'], make: makeKnowledgeView },
  assistentes: { title: 'Assistentes', needs: ['reason', 'manage'], make: makeAssistantsView },
  conversa: { title: 'Conversa', needs: ['reason'], make: makeChatView },
  busca: { title: 'Busca', needs: ['search'], make: makeSearchView },
  relatorios: { title: 'Relatórios', needs: ['report'], make: makeReportsView },
  eventos: { title: 'Eventos', needs: ['reason', 'manage'], make: makeEventsView },
  indice: { title: 'Índice', needs: ['admin'], make: makeIndexView },
};

/** The names of the views that the session may see. @param {SessionContext} context */
const listViews = ({ scopes }) =>
  Object.keys(views).filter(name => views[name]?.needs.every(scope => scopes.includes(scope)));

/** @param {string} id */
const findElement = id => /** @type {HTMLElement} */ (document.getElementById(id));
const main = findElement('conteudo');

/** @type {SessionContext | undefined} */
let context;
/** How many conversations wait for a person. */
let waiting = 0;
/** @type {Map<string, HTMLElement>} */
const viewsByName = new Map();

function showView() {
  const link = takeSignInLink();
  if (link) return showLink(link);
  if (!context) return;
  const hash = location.hash.slice(1);
  // The skip link leads to the content of the open view.
  if (hash === 'conteudo') return main.focus();
  const shown = listViews(context);
  const name = shown.includes(hash) ? hash : shown[0];
  if (name === undefined) return;
  for (const link of findElement('views').querySelectorAll('a')) {
    if (link.hash !== `#${name}`) link.removeAttribute('aria-current');
    else {
      link.setAttribute('aria-current', 'page');
      link.scrollIntoView({ block: 'nearest', inline: 'center' });
    }
  }
  if (!viewsByName.has(name)) viewsByName.set(name, openView(name, context));
  for (const [other, element] of viewsByName) element.hidden = other !== name;
  showTitle();
}

/** @param {string} name @param {SessionContext} context */
function openView(name, context) {
  const { title, make: makeView } = /** @type {(typeof views)[string]} */ (views[name]);
  const view = makeView(context);
  // Every page has a heading for those who do not see which link is the current one.
  view.prepend(make('h1', { className: 'unseen' }, title));
  main.append(view);
  return view;
}

/** In the title of the tab it is seen from other tabs, too. */
function showTitle() {
  const open = [...viewsByName].find(([, element]) => !element.hidden)?.[0] ?? '';
  const title = views[open]?.title;
  document.title = `${waiting > 0 && context ? `(${waiting}) ` : ''}${title ? `${title} · ` : ''}Parley`;
}

/** @param {SessionContext | undefined} next */
function showSession(next) {
  context = next;
  waiting = 0;
  viewsByName.clear();
  main.replaceChildren();
  const shown = next ? listViews(next) : [];
  findElement('views').hidden = !next;
  for (const link of findElement('views').querySelectorAll('a'))
    link.hidden = !shown.includes(link.hash.slice(1));
  findElement('session').hidden = !next;
  findElement('host-name').textContent = next?.host?.host_name ?? '';
  if (next && shown.length === 0)
    main.append(make('p', { className: 'card' }, 'Este acesso não permite ver nenhuma parte do painel.'));
  if (next) showView();
  else main.append(makeSignInView(showSession));
  showTitle();
}

/** @param {string} link */
function showLink(link) {
  setSession(undefined);
  showSession(undefined);
  main.replaceChildren(makeLinkView(link, showSession));
}

findElement('sign-out').addEventListener('click', () => {
  setSession(undefined);
  showSession(undefined);
});
addEventListener('hashchange', showView);
// Made anew with the present assistants; what was said there is stored.
async function readAvatarsAgain() {
  const next = context && (await readSessionContext().catch(() => undefined));
  if (!next) return;
  context = next;
  viewsByName.get('conversa')?.remove();
  viewsByName.delete('conversa');
  // It may be the view that is shown.
  showView();
}
addEventListener('parley-avatars', () => void readAvatarsAgain());
addEventListener('parley-waiting', event => {
  waiting = /** @type {CustomEvent<number>} */ (event).detail;
  showTitle();
});

const link = takeSignInLink();
if (link) showLink(link);
else showSession(getSession() ? await readSessionContext().catch(() => undefined) : undefined);
