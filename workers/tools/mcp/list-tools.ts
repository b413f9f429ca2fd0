import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { linkSignals } from '../../../platform/link-signals.ts';
import { MAX_NAME_LENGTH } from '../../../queues/contract/shape.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { bytesOf, jsonWeightOf } from '../../domain/json-weight.ts';
import { MAX_SCHEMA_SIZE, type OfferedSchema } from '../../domain/schemas/offered-schema.ts';
import { MAX_TOOLS } from '../outside-tools.ts';

/** A tool as its server describes it, within bounds. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: OfferedSchema;
  /** The server declares the tool read-only or idempotent: a second call does no harm. */
  readonly isRepeatable: boolean;
}

export interface ToolList {
  /** The tools that can be offered to a model. */
  readonly tools: readonly ServerTool[];
  /** The first names of those that cannot, within bounds. */
  readonly refused: readonly string[];
  readonly listedCount: number;
  /** The approximate size in memory. */
  readonly bytes: number;
}

/** Returns the schema as models are offered it, or undefined. Calls are paced, because each takes up to a millisecond. */
export type SchemaReader = (sent: JsonObject) => Promise<OfferedSchema | undefined>;

const MAX_PAGES = 8;
const MAX_TOOLS_PER_PAGE = 1_000;
const PAGE_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 30_000;
const MAX_DESCRIPTION_LENGTH = 4_000;
/** Limit for all schemas together: more would fill the context of the model. */
const MAX_BYTES = 2_000_000;
/** Tools whose schema is read, including refused ones. */
const MAX_READ = 2 * MAX_TOOLS;
/** Names of refused tools that the log and the host see. */
const MAX_REFUSED = 10;
const MAX_REFUSED_NAME = 64;

/**
 * Lists the tools page by page until a limit is reached; later pages are never requested. The size of a tool is
 * measured before its schema is read.
 */
export async function listTools(client: Client, readSchema: SchemaReader): Promise<ToolList> {
  const tools: ServerTool[] = [];
  const refused: string[] = [];
  let [listedCount, bytes, read] = [0, 0, 0];
  const list = () => ({ tools, refused, listedCount, bytes });
  if (!client.getServerCapabilities()?.tools) return list();
  using limit = linkSignals(AbortSignal.timeout(LIST_TIMEOUT_MS));
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const limits = { timeout: PAGE_TIMEOUT_MS, signal: limit.signal };
    const listed = await client.request({ method: 'tools/list', params }, toolPage, limits);
    listedCount += listed.tools.length;
    for (const raw of listed.tools.slice(0, MAX_TOOLS_PER_PAGE)) {
      const measured = measureTool(raw);
      if (measured && (bytes + measured.bytes > MAX_BYTES || read === MAX_READ)) return list();
      read += measured ? 1 : 0;
      const inputSchema = await (measured && readSchema(measured.sent));
      if (measured && inputSchema) {
        tools.push({ ...measured.tool, inputSchema });
        bytes += measured.bytes;
      } else if (refused.length < MAX_REFUSED) refused.push(nameOf(raw));
      if (tools.length === MAX_TOOLS) return list();
    }
    if (!listed.nextCursor || listed.nextCursor === cursor) break;
    cursor = listed.nextCursor;
  }
  return list();
}

function nameOf(raw: unknown): string {
  const name = isJsonObject(raw) ? raw['name'] : undefined;
  return typeof name === 'string' ? oneLineOf(name, MAX_REFUSED_NAME) : '?';
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

interface MeasuredTool {
  readonly tool: Omit<ServerTool, 'inputSchema'>;
  readonly sent: JsonObject;
  readonly bytes: number;
}

/** Returns undefined for an invalid tool and for one that is too large. */
function measureTool(raw: unknown): MeasuredTool | undefined {
  const { name, description, title, inputSchema, annotations } = (raw ?? {}) as JsonObject;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) return undefined;
  // A tool without arguments may have no schema, and some languages write an empty list for it.
  const sent = isJsonObject(inputSchema) ? inputSchema : {};
  const weight = jsonWeightOf(sent, MAX_SCHEMA_SIZE);
  if (!weight) return undefined;
  const text = [description, title].find(each => typeof each === 'string') ?? '';
  const shortText = text.slice(0, MAX_DESCRIPTION_LENGTH);
  const bytes = bytesOf(weight) + 2 * (name.length + shortText.length);
  const hints = (annotations ?? {}) as JsonObject;
  const isRepeatable = (hints['readOnlyHint'] ?? hints['idempotentHint']) === true;
  return { tool: { name, description: shortText, isRepeatable }, sent, bytes };
}
