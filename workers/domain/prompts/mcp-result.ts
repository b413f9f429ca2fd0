import { type JsonLimits, jsonWeightOf } from '../json-weight.ts';

type Item = { readonly type?: unknown; readonly [field: string]: unknown };

export interface McpResult {
  readonly content?: readonly Item[] | undefined;
  readonly structuredContent?: unknown;
}

/** A larger value is no text for a model, and one that is deeper overflows the stack as JSON. */
const MAX_VALUE: JsonLimits = { values: 50_000, characters: 4_000_000, depth: 64 };
/** Fields of an item that say nothing to a model. */
const UNSAID = new Set(['type', 'annotations', '_meta', 'mimeType']);

/** Writes a tool's result as text for the model: a picture or a file is named, whatever else came is written as JSON. */
export function formatMcpResult({ content = [], structuredContent }: McpResult): string {
  const texts = content.map(textOf).filter(text => text !== '');
  return texts.length > 0 ? texts.join('\n\n') : toText(structuredContent);
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
      return toText(item['text']) || toText(soleValueOf(item, UNSAID));
  }
}

function formatResource(resource: unknown): string {
  const { text, uri, mimeType } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  return (text ?? undefined) === undefined ? `[arquivo ${toText(mimeType)} ${toText(uri)}]` : toText(text);
}

/** The value of the one field that is not left out, or all that are not; undefined where there is none. */
export function soleValueOf(fields: object, leftOut: ReadonlySet<string>): unknown {
  const said = Object.entries(fields).filter(([name, value]) => !leftOut.has(name) && (value ?? '') !== '');
  return said.length > 1 ? Object.fromEntries(said) : said[0]?.[1];
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if ((value ?? undefined) === undefined || !jsonWeightOf(value, MAX_VALUE)) return '';
  return JSON.stringify(value);
}
