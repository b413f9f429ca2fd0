import { dropDraft, readDraft, storeDraft } from '../drafts.ts';
import { callHelper } from '../service.ts';
import { makeButton, makeEmptyState, runAction } from './actions.js';
import { make, makeField } from './elements.js';
import { makeFlowSteps } from './flow-steps.js';
import { makeFlowVersions } from './flow-versions.js';

/** @typedef {import('./flow-steps.js').Step} Step */
/** @typedef {{ id: string, decisionName: string, chainJson: Step[], active: boolean, updatedAt: string }} Flow */
/** @typedef {{ agentName: string, schemaName: string }} Agent */

/** @type {Step[]} */
const firstSteps = [{ type: 'notification-conversation', content: '', description: '' }];

/**
 * The flow of an assistant: the one that runs, or a new one.
 * @param {{ hostId: string, avatarId: string, flows: Flow[], agents: Agent[] }} options
 */
export function makeFlowEditor({ hostId, avatarId, flows, agents }) {
  const place = make('div', { className: 'stack' });
  /** @type {{ readChangedSteps: () => Step[] | undefined } | undefined} */
  let form;
  /** @param {Flow | undefined} flow */
  const show = flow => {
    const made = makeFlowForm({ hostId, avatarId, flow, agents, onSaved: show });
    form = made;
    place.replaceChildren(
      made.element,
      ...(flow ? [makeFlowVersions({ hostId, flow, onRestored: show })] : []),
    );
  };
  const showNone = () => {
    const begin = makeButton('Criar um fluxo', () => show(undefined), 'quiet');
    const text = 'Um fluxo guia a conversa passo a passo. Sem ele, o assistente só segue as instruções.';
    place.replaceChildren(makeEmptyState('Este assistente não tem fluxo', text, begin));
  };
  const running =
    findRunningFlow(flows) ?? flows.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0];
  if (running || readDraft(draftOf(avatarId, undefined))) show(running);
  else showNone();
  return {
    element: make(
      'section',
      { className: 'card stack', 'aria-label': 'Fluxo' },
      make('h2', {}, 'Fluxo'),
      place,
    ),
    readChangedSteps: () => form?.readChangedSteps(),
  };
}

/** @param {string} avatarId @param {Flow | undefined} flow */
const draftOf = (avatarId, flow) => `flow:${flow?.id ?? avatarId}`;

/**
 * @param {{ hostId: string, avatarId: string, flow: Flow | undefined, agents: Agent[], onSaved: (flow: Flow) => void }} options
 */
function makeFlowForm({ hostId, avatarId, flow, agents, onSaved }) {
  const draft = draftOf(avatarId, flow);
  const saved = JSON.stringify(readParts(flow));
  const parts = readStored(draft) ?? readParts(flow);
  const name = make('input', { required: true, maxLength: 200, value: parts.name });
  const active = make('input', { type: 'checkbox', checked: parts.active });
  const note = make('span', { className: 'small', role: 'status' });
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const save = make('button', {}, 'Salvar fluxo');
  const read = () => ({ name: name.value.trim(), active: active.checked, steps: steps.read() });
  const noteChange = () => {
    const now = JSON.stringify(read());
    if (now === saved) dropDraft(draft);
    else storeDraft(draft, now);
    save.disabled = now === saved;
    note.textContent = now === saved ? '' : 'Há mudanças que ainda não foram salvas.';
  };
  const steps = makeFlowSteps(parts.steps, agents, noteChange);
  const element = make(
    'form',
    { className: 'stack', 'aria-label': 'Passos do fluxo' },
    make('div', { className: 'pair' }, makeField('Nome do fluxo', name), makeCheck('Ativo', active)),
    steps.element,
    outcome,
    make('div', { className: 'buttons' }, save, note),
  );
  element.addEventListener('input', noteChange);
  element.addEventListener('submit', event => {
    event.preventDefault();
    void runAction(save, outcome, async () => {
      const { name: decisionName, active: isActive, steps: chainJson } = read();
      const target = flow ? { id: flow.id, expectedUpdatedAt: flow.updatedAt } : { avatarId };
      const body = { hostId, ...target, decisionName, chainJson, active: isActive };
      const next = await callHelper('saveDecisionChainHelper', body);
      dropDraft(draft);
      onSaved(next);
    });
  });
  noteChange();
  return { element, readChangedSteps: () => (save.disabled ? undefined : read().steps) };
}

/**
 * Of several active flows, the one saved last runs.
 * @param {Flow[]} flows
 */
function findRunningFlow(flows) {
  return flows.filter(({ active }) => active).toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0];
}

/** @param {Flow | undefined} flow */
function readParts(flow) {
  return {
    name: flow?.decisionName ?? 'Atendimento',
    active: flow?.active ?? true,
    steps: flow?.chainJson ?? firstSteps,
  };
}

/** @param {string} draft @returns {{ name: string, active: boolean, steps: Step[] } | undefined} */
function readStored(draft) {
  const stored = readDraft(draft);
  return stored === undefined ? undefined : JSON.parse(stored);
}

/** @param {string} label @param {HTMLInputElement} box */
export function makeCheck(label, box) {
  return make('label', { className: 'check' }, box, label);
}
