import { setImmediate as yielded } from 'node:timers/promises';
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { bytesOf, type JsonLimits, jsonWeightOf } from '../../domain/json-weight.ts';
import { isOfferableSchema } from '../../domain/offerable-schema.ts';

/** A tool as its server describes it, within bounds. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & Readonly<Record<string, unknown>>;
  /** By its own word a second call does no harm. */
  readonly isRepeatable: boolean;
}

export interface ToolList {
  /** Those that a model can be offered. */
  readonly tools: readonly ServerTool[];
  /** How many the server named, on the pages that were read. */
  readonly named: number;
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** Providers take 128 functions; some are ours. */
export const MOST_TOOLS = 100;
const MOST_PAGES = 8;
const MOST_READ_OF_A_PAGE = 1_000;
const PAGE_WITHIN_MS = 10_000;
const LIST_WITHIN_MS = 30_000;
const LONGEST_NAME = 128;
const LONGEST_DESCRIPTION = 4_000;
const LARGEST_SCHEMA: JsonLimits = { values: 2_000, characters: 16_000, depth: 32 };
/** All together: a model that is offered more reads nothing else. */
const MOST_BYTES = 2_000_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Page by page, until there are as many as can be offered: what comes after them is never asked for, and nothing is
 * checked before it is measured. Between two tools others have their turn.
 */
export async function listTools(client: Client): Promise<ToolList> {
  const tools: ServerTool[] = [];
  let [named, bytes] = [0, 0];
  if (!client.getServerCapabilities()?.tools) return { tools, named, bytes };
  const signal = AbortSignal.timeout(LIST_WITHIN_MS);
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const limits = { timeout: PAGE_WITHIN_MS, signal };
    const listed = await client.request({ method: 'tools/list', params }, toolPage, limits);
    named += listed.tools.length;
    for (const raw of listed.tools.slice(0, MOST_READ_OF_A_PAGE)) {
      const read = measured(raw);
      if (!read) continue;
      if (bytes + read.bytes > MOST_BYTES) return { tools, named, bytes };
      await yielded();
      if (!isOfferableSchema(read.tool.inputSchema)) continue;
      tools.push(read.tool);
      bytes += read.bytes;
      if (tools.length === MOST_TOOLS) return { tools, named, bytes };
    }
    if (!listed.nextCursor || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  return { tools, named, bytes };
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

/** Instead of the library's own check, which looks into every schema of a page. */
const toolPage: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'parley',
    validate(value) {
      const { tools, nextCursor } = (value ?? {}) as Fields;
      if (!Array.isArray(tools)) return { issues: [{ message: 'tools must be a list' }] };
      return { value: { tools, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined } };
    },
  },
};

/** Undefined for what is no tool, and for one that is too large. */
function measured(raw: unknown): { tool: ServerTool; bytes: number } | undefined {
  const { name, description, title, inputSchema, annotations } = (raw ?? {}) as Fields;
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME) return undefined;
  const weight = isObjectSchema(inputSchema) ? jsonWeightOf(inputSchema, LARGEST_SCHEMA) : undefined;
  if (!weight) return undefined;
  const said = [description, title].find(text => typeof text === 'string') ?? '';
  const words = said.slice(0, LONGEST_DESCRIPTION);
  const bytes = bytesOf(weight) + 2 * (name.length + words.length);
  const hints = (annotations ?? {}) as Fields;
  const isRepeatable = (hints['readOnlyHint'] ?? hints['idempotentHint']) === true;
  return {
    tool: { name, description: words, inputSchema: inputSchema as ServerTool['inputSchema'], isRepeatable },
    bytes,
  };
}

function isObjectSchema(value: unknown): value is ServerTool['inputSchema'] {
  return value !== null && typeof value === 'object' && (value as Fields)['type'] === 'object';
}
