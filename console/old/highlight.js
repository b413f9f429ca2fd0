import { make } from './elements.js';

/** @type {Record<string, string>} */
const characterByName = { lt: '<', gt: '>', quot: '"', amp: '&' };

/**
 * A highlight is escaped text with matches in <mark>. Only <mark> is interpreted: any other markup stays text.
 * @param {string} highlight
 * @returns {DocumentFragment}
 */
export function renderHighlight(highlight) {
  const whole = document.createDocumentFragment();
  for (const part of highlight.split(/(<mark>[\s\S]*?<\/mark>)/)) {
    const [, marked] = /^<mark>([\s\S]*)<\/mark>$/.exec(part) ?? [];
    whole.append(marked === undefined ? unescapeText(part) : make('mark', {}, unescapeText(marked)));
  }
  return whole;
}

/** @param {string} text */
function unescapeText(text) {
  return text.replaceAll(/&(?:#(\d{1,6})|(lt|gt|quot|amp));/g, (_, code, name) => {
    return name ? (characterByName[name] ?? '') : String.fromCodePoint(Number(code));
  });
}
