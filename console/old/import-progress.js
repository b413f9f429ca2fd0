import { readJob, ServiceError } from '../service.ts';
import { makeButton } from './actions.js';
import { make } from './elements.js';

/** @typedef {import('../service.ts').Progress} Progress */

const EVERY_MS = 500;
const MAX_WAIT_MS = 10_000;

/** @type {Record<string, string>} */
const stages = {
  waiting: 'Na fila',
  fetching: 'Buscando as páginas',
  reading: 'Lendo o documento',
  storing: 'Guardando as passagens',
  ended: 'Terminando',
};

/**
 * How far an import is, until it ends, or until the person does not want to wait; the import goes on then.
 * @param {{ jobId: string, name: string, onEnd: () => Promise<void>, onStop: () => void }} options
 */
export function watchImport({ jobId, name, onEnd, onStop }) {
  const bar = make('progress', { 'aria-label': `Importação de ${name}` });
  const text = make('span', { className: 'small', role: 'status' }, 'Na fila');
  const stop = makeButton('Não esperar', onStop, 'quiet slim');
  const element = make('div', { className: 'import' }, bar, make('div', { className: 'head' }, text, stop));
  let waitMs = EVERY_MS;

  const look = async () => {
    if (!element.isConnected) return;
    try {
      const { state, progress } = await readJob(jobId);
      if (state === 'completed' || state === 'failed') return await onEnd();
      waitMs = EVERY_MS;
      showProgress(bar, text, progress);
    } catch (error) {
      // A job that is forgotten has ended: the list says how.
      if (error instanceof ServiceError && error.status === 404) return onEnd();
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
      text.textContent = 'Sem conexão: tentando de novo…';
    }
    setTimeout(() => void look(), waitMs);
  };
  queueMicrotask(() => void look());
  return element;
}

/** @param {HTMLProgressElement} bar @param {HTMLElement} text @param {Progress | undefined} progress */
function showProgress(bar, text, progress) {
  if (!progress) return;
  const { stage, done, total } = progress;
  if (total > 0) {
    bar.max = total;
    bar.value = done;
  } else bar.removeAttribute('value');
  const share = total > 0 ? `: ${done.toLocaleString('pt-BR')} de ${total.toLocaleString('pt-BR')}` : '';
  const next = `${stages[stage] ?? stage}${share}`;
  if (text.textContent !== next) text.textContent = next;
}
