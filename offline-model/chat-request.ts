import Joi from 'joi';
import type { JsonSchema } from './json-schema.ts';

type Role = 'assistant' | 'developer' | 'function' | 'system' | 'tool' | 'user';

interface RawMessage {
  role: Role;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function?: { name: string } }[] | null;
  tool_call_id?: string;
}

interface RawRequest {
  model: string;
  n?: number | null;
  messages: RawMessage[];
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean } | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  response_format?: { type: string; json_schema?: { schema?: JsonSchema } } | null;
  tools?: { function?: { name: string; description?: unknown; parameters?: JsonSchema } }[] | null;
  tool_choice?: string | { function: { name: string } } | null;
}

const anyObject = Joi.object().unknown();
const contentPart = Joi.object({ type: Joi.string().required(), text: Joi.string().allow('') }).unknown();
const functionName = Joi.object({ name: Joi.string().required() }).unknown();
const toolCall = Joi.object({ id: Joi.string().required(), function: functionName }).unknown();

const message = Joi.object({
  role: Joi.valid('assistant', 'developer', 'function', 'system', 'tool', 'user').required(),
  content: Joi.alternatives(Joi.string().allow(''), Joi.array().items(contentPart)).allow(null),
  tool_calls: Joi.array().items(toolCall).allow(null),
  tool_call_id: Joi.string(),
}).unknown();

const tool = Joi.object({
  type: Joi.string(),
  function: functionName.keys({ parameters: anyObject }),
}).unknown();

/** Validates only the fields used here; other settings of OpenAI's API pass. */
const requestShape = Joi.object<RawRequest>({
  model: Joi.string().required(),
  messages: Joi.array().items(message).min(1).required(),
  n: Joi.valid(1, null),
  stream: Joi.boolean().allow(null),
  stream_options: Joi.object({ include_usage: Joi.boolean() }).unknown().allow(null),
  max_tokens: Joi.number().integer().min(1).allow(null),
  max_completion_tokens: Joi.number().integer().min(1).allow(null),
  response_format: Joi.object({
    type: Joi.valid('text', 'json_object', 'json_schema').required(),
    json_schema: Joi.object({ schema: anyObject }).unknown(),
  })
    .unknown()
    .allow(null),
  tools: Joi.array().items(tool).allow(null),
  tool_choice: Joi.alternatives(
    Joi.valid('auto', 'none', 'required'),
    Joi.object({ function: functionName.required() }).unknown(),
  ).allow(null),
}).unknown();

export const MODEL_ID = 'offline-extractive';

export interface Message {
  readonly role: Role;
  readonly text: string;
  /** For a message of the assistant: names of the tools it called, by call id. */
  readonly toolNamesByCallId: ReadonlyMap<string, string>;
  /** For a message of a tool: the call it answers. */
  readonly callId: string | undefined;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly isStreaming: boolean;
  readonly includeUsage: boolean;
  readonly maxTokens: number | undefined;
  /** The schema of the JSON answer; undefined asks for plain text. */
  readonly jsonSchema: JsonSchema | undefined;
  readonly tools: readonly Tool[];
  readonly mayCallTools: boolean;
  readonly forcedTool: Tool | undefined;
}

/** Parses a request body; settings of OpenAI's API that are not used here are ignored. */
export function parseChatRequest(json: unknown): ChatRequest | Refusal {
  const { error, value: raw } = requestShape.validate(json, { convert: false });
  if (error) return refuse(`${error.message}.`, error.details[0]?.path.join('.') || undefined);
  if (raw.model !== MODEL_ID) {
    const message = `The model \`${raw.model}\` does not exist; this server has \`${MODEL_ID}\` only.`;
    return { status: 404, message, code: 'model_not_found', param: 'model' };
  }
  const tools = (raw.tools ?? []).flatMap(({ function: definition }) => {
    if (!definition) return [];
    const { name, description, parameters = {} } = definition;
    return [{ name, description: typeof description === 'string' ? description : '', parameters }];
  });
  const choice = raw.tool_choice ?? 'auto';
  const isForced = choice !== 'auto' && choice !== 'none';
  const forcedName = typeof choice === 'object' ? choice.function.name : undefined;
  const forcedTool = isForced ? tools.find(({ name }) => name === (forcedName ?? name)) : undefined;
  if (isForced && !forcedTool) return refuse(`no tool ${forcedName ?? ''} among \`tools\`.`, 'tool_choice');
  return {
    messages: raw.messages.map(toMessage),
    isStreaming: raw.stream === true,
    includeUsage: raw.stream_options?.include_usage === true,
    maxTokens: raw.max_completion_tokens ?? raw.max_tokens ?? undefined,
    jsonSchema: schemaIn(raw),
    tools,
    mayCallTools: choice !== 'none',
    forcedTool,
  };
}

function refuse(reason: string, param: string | undefined): Refusal {
  return { status: 400, message: `Invalid request: ${reason}`, code: 'invalid_value', param };
}

function toMessage({ role, content, tool_calls, tool_call_id }: RawMessage): Message {
  const parts = Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }];
  const texts = parts.flatMap(({ type, text = '' }) => (type === 'text' ? text : []));
  const toolNamesByCallId = new Map((tool_calls ?? []).map(call => [call.id, call.function?.name ?? '']));
  return { role, text: texts.join('\n'), toolNamesByCallId, callId: tool_call_id };
}

function schemaIn({ response_format: format }: RawRequest): JsonSchema | undefined {
  if (!format || format.type === 'text') return undefined;
  return format.json_schema?.schema ?? { type: 'object', properties: { answer: { type: 'string' } } };
}

/** An error response, in the form that OpenAI's clients parse. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  readonly param?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export function isRefusal(value: object): value is Refusal {
  return 'status' in value && 'code' in value && 'message' in value;
}

export function makeRefusalBody({ status, message, code, param }: Refusal): object {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: param ?? null, code } };
}
