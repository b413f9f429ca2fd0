import { callHelper } from '../service.ts';
import { readAvatarsAgain } from '../shell/session.ts';
import { makeButton, makeEmptyState, makeWaiting } from './actions.js';
import { makeAssistantForm } from './assistant-form.js';
import { makeNewAssistantForm } from './assistant-new.js';
import { makeTrial } from './assistant-trial.js';
import { make } from './elements.js';
import { makeFlowEditor } from './flow-editor.js';
import { makeLoadError, makeSplitView } from './split-view.js';

/** @typedef {import('../shell/session.ts').Avatar} Avatar */

/** @param {import('../shell/session.ts').SessionContext} context */
export function makeAssistantsView({ host }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite ver assistentes.');
  const split = makeSplitView({
    title: 'Assistentes',
    label: 'Assistentes da instituição',
    addText: 'Novo assistente',
    onAdd: show => show(makeNewAssistantForm(host, id => void load(id).then(tellOthers))),
  });
  const { list, begin } = split;

  /** @param {string} [chosenId] */
  const load = async chosenId => {
    const show = begin();
    show(makeWaiting('Carregando os assistentes…'));
    try {
      const { avatarsAdminList } = await callHelper('avatarsListHelper', { host_slug: host.host_slug });
      /** @type {Avatar[]} */
      const avatars = avatarsAdminList.avatars;
      list.replaceChildren(...avatars.map(avatar => makeChoice(avatar, () => void open(avatar))));
      const chosen = avatars.find(({ avatar_id: id }) => id === chosenId) ?? avatars[0];
      if (chosen) await open(chosen, show);
      else show(makeNone(split.add));
    } catch (error) {
      show(makeLoadError(error, () => void load(chosenId)));
    }
  };
  /** @param {Avatar} avatar @param {import('./split-view.js').Show} [show] */
  const open = async (avatar, show = begin()) => {
    split.mark(avatar.avatar_id);
    show(makeWaiting('Carregando o assistente…'));
    try {
      show(...(await makeEditor(host, avatar, () => void afterChange(avatar.avatar_id))));
    } catch (error) {
      show(makeLoadError(error, () => void open(avatar)));
    }
  };
  /** @param {string} id */
  const afterChange = async id => {
    const { avatarsAdminList } = await callHelper('avatarsListHelper', { host_slug: host.host_slug });
    const changed = avatarsAdminList.avatars.find((/** @type {Avatar} */ each) => each.avatar_id === id);
    const choice = [...list.querySelectorAll('button')].find(({ dataset }) => dataset['id'] === id);
    if (choice && changed) choice.replaceChildren(...makeChoiceContent(changed));
    tellOthers();
  };
  void load();
  return split.element;
}

/** Other views show the assistants, too. */
function tellOthers() {
  void readAvatarsAgain();
}

/**
 * @param {import('../service.ts').Host} host
 * @param {Avatar} avatar
 * @param {() => void} onSaved
 */
async function makeEditor(host, avatar, onSaved) {
  const { host_id: hostId } = host;
  const [saved, models, flows, { agents }] = await Promise.all([
    callHelper('readAvatarHelper', { host_id: hostId, avatar_id: avatar.avatar_id }),
    callHelper('modelListHelper', {}),
    callHelper('decisionChainsListHelper', { hostId, avatarIds: [avatar.avatar_id] }),
    callHelper('agentsListHelper', { hostId }),
  ]);
  const form = makeAssistantForm({ hostId, saved, models, onSaved });
  const flow = makeFlowEditor({ hostId, avatarId: avatar.avatar_id, flows, agents });
  const trial = makeTrial({ host, avatar, readChanges: form.readChanges, readSteps: flow.readChangedSteps });
  return [form.element, trial, flow.element];
}

/** @param {Avatar} avatar @param {() => void} onOpen */
function makeChoice(avatar, onOpen) {
  const choice = makeButton('', onOpen, 'row');
  choice.dataset['id'] = avatar.avatar_id;
  choice.append(...makeChoiceContent(avatar));
  return make('li', {}, choice);
}

/** @param {Avatar} avatar */
function makeChoiceContent({ avatar_name, sub_slug }) {
  return [make('strong', {}, avatar_name), make('span', { className: 'small' }, sub_slug)];
}

/** @param {HTMLElement} add */
function makeNone(add) {
  const again = makeButton('Criar o primeiro assistente', () => add.click());
  return make(
    'div',
    { className: 'card' },
    makeEmptyState(
      'Nenhum assistente ainda',
      'Um assistente responde com o conhecimento que você lhe der.',
      again,
    ),
  );
}
