import { isWorthRetrying } from '../errors.ts';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';

/**
 * Does the work of a button once, however often it is pressed. An error is shown in `outcome`, with a way to try again.
 * @param {HTMLElement} button
 * @param {HTMLElement} outcome
 * @param {() => Promise<unknown>} work
 */
export async function runAction(button, outcome, work) {
  if (button.getAttribute('aria-busy') === 'true') return;
  button.setAttribute('aria-busy', 'true');
  outcome.replaceChildren();
  try {
    await work();
  } catch (error) {
    const retry = () => void runAction(button, outcome, work);
    outcome.replaceChildren(makeErrorBox(error, ...makeRetryButtons(error, retry)));
  }
  button.removeAttribute('aria-busy');
}

/**
 * @param {unknown} error
 * @param {() => void} retry
 */
function makeRetryButtons(error, retry) {
  if (!isWorthRetrying(error)) return [];
  const button = makeButton(
    'Tentar de novo',
    () => {
      button.closest('.trouble')?.remove();
      retry();
    },
    'quiet',
  );
  return [button];
}

/**
 * @param {string} text
 * @param {(event: MouseEvent) => void} onClick
 * @param {string} [className]
 */
export function makeButton(text, onClick, className = '') {
  const button = make('button', { type: 'button', className }, text);
  button.addEventListener('click', onClick);
  return button;
}

/**
 * What is shown where there is nothing, and what to do next.
 * @param {string} title
 * @param {string} text
 * @param {...HTMLElement} actions
 */
export function makeEmptyState(title, text, ...actions) {
  return make(
    'div',
    { className: 'empty' },
    make('strong', {}, title),
    make('p', { className: 'small' }, text),
    ...actions,
  );
}

/** @param {string} text */
export function makeWaiting(text) {
  return make('p', { className: 'empty waiting', role: 'status' }, text);
}
