import { submitOnEnter } from './actions.js';
import { make, makeField, makeSelect } from './elements.js';

/** @typedef {import('../shell/session.ts').Avatar} Avatar */

/**
 * The elements of the chat view: choice of the assistant, data of the user, messages, and the input.
 * @param {Avatar[]} avatars
 * @param {string} [chosen]
 */
export function makeChatFrame(avatars, chosen) {
  const { avatar, row, datasetNames, avatarName } = makeAvatarChoice(avatars, chosen);
  const { person, readUserData } = makePersonFields();
  const { form, question, send } = makeAskForm();
  const trial = make('p', { className: 'small' }, 'Conversa de teste: não conta como atendimento.');
  const newChat = make('button', { type: 'button', className: 'quiet' }, 'Nova conversa');
  const giveBack = make('button', { type: 'button' }, 'Devolver ao assistente');
  const handover = make(
    'div',
    { className: 'handover', role: 'status', hidden: true },
    make('span', {}, 'Esta conversa espera por uma pessoa da equipe.'),
    giveBack,
  );
  const log = make('div', { className: 'log', role: 'log', 'aria-label': 'Mensagens', tabIndex: 0 });
  const view = make(
    'section',
    { className: 'chat', 'aria-label': 'Conversa' },
    make('div', { className: 'card chat-side' }, row, datasetNames, person, trial, newChat),
    make('div', { className: 'card chat-main' }, handover, log, form),
  );
  /** While a question is pending, no other question or conversation can be started. @param {boolean} isBusy */
  const setBusy = isBusy => {
    for (const part of [send, newChat, avatar]) part.disabled = isBusy;
    log.setAttribute('aria-busy', String(isBusy));
  };
  const readDetails = () => ({ ...(avatar.value ? { subSlug: avatar.value } : {}), ...readUserData() });
  return {
    view,
    log,
    handover,
    giveBack,
    form,
    question,
    send,
    newChat,
    avatar,
    avatarName,
    setBusy,
    readDetails,
  };
}

/** @param {Avatar[]} avatars @param {string} [last] */
function makeAvatarChoice(avatars, last) {
  const { field: avatar, row } = makeSelect(
    'Assistente',
    avatars.map(each => [each.sub_slug, formatLabel(each, avatars)]),
  );
  if (avatars.some(({ sub_slug }) => sub_slug === last)) avatar.value = last ?? '';
  const datasetNames = make('p', { className: 'small reads' });
  const chosen = () => avatars.find(({ sub_slug }) => sub_slug === avatar.value);
  const showDatasets = () => {
    const names = (chosen()?.datasets ?? []).map(({ dataset_name }) => dataset_name);
    datasetNames.textContent =
      names.length > 0 ? `Lê: ${names.join(', ')}` : 'Não lê nenhuma base de conhecimento.';
  };
  avatar.addEventListener('change', showDatasets);
  showDatasets();
  return { avatar, row, datasetNames, avatarName: () => chosen()?.avatar_name ?? 'O assistente' };
}

/**
 * The slug distinguishes assistants with the same name.
 * @param {Avatar} avatar
 * @param {Avatar[]} all
 */
function formatLabel({ avatar_name, sub_slug }, all) {
  const isOnly = all.filter(other => other.avatar_name === avatar_name).length === 1;
  return isOnly ? avatar_name : `${avatar_name} (${sub_slug})`;
}

function makePersonFields() {
  const name = make('input', { autocomplete: 'off' });
  const email = make('input', { type: 'email', autocomplete: 'off' });
  const person = make(
    'details',
    {},
    make('summary', {}, 'Quem pergunta'),
    make('div', { className: 'person' }, makeField('Nome', name), makeField('E-mail', email)),
  );
  const readUserData = () => {
    const entries = Object.entries({ name: name.value.trim(), email: email.value.trim() });
    const filled = entries.filter(([, value]) => value !== '');
    return filled.length > 0 ? { userData: Object.fromEntries(filled) } : {};
  };
  return { person, readUserData };
}

function makeAskForm() {
  const question = make('textarea', { rows: 2, maxLength: 16_000, placeholder: 'Escreva uma mensagem' });
  const send = make('button', {}, 'Enviar');
  const form = make('form', { className: 'ask' }, makeField('Mensagem', question), send);
  submitOnEnter(question, form);
  return { form, question, send };
}
