import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, withoutNulls } from '../../../platform/json-object.ts';
import { linkSignals } from '../../../platform/link-signals.ts';
import { MAX_NAME_LENGTH } from '../../../queues/contract/shape.ts';
import { bytesOf, type JsonLimits, jsonWeightOf } from '../../domain/json-weight.ts';

/** A tool as its server describes it, within bounds. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object' } & JsonObject;
  /** The server declares the tool read-only or idempotent: a second call does no harm. */
  readonly isRepeatable: boolean;
}

export interface ToolList {
  /** The tools that can be offered to a model. */
  readonly tools: readonly ServerTool[];
  /** The number of tools on the pages that were read. */
  readonly listedCount: number;
  /** The approximate size in memory. */
  readonly bytes: number;
}

/** Whether a tool with this schema can be offered. Calls are paced, because a check takes milliseconds. */
export type SchemaCheck = (schema: JsonObject) => Promise<boolean>;

/** Providers accept 128 tools; some are built in. */
export const MAX_TOOLS = 100;
const MAX_PAGES = 8;
const MAX_TOOLS_PER_PAGE = 1_000;
const PAGE_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 30_000;
const MAX_DESCRIPTION_LENGTH = 4_000;
/** Checking every schema of one list took 170 s of processor time and 2 GB. */
const MAX_SCHEMA_SIZE: JsonLimits = { values: 2_000, characters: 16_000, depth: 32 };
/** Limit for all schemas together: more would fill the context of the model. */
const MAX_BYTES = 2_000_000;
/** Tools whose schema is checked, including rejected ones. */
const MAX_CHECKED = 2 * MAX_TOOLS;

/**
 * Lists the tools page by page until a limit is reached; later pages are never requested. The size of a tool is
 * measured before its schema is checked.
 */
export async function listTools(client: Client, checkSchema: SchemaCheck): Promise<ToolList> {
  const tools: ServerTool[] = [];
  let [listedCount, bytes, checked] = [0, 0, 0];
  if (!client.getServerCapabilities()?.tools) return { tools, listedCount, bytes };
  using limit = linkSignals(AbortSignal.timeout(LIST_TIMEOUT_MS));
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const limits = { timeout: PAGE_TIMEOUT_MS, signal: limit.signal };
    const listed = await client.request({ method: 'tools/list', params }, toolPage, limits);
    listedCount += listed.tools.length;
    for (const raw of listed.tools.slice(0, MAX_TOOLS_PER_PAGE)) {
      const read = measureTool(raw);
      if (!read) continue;
      if (bytes + read.bytes > MAX_BYTES || checked === MAX_CHECKED) return { tools, listedCount, bytes };
      checked += 1;
      if (!(await checkSchema(read.tool.inputSchema))) continue;
      tools.push(read.tool);
      bytes += read.bytes;
      if (tools.length === MAX_TOOLS) return { tools, listedCount, bytes };
    }
    if (!listed.nextCursor || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  return { tools, listedCount, bytes };
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

/** Replaces the validation of the library, which walks every schema of a page. */
const toolPage: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'parley',
    validate(value) {
      const { tools, nextCursor } = (value ?? {}) as JsonObject;
      if (!Array.isArray(tools)) return { issues: [{ message: 'tools must be a list' }] };
      return { value: { tools, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined } };
    },
  },
};

/** Keywords of schemas that may be, or contain, null. */
const VALUES_OF_SCHEMAS = { values: ['const', 'default', 'example'], lists: ['enum', 'examples'] };

/** Returns undefined for an invalid tool and for one that is too large. */
function measureTool(raw: unknown): { tool: ServerTool; bytes: number } | undefined {
  const { name, description, title, inputSchema: sent, annotations } = (raw ?? {}) as JsonObject;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) return undefined;
  // Many servers leave the type out, because it can be no other.
  const inputSchema = isJsonObject(sent) ? { ...sent, type: sent['type'] ?? 'object' } : undefined;
  if (!isObjectSchema(inputSchema)) return undefined;
  const weight = jsonWeightOf(inputSchema, MAX_SCHEMA_SIZE);
  if (!weight) return undefined;
  const text = [description, title].find(each => typeof each === 'string') ?? '';
  const shortText = text.slice(0, MAX_DESCRIPTION_LENGTH);
  const bytes = bytesOf(weight) + 2 * (name.length + shortText.length);
  const hints = (annotations ?? {}) as JsonObject;
  const isRepeatable = (hints['readOnlyHint'] ?? hints['idempotentHint']) === true;
  return {
    tool: {
      name,
      description: shortText,
      inputSchema: withoutNulls(inputSchema, VALUES_OF_SCHEMAS),
      isRepeatable,
    },
    bytes,
  };
}

function isObjectSchema(value: unknown): value is ServerTool['inputSchema'] {
  return value !== null && typeof value === 'object' && (value as JsonObject)['type'] === 'object';
}
