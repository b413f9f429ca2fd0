import type { JsonObject } from '../../../platform/json-object.ts';
import { type JsonLimits, jsonWeightOf } from '../json-weight.ts';

type Item = { readonly type?: unknown; readonly [field: string]: unknown };

export interface McpResult {
  readonly content?: readonly Item[] | undefined;
  readonly structuredContent?: unknown;
  /** Fields that the protocol does not know: servers of its first revision, and careless ones, answer there. */
  readonly others?: JsonObject | undefined;
}

/** A larger value is no text for a model, and one that is deeper overflows the stack as JSON. */
const MAX_VALUE: JsonLimits = { values: 50_000, characters: 4_000_000, depth: 64 };
/** Each is looked for in the whole text, which may be 4 MB. */
const MAX_LEAVES = 100;
/** Fields of an item that say nothing to a model. */
const UNSAID = new Set(['type', 'annotations', '_meta', 'mimeType']);

/** Writes a tool's result as text for the model: a picture or a file is named, whatever else came is written as JSON. */
export function formatMcpResult({ content = [], structuredContent, others = {} }: McpResult): string {
  const said = content
    .map(textOf)
    .filter(text => text !== '')
    .join('\n\n');
  if (said === '') return toText(structuredContent ?? soleValueOf(others));
  // A server may say in a sentence that the data is elsewhere; most write the same data twice.
  const data = toText(structuredContent);
  const isSaid =
    data === '' ||
    leavesOf(structuredContent).every(
      leaf => said.includes(leaf) || said.includes(JSON.stringify(leaf).slice(1, -1)),
    );
  return isSaid ? said : `${said}\n\n${data}`;
}

/** Returns the first texts and numbers of a value. */
function leavesOf(value: unknown): string[] {
  const leaves: string[] = [];
  JSON.stringify(value, (_name, each: unknown) => {
    if (leaves.length < MAX_LEAVES && (typeof each === 'string' || typeof each === 'number'))
      leaves.push(String(each).trim());
    return each;
  });
  return leaves;
}

function textOf(item: Item): string {
  switch (item.type) {
    case 'image':
      return `[imagem ${toText(item['mimeType'])}]`;
    case 'audio':
      return `[áudio ${toText(item['mimeType'])}]`;
    case 'resource_link':
      return `${toText(item['name'])}: ${toText(item['uri'])}`;
    case 'resource':
      return formatResource(item['resource']);
    default:
      return toText(item['text']) || toText(soleValueOf(item));
  }
}

function formatResource(resource: unknown): string {
  const { text, uri, mimeType } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  return (text ?? undefined) === undefined ? `[arquivo ${toText(mimeType)} ${toText(uri)}]` : toText(text);
}

/** Returns the value of the one field that says something, or all fields that do; undefined where none does. */
function soleValueOf(fields: JsonObject): unknown {
  const said = Object.entries(fields).filter(([name, value]) => !UNSAID.has(name) && (value ?? '') !== '');
  return said.length > 1 ? Object.fromEntries(said) : said[0]?.[1];
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if ((value ?? undefined) === undefined || !jsonWeightOf(value, MAX_VALUE)) return '';
  return JSON.stringify(value);
}
