import { make } from './elements.js';

/*
 * The text of a message as WhatsApp shows it: *bold*, _italic_, ~struck~ and code in back-quotes. A mark counts only next to
 * its words and with a boundary outside, so that 2*3*4 and snake_case stay unchanged.
 */

const tags = /** @type {const} */ ({ '*': 'strong', _: 'em', '~': 's' });
const codePattern = /```([\s\S]+?)```|`([^`\n]+)`/g;
const emphasisPattern = /(?<![\p{L}\p{N}*_~])([*_~])(?=\S)([^\n]*?\S)\1(?![\p{L}\p{N}])/gu;

/**
 * @param {string} text
 * @returns {DocumentFragment}
 */
export function renderWhatsappText(text) {
  const whole = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(codePattern)) {
    whole.append(renderEmphasis(text.slice(from, match.index)));
    const [all, block, inline = ''] = match;
    whole.append(block === undefined ? make('code', {}, inline) : make('pre', {}, block.trim()));
    from = match.index + all.length;
  }
  whole.append(renderEmphasis(text.slice(from)));
  return whole;
}

/**
 * @param {string} text
 * @returns {DocumentFragment}
 */
function renderEmphasis(text) {
  const part = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(emphasisPattern)) {
    const [all, mark = '', inside = ''] = found;
    part.append(text.slice(from, found.index));
    part.append(make(tags[/** @type {keyof typeof tags} */ (mark)], {}, renderEmphasis(inside)));
    from = found.index + all.length;
  }
  part.append(text.slice(from));
  return part;
}
