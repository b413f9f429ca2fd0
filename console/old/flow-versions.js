import { confirmAction } from '../components/dialogs.tsx';
import { formatMoment } from '../format.ts';
import { callHelper } from '../service.ts';
import { makeButton, makeWaiting, runAction } from './actions.js';
import { formatCount, make } from './elements.js';
import { makeErrorBox } from './error-box.js';

/** @typedef {import('./flow-editor.js').Flow} Flow */
/** @typedef {{ version: number, savedAt: string, decisionName: string, chainJson: object[] }} Version */

/**
 * Earlier versions of a flow, read when they are asked for.
 * @param {{ hostId: string, flow: Flow, onRestored: (flow: Flow) => void }} options
 */
export function makeFlowVersions({ hostId, flow, onRestored }) {
  const list = make('ul', { className: 'plain' });
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const details = make(
    'details',
    {},
    make('summary', { className: 'small' }, 'Versões anteriores'),
    list,
    outcome,
  );
  const load = async () => {
    list.replaceChildren(makeWaiting('Carregando as versões…'));
    try {
      const { items } = await callHelper('flowVersionsListHelper', { hostId, id: flow.id });
      list.replaceChildren(...items.map(makeRow));
    } catch (error) {
      list.replaceChildren(makeErrorBox(error));
    }
  };
  /** @param {Version} version @param {number} index */
  const makeRow = ({ version, savedAt, decisionName, chainJson }, index) => {
    const steps = formatCount(chainJson.length, 'passo', 'passos');
    const restore = makeButton(
      'Restaurar',
      () => void runAction(restore, outcome, () => restoreVersion(version)),
      'quiet slim',
    );
    const text = `${formatMoment(savedAt)} · ${decisionName} · ${steps}`;
    return make(
      'li',
      {},
      make('span', {}, text),
      index === 0 ? make('span', { className: 'tag' }, 'atual') : restore,
    );
  };
  /** @param {number} version */
  const restoreVersion = async version => {
    const question = {
      title: 'Restaurar esta versão?',
      text: 'O fluxo volta a ser como era. A versão de agora fica na lista, e pode ser restaurada também.',
      action: 'Restaurar',
    };
    if (!(await confirmAction(question))) return;
    const body = { hostId, id: flow.id, version, expectedUpdatedAt: flow.updatedAt };
    onRestored(await callHelper('restoreFlowVersionHelper', body));
  };
  details.addEventListener('toggle', () => {
    if (details.open) void load();
  });
  return details;
}
