import { make } from './elements.js';

/** @param {string} label @param {HTMLInputElement} box */
export function makeCheck(label, box) {
  return make('label', { className: 'check' }, box, label);
}
