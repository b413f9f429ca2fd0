import { makeButton } from './actions.js';
import { make, makeField, makeSelect } from './elements.js';

/** @typedef {{ agentName: string, schemaName: string }} Agent */
/** @typedef {{ type: string, content: string, description: string, canRepeat?: boolean, agents?: Agent[] }} Step */

/** @type {[string, string][]} */
const kinds = [
  ['notification-conversation', 'Orientar o assistente'],
  ['notification-trigger', 'Quando algo acontecer, orientar e agir'],
  ['message', 'Enviar uma mensagem pronta'],
  ['agent', 'Rodar um agente'],
  ['handoff', 'Passar a uma pessoa da equipe'],
  ['end', 'Encerrar a conversa'],
];
const contentLabels = new Map([
  ['message', 'Mensagem'],
  ['notification-conversation', 'Orientação'],
]);

/**
 * The steps of a flow, in their order. What this page does not show of a step is kept.
 * @param {Step[]} steps
 * @param {Agent[]} agents Of the host.
 * @param {() => void} onChange
 */
export function makeFlowSteps(steps, agents, onChange) {
  const list = make('ol', { className: 'steps' });
  /** @type {Map<HTMLElement, () => Step>} */
  const readers = new Map();
  /** @param {HTMLElement} row @param {number} by */
  const move = (row, by) => {
    const rows = [...list.children];
    const other = rows[rows.indexOf(row) + by];
    if (!other) return;
    if (by < 0) other.before(row);
    else other.after(row);
    row.querySelector('button')?.focus();
    onChange();
  };
  /** @param {HTMLElement} row */
  const remove = row => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    next?.querySelector('select')?.focus();
    onChange();
  };
  /** @param {Step} step */
  const add = step => {
    const { row, read } = makeStepRow(step, agents, { move, remove });
    readers.set(row, read);
    list.append(row);
    return row;
  };
  for (const step of steps) add(step);
  const more = makeButton(
    'Acrescentar passo',
    () => {
      add({ type: 'notification-conversation', content: '', description: '' })
        .querySelector('select')
        ?.focus();
      onChange();
    },
    'quiet',
  );
  return {
    element: make('div', { className: 'stack' }, list, make('div', { className: 'buttons' }, more)),
    read: () => [...list.children].flatMap(row => readers.get(/** @type {HTMLElement} */ (row))?.() ?? []),
  };
}

/**
 * @param {Step} step
 * @param {Agent[]} agents
 * @param {{ move: (row: HTMLElement, by: number) => void, remove: (row: HTMLElement) => void }} actions
 */
function makeStepRow(step, agents, { move, remove }) {
  const isKnown = kinds.some(([kind]) => kind === step.type);
  const { field: kind, row: kindRow } = makeSelect(
    'Passo',
    isKnown ? kinds : [[step.type, step.type], ...kinds],
  );
  kind.value = step.type;
  const description = make('input', { maxLength: 20_000, value: step.description });
  const content = make('textarea', { rows: 2, maxLength: 20_000, value: step.content });
  const contentRow = makeField('Conteúdo', content);
  const showLabel = () => {
    const label = contentRow.querySelector('label');
    if (label) label.textContent = contentLabels.get(kind.value) ?? 'Condição, em palavras';
  };
  kind.addEventListener('change', showLabel);
  showLabel();
  const choice = makeAgentChoice(step.agents ?? [], agents);
  const row = make('li', { className: 'step' });
  row.append(
    make('div', { className: 'pair' }, kindRow, makeField('Para que serve', description)),
    contentRow,
    ...choice.elements,
    make(
      'div',
      { className: 'buttons' },
      makeStepButton('Subir', () => move(row, -1)),
      makeStepButton('Descer', () => move(row, 1)),
      makeStepButton('Remover', () => remove(row)),
    ),
  );
  const read = () => ({
    ...step,
    type: kind.value,
    content: content.value,
    description: description.value,
    ...choice.read(),
  });
  return { row, read };
}

/** @param {string} text @param {() => void} onClick */
const makeStepButton = (text, onClick) => makeButton(text, onClick, 'quiet slim');

/** @param {Agent[]} chosen @param {Agent[]} all */
function makeAgentChoice(chosen, all) {
  /** @param {Agent} agent */
  const isChosen = ({ agentName }) => chosen.some(each => each.agentName === agentName);
  const offered = [...chosen, ...all.filter(agent => !isChosen(agent))];
  const boxes = offered.map(agent => ({
    agent,
    box: make('input', { type: 'checkbox', checked: isChosen(agent) }),
  }));
  const labels = boxes.map(({ agent, box }) => make('label', { className: 'check' }, box, agent.agentName));
  const title =
    chosen.length > 0 ? `Agentes: ${chosen.map(({ agentName }) => agentName).join(', ')}` : 'Agentes';
  const details = make('details', {}, make('summary', { className: 'small' }, title), ...labels);
  return {
    elements: offered.length > 0 ? [details] : [],
    read: () => {
      const agents = boxes
        .filter(({ box }) => box.checked)
        .map(({ agent: { agentName, schemaName } }) => ({ agentName, schemaName }));
      return agents.length > 0 || chosen.length > 0 ? { agents } : {};
    },
  };
}
