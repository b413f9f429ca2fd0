import { makeButton } from './actions.js';
import { make, makeField } from './elements.js';

/**
 * Asks before something that cannot be undone. Resolves to whether the person agreed.
 * @param {{ title: string, text: string, action: string }} question
 * @returns {Promise<boolean>}
 */
export function confirmAction({ title, text, action }) {
  return openDialog(title, finish => [
    make('p', {}, text),
    makeDialogButtons(
      makeButton(action, () => finish(true), 'danger'),
      () => finish(undefined),
    ),
  ]).then(agreed => agreed === true);
}

/**
 * Resolves to undefined if the person did not answer.
 * @param {{ title: string, text: string, label: string, action: string }} question
 * @returns {Promise<string | undefined>}
 */
export function askText({ title, text, label, action }) {
  return openDialog(title, finish => {
    const field = make('input', { required: true, maxLength: 200, autocomplete: 'name' });
    const form = make(
      'form',
      { className: 'stack' },
      make('p', {}, text),
      makeField(label, field),
      makeDialogButtons(make('button', {}, action), () => finish(undefined)),
    );
    form.addEventListener('submit', event => {
      event.preventDefault();
      if (field.value.trim()) finish(field.value.trim());
    });
    return [form];
  });
}

/** @param {HTMLElement} action @param {() => void} cancel */
function makeDialogButtons(action, cancel) {
  return make('div', { className: 'buttons' }, makeButton('Cancelar', cancel, 'quiet'), action);
}

/**
 * The browser keeps the focus inside of a modal dialog, and gives it back.
 * @template Answer
 * @param {string} title
 * @param {(finish: (answer: Answer | undefined) => void) => HTMLElement[]} makeContent
 * @returns {Promise<Answer | undefined>}
 */
function openDialog(title, makeContent) {
  return new Promise(resolve => {
    const dialog = make('dialog', { className: 'card', 'aria-label': title });
    /** @param {Answer | undefined} answer */
    const finish = answer => {
      dialog.close();
      resolve(answer);
    };
    dialog.append(make('h2', {}, title), ...makeContent(finish));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
