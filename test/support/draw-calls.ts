import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tag } from '../../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { addressOf, type Fields } from './operation-calls.ts';
import { root } from './source-files.ts';

/*
 * The calls in docs/calls, made from the examples of the operations, which the tests of the contract send; and their table of contents
 * in docs/calls.md. What stands above the mark of a page is written by hand, and stays. A page says once what several of its calls say,
 * and shows once what several of them answer. This file writes the pages where it is run: `npx tsx test/support/draw-calls.ts`.
 */

const LINE_LENGTH = 140;
/** As the formatter breaks JSON. */
const JSON_LENGTH = 110;
const LONGEST_TEXT = 70;
/** An object with fewer fields stands again wherever it is. */
const FEWEST_FIELDS = 4;
/** A sentence with fewer words stands again, unless more than two calls have it. */
const FEWEST_WORDS = 12;
/** The scope says it here. */
const FOR_OPERATORS = 'Only for tokens of operators.';
const mark = '<!-- Below: test/support/draw-calls.ts -->';
const contents = /(?<=<!-- Contents: test\/support\/draw-calls\.ts -->\n)[^]*?(?=\n## )/;

/** The pages, a noun each, with the tags of their operations. */
const pageTags: Readonly<Record<string, readonly Tag[]>> = {
  conversations: ['conversations', 'consents', 'jobs', 'OpenAI'],
  assistants: ['avatars', 'agents', 'flows', 'MCP', 'REST tools', 'site chats', 'models', 'evaluation'],
  knowledge: ['knowledge', 'approved answers', 'contradictions', 'documents'],
  intake: ['intake', 'mappings'],
  search: ['search', 'search index'],
  reports: ['reports'],
  events: ['events'],
  hosts: ['hosts', 'tokens', 'people', 'teams'],
};

/** Each page with its text as it is to be. */
export function drawCalls(): [path: string, drawn: string][] {
  const pages = Object.keys(pageTags).map((page): [string, string] => {
    const path = `docs/calls/${page}.md`;
    const [head = ''] = readFileSync(join(root, path), 'utf8').split(mark);
    return [path, `${[head.trimEnd(), mark, ...drawPage(callsOf(page))].join('\n\n')}\n`];
  });
  const first = readFileSync(join(root, 'docs/calls.md'), 'utf8');
  return [['docs/calls.md', first.replace(contents, () => `\n${drawContents()}\n`)], ...pages];
}

function callsOf(page: string): OperationName[] {
  return operationNames.filter(name => pageTags[page]?.includes(operationOf(name).tag));
}

function drawContents(): string {
  const lines = Object.keys(pageTags).map(page => {
    const links = callsOf(page).map(name => `[\`${lastPartOf(name)}\`](calls/${page}.md#${anchorOf(name)})`);
    return wrapText(`- [${page}](calls/${page}.md): ${links.join(', ')}`).replaceAll('\n', '\n  ');
  });
  return lines.join('\n');
}

/** A name for people who have the address: `savePersonHelper`. */
function lastPartOf(name: OperationName): string {
  return operationOf(name)
    .path.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')
    .replace(/^svcReasoning\/|^public\//, '');
}

function anchorOf(name: OperationName): string {
  return operationOf(name)
    .summary.toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** What several calls say stands once, before them, and so does an object that several of them answer. */
function drawPage(names: readonly OperationName[]): string[] {
  const shared = sharedSentences(names);
  const shown: Shown[] = [];
  const notes = shared.map((sentence, at) => `${at + 1}. ${wrapText(sentence).replaceAll('\n', '\n   ')}`);
  const head = notes.length > 0 ? ['## Notes to several calls', notes.join('\n')] : [];
  return [...head, ...names.map(name => drawCall(name, shared, shown))];
}

/** The sentences that more than one of the calls has in its description. */
function sharedSentences(names: readonly OperationName[]): string[] {
  const times = new Map<string, number>();
  for (const sentence of names.flatMap(name => sentencesOf(operationOf(name).description ?? '')))
    times.set(sentence, (times.get(sentence) ?? 0) + 1);
  return [...times].flatMap(([sentence, count]) => {
    const words = sentence.split(' ').length;
    return (count > 1 && words >= FEWEST_WORDS) || (count > 2 && words > 5) ? [sentence] : [];
  });
}

function sentencesOf(text: string): string[] {
  return text
    .replaceAll('\n', ' ')
    .split(/(?<=\.) (?=[A-Z`])/)
    .filter(Boolean);
}

function drawCall(name: OperationName, shared: readonly string[], shown: Shown[]): string {
  const { summary, description = '', method, scope, orScope, isForOperators, example } = operationOf(name);
  const scopes = [scope, orScope].flatMap(one => (one ? [`\`${one}\``] : []));
  const sentences = sentencesOf(description).filter(
    sentence => !isForOperators || sentence !== FOR_OPERATORS,
  );
  const notes = shared.flatMap((sentence, at) => (sentences.includes(sentence) ? [at + 1] : []));
  const about = [
    ...(scopes.length > 0 ? [`Scope ${scopes.join(' or ')}${isForOperators ? ' of operators' : ''}.`] : []),
    ...sentences.filter(sentence => !shared.includes(sentence)),
    ...(notes.length > 0 ? [`([${notes.join(', ')}](#notes-to-several-calls))`] : []),
  ].join(' ');
  const call = `${method} ${addressOf(name, example.body as Fields)}`;
  const parts = Object.entries(example.body as Fields).map(([part, value]) => [
    part,
    withoutShown(value, '', [...shown]),
  ]);
  const body = method === 'GET' ? '' : `\n\n${toJson(Object.fromEntries(parts))}`;
  const answer = toJson(
    withoutSent(withoutShown(shorten(example.data), lastPartOf(name), shown), example.body),
  );
  return [
    `## ${summary}`,
    wrapText(about),
    `\`\`\`http\n${call}${body}\n\`\`\``,
    `\`\`\`json\n${answer}\n\`\`\``,
  ].join('\n\n');
}

/** An object that an answer of the page has, by its call and the name of the field that holds it. */
interface Shown {
  readonly where: string;
  readonly fields: readonly string[];
}

/** In place of the fields that an answer above has, the name of its call stands under `…`. */
function withoutShown(value: unknown, where: string, shown: Shown[]): unknown {
  if (Array.isArray(value)) return value.map(item => withoutShown(item, where, shown));
  if (value === null || typeof value !== 'object') return value;
  const names = Object.keys(value);
  const [first] = shown
    .filter(({ fields }) => fields.every(field => names.includes(field)))
    .toSorted((one, other) => other.fields.length - one.fields.length);
  if (!first && names.length >= FEWEST_FIELDS) shown.push({ where, fields: names });
  const [call] = where.split(' ');
  const inner = Object.entries(value)
    .filter(([name]) => !first?.fields.includes(name))
    .map(([name, field]) => [name, withoutShown(field, name === 'items' ? where : `${call} ${name}`, shown)]);
  return Object.fromEntries(first ? [['…', `as ${first.where}`], ...inner] : inner);
}

/** An answer without the fields that came with the call, whose names stand there; those that do not come back are named. */
function withoutSent(answer: unknown, body: unknown): unknown {
  if (!isFields(answer) || !isFields(body) || '…' in answer) return answer;
  const text = (value: unknown) => JSON.stringify(shorten(value));
  const back = Object.keys(answer).filter(name => name in body && text(answer[name]) === text(body[name]));
  if (back.length < FEWEST_FIELDS) return answer;
  const lost = Object.keys(body).filter(name => !back.includes(name));
  const rest = Object.entries(answer).filter(([name]) => !back.includes(name));
  return Object.fromEntries([
    ['…', lost.length > 0 ? `as sent, but for ${lost.join(', ')}` : 'as sent'],
    ...rest,
  ]);
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The first item of each list, and the beginning of long texts. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT - 1)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}

/** JSON with what fits into a line on one line. */
function toJson(value: unknown, indent = '', before = 0): string {
  const line = JSON.stringify(value, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/(?<=\[) | (?=\])/g, '');
  if (indent.length + before + line.length < JSON_LENGTH || value === null || typeof value !== 'object')
    return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value)
    ? value.map(item => toJson(item, inner))
    : Object.entries(value).map(([name, item]) => `"${name}": ${toJson(item, inner, name.length + 5)}`);
  return `${open}\n${items.map(item => inner + item).join(',\n')}\n${indent}${close}`;
}

/** Breaks lines between words, but for those in code. */
export function wrapText(text: string): string {
  let line = '';
  const lines: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    if (line && line.length + word.length >= LINE_LENGTH) {
      lines.push(line);
      line = '';
    }
    line += line ? ` ${word}` : word;
  }
  return [...lines, line].join('\n');
}

if (process.argv[1] === import.meta.filename)
  for (const [path, drawn] of drawCalls()) writeFileSync(join(root, path), drawn);
