import type { JsonSchema } from './json-schema.ts';
import type { Refusal } from './refusal.ts';
import { type RawMessage, type RawRequest, type Role, requestShape } from './request-shape.ts';

export const MODEL_ID = 'offline-extractive';

export interface Message {
  readonly role: Role;
  readonly text: string;
  /** of an assistant's message: names of the tools it called, by call id */
  readonly toolNamesByCallId: ReadonlyMap<string, string>;
  /** of a tool's message: the call it answers */
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
  /** the schema of the JSON to answer with; undefined asks for plain text */
  readonly jsonSchema: JsonSchema | undefined;
  readonly tools: readonly Tool[];
  readonly mayCallTools: boolean;
  readonly forcedTool: Tool | undefined;
}

function toMessage(raw: RawMessage): Message {
  const { content } = raw;
  const text = Array.isArray(content)
    ? content
        .filter(piece => piece.type === 'text')
        .map(piece => piece.text ?? '')
        .join('\n')
    : (content ?? '');
  const toolNamesByCallId = new Map((raw.tool_calls ?? []).map(call => [call.id, call.function?.name ?? '']));
  return { role: raw.role, text, toolNamesByCallId, callId: raw.tool_call_id };
}

function readJsonSchema({ response_format: format }: RawRequest): JsonSchema | undefined {
  if (!format || format.type === 'text') return undefined;
  return format.json_schema?.schema ?? { type: 'object', properties: { answer: { type: 'string' } } };
}

function validateShape(json: unknown): { raw: RawRequest } | Refusal {
  const { error, value } = requestShape.validate(json, { convert: false });
  if (!error) return { raw: value };
  const param = error.details[0]?.path.join('.') || undefined;
  return { status: 400, message: `Invalid request: ${error.message}.`, code: 'invalid_value', param };
}

function makeModelRefusal(model: string): Refusal {
  const message = `The model \`${model}\` does not exist; this server has \`${MODEL_ID}\` only.`;
  return { status: 404, message, code: 'model_not_found', param: 'model' };
}

/** Parses a request body; settings of OpenAI's API that are not used here are ignored. */
export function parseChatRequest(json: unknown): ChatRequest | Refusal {
  const validation = validateShape(json);
  if (!('raw' in validation)) return validation;
  const { raw } = validation;
  if (raw.model !== MODEL_ID) return makeModelRefusal(raw.model);
  const tools = (raw.tools ?? []).flatMap(({ function: definition }) => {
    if (!definition) return [];
    const { name, description, parameters = {} } = definition;
    return [{ name, description: typeof description === 'string' ? description : '', parameters }];
  });
  const choice = raw.tool_choice ?? 'auto';
  const isForced = choice !== 'auto' && choice !== 'none';
  const forcedName = typeof choice === 'object' ? choice.function.name : undefined;
  const forcedTool = isForced
    ? tools.find(({ name }) => forcedName === undefined || name === forcedName)
    : undefined;
  if (isForced && !forcedTool) {
    const message = `Invalid request: no tool ${forcedName ? `named '${forcedName}' ` : ''}among \`tools\`.`;
    return { status: 400, message, code: 'invalid_value', param: 'tool_choice' };
  }
  return {
    messages: raw.messages.map(toMessage),
    isStreaming: raw.stream === true,
    includeUsage: raw.stream_options?.include_usage === true,
    maxTokens: raw.max_completion_tokens ?? raw.max_tokens ?? undefined,
    jsonSchema: readJsonSchema(raw),
    tools,
    mayCallTools: choice !== 'none',
    forcedTool,
  };
}
