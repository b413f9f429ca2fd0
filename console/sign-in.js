import { makeButton } from './actions.js';
import { make, makeField, makeSelect } from './elements.js';
import { isDisabled, makeErrorBox } from './error-box.js';
import { callHelper, exchangeLink, getSession, readScopes, ServiceError, setSession } from './service.js';

/** @typedef {import('./service.js').Host} Host */
/** @typedef {{ avatar_id: string, avatar_name: string, sub_slug: string, datasets: { dataset_name: string, dataset_id: string }[] }} Avatar */
/** @typedef {{ host?: Host, avatars: Avatar[], scopes: string[] }} SessionContext Without a host: the token may not list avatars. */

/**
 * Reads what the session may do, its host and its avatars, which also validates the token.
 * @returns {Promise<SessionContext>}
 */
export async function readSessionContext() {
  const scopes = await readScopes();
  if (!scopes.includes('reason')) return { avatars: [], scopes };
  const { avatarsAdminList } = await callHelper('avatarsListHelper', { host_slug: getSession()?.slug });
  const { host, avatars } = avatarsAdminList;
  return { host, avatars, scopes };
}

const linkForm = /^#entrar=(lnk_[0-9A-Za-z]+)$/;

/** The secret of the sign-in link by which this page was opened; it is taken out of the address and the history at once. */
export function takeSignInLink() {
  const [, link] = linkForm.exec(location.hash) ?? [];
  if (link) history.replaceState(null, '', location.pathname);
  return link;
}

/**
 * The link is used when the person agrees, not when it is opened: programs that check mail open links, too.
 * @param {string} link
 * @param {(context: SessionContext) => void} onSignedIn
 */
export function makeLinkView(link, onSignedIn) {
  const outcome = make('div', { 'aria-live': 'polite' });
  const button = make('button', {}, 'Entrar no painel');
  const form = make(
    'form',
    { className: 'card sign-in' },
    make('h1', {}, 'Painel do Parley'),
    make('p', {}, 'Este link vale uma vez, por 10 minutos.'),
    button,
    outcome,
  );
  const enter = async () => {
    button.disabled = true;
    try {
      const { token, hostSlug, name } = await exchangeLink(link);
      setSession({ token, slug: hostSlug, ...(name === UNNAMED ? {} : { name }) });
    } catch (error) {
      const isUsed = error instanceof ServiceError && error.status === 401;
      outcome.replaceChildren(isUsed ? makeUsedLinkBox() : makeErrorBox(error));
      button.disabled = false;
      button.hidden = isUsed;
      return;
    }
    // The link is used up: what fails from here on is tried again with its token.
    await readSessionContext()
      .then(onSignedIn)
      .catch(error => {
        const retry = makeButton('Tentar de novo', () => location.reload(), 'quiet');
        outcome.replaceChildren(makeErrorBox(error, retry));
      });
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void enter();
  });
  return form;
}

/** The name of the token of a link that was made without one. */
const UNNAMED = 'console';

function makeUsedLinkBox() {
  return make(
    'div',
    { className: 'trouble', role: 'alert' },
    make('strong', {}, 'Este link já foi usado ou venceu'),
    make('p', {}, 'Peça outro a quem cuida do Parley, ou entre com um token.'),
    makeButton('Entrar com um token', () => location.reload(), 'quiet'),
  );
}

/**
 * The fields have no names: even without this script, submitting the form would put nothing into an address.
 * @param {(context: SessionContext) => void} onSignedIn
 */
export function makeSignInView(onSignedIn) {
  const token = make('input', { type: 'password', autocomplete: 'off', spellcheck: false, required: true });
  const slug = make('input', { autocomplete: 'off', spellcheck: false, required: true, value: 'demo' });
  const outcome = make('div', { 'aria-live': 'polite' });
  const button = make('button', {}, 'Entrar');
  const form = make(
    'form',
    { className: 'card sign-in' },
    make('h1', {}, 'Painel do Parley'),
    make(
      'p',
      {},
      'Atenda clientes, cuide do conhecimento e dos assistentes, e veja os relatórios da sua instituição.',
    ),
    makeField('Token de acesso', token, 'Fica só nesta aba, e é esquecido ao sair.'),
    makeField('Identificador da instituição', slug, 'Por exemplo: demo'),
    button,
    outcome,
  );

  /** @param {string} [chosen] @param {string} [chosenSlug] */
  const signIn = async (chosen, chosenSlug = slug.value.trim()) => {
    setSession({ token: token.value.trim(), slug: chosenSlug, ...(chosen ? { chosen } : {}) });
    button.disabled = true;
    outcome.replaceChildren();
    try {
      onSignedIn(await readSessionContext());
    } catch (error) {
      outcome.replaceChildren(...makeErrorElements(error, signIn));
    }
    button.disabled = false;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void signIn();
  });
  return form;
}

/**
 * With a token for several hosts the page asks for one.
 * @param {unknown} error
 * @param {(chosen: string, slug: string) => Promise<void>} signIn
 */
function makeErrorElements(error, signIn) {
  if (error instanceof ServiceError && error.availableHosts.length > 0) {
    return makeHostChoice(error.availableHosts, signIn);
  }
  const slug = getSession()?.slug ?? '';
  setSession(undefined);
  const status = error instanceof ServiceError ? error.status : -1;
  if (status === 404) return [makeUnknownSlugBox(slug)];
  const isForbidden = status === 403 && !isDisabled(error);
  const hint = `O token não vale para a instituição “${slug}”. Confira se o identificador está escrito certo.`;
  return [makeErrorBox(error, ...(isForbidden ? [make('p', {}, hint)] : []))];
}

/** @param {string} slug */
function makeUnknownSlugBox(slug) {
  const text = `Este token não conhece nenhuma instituição com o identificador “${slug}”. Confira se está escrito certo.`;
  return make('div', { className: 'trouble', role: 'alert' }, make('strong', {}, text));
}

/**
 * @param {Host[]} hosts
 * @param {(chosen: string, slug: string) => Promise<void>} signIn
 */
function makeHostChoice(hosts, signIn) {
  const { field, row } = makeSelect(
    'Este token vale para várias instituições. Qual?',
    hosts.map(({ host_id, host_name }) => [host_id, host_name]),
  );
  const choose = make('button', { type: 'button' }, 'Escolher');
  choose.addEventListener('click', () => {
    const host = hosts.find(({ host_id }) => host_id === field.value);
    if (host) void signIn(host.host_id, host.host_slug);
  });
  return [row, choose];
}
