import { labelled, make, select } from './elements.js';
import { errorBox } from './error-box.js';
import { currentSession, helper, ServiceError, setSession } from './service.js';

/** @typedef {import('./service.js').Host} Host */
/** @typedef {{ avatar_id: string, avatar_name: string, sub_slug: string, datasets: { dataset_name: string }[] }} Avatar */
/** @typedef {{ host?: Host, avatars: Avatar[] }} Place Without a host: the token may not list avatars. */

/**
 * Reads the host of the session and its avatars, which also validates the token.
 * @returns {Promise<Place>}
 */
export async function enter() {
  const { avatarsAdminList } = await helper('avatarsListHelper', { host_slug: currentSession()?.slug });
  return avatarsAdminList;
}

/**
 * The fields have no names: even without this script, submitting the form would put nothing into an address.
 * @param {(place: Place) => void} onEntered
 */
export function signInView(onEntered) {
  const token = make('input', { type: 'password', autocomplete: 'off', spellcheck: false, required: true });
  const slug = make('input', { autocomplete: 'off', spellcheck: false, required: true, value: 'demo' });
  const outcome = make('div', { 'aria-live': 'polite' });
  const button = make('button', {}, 'Entrar');
  const form = make(
    'form',
    { className: 'card sign-in' },
    make('h1', {}, 'Painel do Parley'),
    make('p', {}, 'Converse com o assistente, busque nos registros e veja os relatórios da sua instituição.'),
    labelled('Token de acesso', token, 'Fica só nesta aba, e é esquecido ao sair.'),
    labelled('Identificador da instituição', slug, 'Por exemplo: demo'),
    button,
    outcome,
  );

  /** @param {string} [chosen] @param {string} [chosenSlug] */
  const tryToEnter = async (chosen, chosenSlug = slug.value.trim()) => {
    setSession({ token: token.value.trim(), slug: chosenSlug, ...(chosen ? { chosen } : {}) });
    button.disabled = true;
    outcome.replaceChildren();
    try {
      onEntered(await enter());
    } catch (error) {
      outcome.replaceChildren(...afterTrouble(error, { onEntered, tryToEnter }));
    }
    button.disabled = false;
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    void tryToEnter();
  });
  return form;
}

/**
 * With a token for several hosts the page asks for one; a token that may not list avatars may still search or report.
 * @param {unknown} error
 * @param {{ onEntered: (place: Place) => void, tryToEnter: (chosen: string, slug: string) => Promise<void> }} ways
 */
function afterTrouble(error, { onEntered, tryToEnter }) {
  if (error instanceof ServiceError && error.availableHosts.length > 0) {
    return hostChoice(error.availableHosts, tryToEnter);
  }
  if (!(error instanceof ServiceError) || error.status !== 403) {
    const slug = currentSession()?.slug ?? '';
    setSession(undefined);
    const isUnknown = error instanceof ServiceError && error.status === 404;
    return [isUnknown ? unknownSlug(slug) : errorBox(error)];
  }
  const goOn = make('button', { type: 'button', className: 'quiet' }, 'Continuar sem a conversa');
  goOn.addEventListener('click', () => onEntered({ avatars: [] }));
  const hint = `O token não vale para a instituição “${currentSession()?.slug ?? ''}”, ou não tem permissão para ver os assistentes dela. Confira se o identificador está escrito certo.`;
  return [errorBox(error, make('p', {}, hint), goOn)];
}

/** @param {string} slug */
function unknownSlug(slug) {
  const text = `Este token não conhece nenhuma instituição com o identificador “${slug}”. Confira se está escrito certo.`;
  return make('div', { className: 'trouble', role: 'alert' }, make('strong', {}, text));
}

/**
 * @param {Host[]} hosts
 * @param {(chosen: string, slug: string) => Promise<void>} tryToEnter
 */
function hostChoice(hosts, tryToEnter) {
  const { field, row } = select(
    'Este token vale para várias instituições. Qual?',
    hosts.map(({ host_id, host_name }) => [host_id, host_name]),
  );
  const choose = make('button', { type: 'button' }, 'Escolher');
  choose.addEventListener('click', () => {
    const host = hosts.find(({ host_id }) => host_id === field.value);
    if (host) void tryToEnter(host.host_id, host.host_slug);
  });
  return [row, choose];
}
