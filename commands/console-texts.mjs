/*
 * The texts of the console stand in Portuguese where they are shown. For each other language the build makes a script of its own,
 * in which the texts that `console/languages` translates are replaced. A key is the text as it stands: of JSX with white space as
 * it is shown and without the one around it, of a template with {0}, {1} for its expressions, of `formatCount` its words for one
 * and many with a | between them. "Text (file.tsx)" is the text in that file, where it means something else than elsewhere. A
 * literal without an entry is data.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from 'oxc-parser';

export const languages = ['en', 'es'];

export const pathOfLanguage = language => join('console', 'languages', `${language}.json`);

/** What the texts become in this language. */
export const readEntries = language => JSON.parse(readFileSync(pathOfLanguage(language), 'utf8'));

/** The code with what `entries` has for its texts. */
export function translateCode(path, code, entries) {
  const texts = listTexts(path, code);
  const write = (start, end) => {
    let written = '';
    let at = start;
    for (const text of texts) {
      const key = text.start >= at && text.end <= end && keyIn(entries, text);
      if (!key) continue;
      written += code.slice(at, text.start) + writeText(text, entries[key], write);
      at = text.end;
    }
    return written + code.slice(at, end);
  };
  return write(0, code.length);
}

/** The key under which these entries have the text; undefined if they have it under none. */
export const keyIn = (entries, { key, ownKey }) => [ownKey, key].find(each => Object.hasOwn(entries, each));

const placeholder = /\{(\d)\}/g;

function writeText({ kind, expressions, before, after }, entry, write) {
  if (kind === 'page') return entry;
  if (kind === 'jsx') return `{${JSON.stringify(before + entry + after)}}`;
  if (kind === 'attribute') return `{${JSON.stringify(entry)}}`;
  if (kind === 'literal') return JSON.stringify(entry);
  if (kind === 'count')
    return entry
      .split('|')
      .map(each => JSON.stringify(each))
      .join(', ');
  const parts = entry.split(placeholder).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`);
    const { start, end } = expressions[Number(part)];
    return `\${${write(start, end)}}`;
  });
  return `\`${parts.join('')}\``;
}

/** Each text and literal of a file, in its order; a template comes before what is in it. */
export function listTexts(path, code) {
  if (path.endsWith('.html')) return listPageTexts(path, code);
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const texts = [];
  visit(program, {}, (node, place) => {
    const text = textOf(node, place);
    if (!text) return;
    const { start, end } = { ...node, ...text };
    texts.push({ ...text, ownKey: ownKeyOf(path, text.key), attribute: place.attribute, start, end });
  });
  return texts;
}

const ownKeyOf = (path, key) => `${key} (${basename(path)})`;

/** What stands between the tags of a page. */
function listPageTexts(path, code) {
  return [...code.matchAll(/(?<=>)[^<>]+(?=<)/g)].flatMap(({ 0: text, index }) => {
    const key = text.trim();
    const start = index + text.indexOf(key);
    return key === ''
      ? []
      : [{ kind: 'page', key, ownKey: ownKeyOf(path, key), start, end: start + key.length }];
  });
}

function textOf(node, { parent, name }) {
  if (node.type === 'JSXText') return jsxTextOf(node.value);
  if (node.type === 'CallExpression') return countOf(node);
  if (node.type === 'Literal' && typeof node.value === 'string') {
    if (name === 'source' || (name === 'key' && !parent.computed)) return undefined;
    return { kind: parent.type === 'JSXAttribute' ? 'attribute' : 'literal', key: node.value };
  }
  if (node.type !== 'TemplateLiteral' || parent.type === 'TaggedTemplateExpression') return undefined;
  const { quasis, expressions } = node;
  const key = quasis.map(({ value }, at) => (at > 0 ? `{${at - 1}}` : '') + value.cooked).join('');
  return { kind: 'template', key, expressions };
}

/** Line ends show nothing at the edge of a text, and one blank within, with the white space around them. */
function jsxTextOf(value) {
  const lines = value.split('\n').map((line, at, { length }) => {
    const begun = at > 0 ? line.trimStart() : line;
    return at < length - 1 ? begun.trimEnd() : begun;
  });
  const shown = lines.filter(line => line !== '').join(' ');
  const key = shown.trim();
  if (key === '') return undefined;
  const [before, after] = shown.split(key);
  return { kind: 'jsx', key, before, after };
}

function countOf({ callee, arguments: [, one, many] }) {
  if (callee.name !== 'formatCount' || one?.type !== 'Literal' || many?.type !== 'Literal') return undefined;
  return { kind: 'count', key: `${one.value}|${many.value}`, start: one.start, end: many.end };
}

/** `place`: the parent, the name under which it has the node, and the attribute of an element around it. */
function visit(node, place, see) {
  if (Array.isArray(node)) return node.forEach(each => visit(each, place, see));
  if (typeof node?.type !== 'string') return;
  const { attribute } = place;
  // Types show nothing, but for the values that have one.
  if (node.type.startsWith('TS')) return visit(node.expression, { parent: node, attribute }, see);
  see(node, place);
  const around = node.type === 'JSXAttribute' ? node.name.name : attribute;
  for (const [name, value] of Object.entries(node))
    if (value && typeof value === 'object') visit(value, { parent: node, name, attribute: around }, see);
}
