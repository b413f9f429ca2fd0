import { makeButton } from './actions.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';

/** @typedef {(...elements: HTMLElement[]) => void} Show */

/**
 * A list at the side, and what is chosen of it.
 * @param {{ title: string, label: string, addText: string, onAdd: (show: Show) => void }} options
 */
export function makeSplitView({ title, label, addText, onAdd }) {
  const list = make('ul', { className: 'choices' });
  const place = make('div', { className: 'editor' });
  let last = 0;
  /** What was begun last is shown, however long the others take to load. @returns {Show} */
  const begin = () => {
    last += 1;
    const mine = last;
    return (...elements) => {
      if (mine === last) place.replaceChildren(...elements);
    };
  };
  const add = makeButton(addText, () => onAdd(begin()), 'quiet');
  const heading = make('h2', { className: 'title' }, title);
  const side = make('nav', { className: 'card side', 'aria-label': label }, heading, list, add);
  return {
    element: make('section', { className: 'split', 'aria-label': title }, side, place),
    list,
    add,
    begin,
    /** @param {string} id */
    mark(id) {
      for (const choice of list.querySelectorAll('button')) {
        if (choice.dataset['id'] === id) choice.setAttribute('aria-current', 'true');
        else choice.removeAttribute('aria-current');
      }
    },
  };
}

/** @param {unknown} error @param {() => void} retry */
export function makeLoadError(error, retry) {
  return makeErrorBox(error, makeButton('Tentar de novo', retry, 'quiet'));
}
