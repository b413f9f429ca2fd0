import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tag } from '../../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { addressOf, type Fields } from './operation-calls.ts';
import { root } from './source-files.ts';

/*
 * The calls in docs/calls, made from the examples of the operations, which the tests of the contract send; and their table of contents
 * in docs/calls.md. What stands above the mark of a page is written by hand, and stays. This file writes the pages where it is run:
 * `npx tsx test/support/draw-calls.ts`.
 */

const LINE_LENGTH = 140;
/** As the formatter breaks JSON. */
const JSON_LENGTH = 110;
const LONGEST_TEXT = 70;
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
    const links = callsOf(page).map(name => linkTo(name, `calls/${page}.md`));
    return `- [${page}](calls/${page}.md):\n${links.map((link, at) => `  ${link}${at + 1 < links.length ? ',' : ''}`).join('\n')}`;
  });
  return lines.join('\n');
}

function linkTo(name: OperationName, page = ''): string {
  const { summary } = operationOf(name);
  return `[${summary}](${page}#${summary
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')})`;
}

/** A long answer stands once on its page. */
function drawPage(names: readonly OperationName[]): string[] {
  const firsts = new Map<string, OperationName>();
  return names.map(name => {
    const answer = toJson(shorten(operationOf(name).example.data));
    const first = firsts.get(answer);
    if (first) return `${drawCall(name)}\n\nIt answers as ${linkTo(first)} does.`;
    if (answer.includes('\n')) firsts.set(answer, name);
    return `${drawCall(name)}\n\n\`\`\`json\n${answer}\n\`\`\``;
  });
}

/** Without its answer. */
function drawCall(name: OperationName): string {
  const { summary, description, method, scope, orScope, example } = operationOf(name);
  const scopes = [scope, orScope].flatMap(one => (one ? [`\`${one}\``] : []));
  const about = [scopes.length > 0 ? `Scope ${scopes.join(' or ')}.` : '', description ?? '']
    .join(' ')
    .trim();
  const paragraphs = about.split('\n\n').map(paragraph => wrapText(paragraph.replaceAll('\n', ' ')));
  const call = `${method} ${addressOf(name, example.body as Fields)}`;
  const body = method === 'GET' ? '' : `\n\n${toJson(example.body)}`;
  return [`## ${summary}`, ...paragraphs.filter(Boolean), `\`\`\`http\n${call}${body}\n\`\`\``].join('\n\n');
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
