import type { JsonSchema } from './json-schema.ts';
import type { Refusal } from './refusal.ts';
import { type RawMessage, type RawRequest, type Role, requestShape } from './request-shape.ts';

export const modelId = 'offline-extractive';

export interface Message {
  readonly role: Role;
  readonly text: string;
  /** of an assistant's message: names of the tools it called, by call id */
  readonly calls: ReadonlyMap<string, string>;
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
  readonly isStream: boolean;
  readonly includeUsage: boolean;
  readonly maxTokens: number | undefined;
  /** the schema of the JSON to answer with; undefined asks for plain text */
  readonly jsonSchema: JsonSchema | undefined;
  readonly tools: readonly Tool[];
  readonly mayCallTools: boolean;
  readonly forcedTool: Tool | undefined;
}

function messageOf(raw: RawMessage): Message {
  const { content } = raw;
  const text = Array.isArray(content)
    ? content
        .filter(piece => piece.type === 'text')
        .map(piece => piece.text ?? '')
        .join('\n')
    : (content ?? '');
  const calls = new Map((raw.tool_calls ?? []).map(one => [one.id, one.function?.name ?? '']));
  return { role: raw.role, text, calls, callId: raw.tool_call_id };
}

function jsonSchemaOf({ response_format: format }: RawRequest): JsonSchema | undefined {
  if (!format || format.type === 'text') return undefined;
  return format.json_schema?.schema ?? { type: 'object', properties: { answer: { type: 'string' } } };
}

function validateShape(json: unknown): { raw: RawRequest } | Refusal {
  const { error, value } = requestShape.validate(json, { convert: false });
  if (!error) return { raw: value };
  const param = error.details[0]?.path.join('.') || undefined;
  return { status: 400, message: `Invalid request: ${error.message}.`, code: 'invalid_value', param };
}

function modelRefusal(model: string): Refusal {
  const message = `The model \`${model}\` does not exist; this server has \`${modelId}\` only.`;
  return { status: 404, message, code: 'model_not_found', param: 'model' };
}

/** Parses a request body; settings of OpenAI's API that are not used here are ignored. */
export function chatRequestOf(json: unknown): ChatRequest | Refusal {
  const shape = validateShape(json);
  if (!('raw' in shape)) return shape;
  const { raw } = shape;
  if (raw.model !== modelId) return modelRefusal(raw.model);
  const tools = (raw.tools ?? []).flatMap(({ function: offered }) => {
    if (!offered) return [];
    const { name, description, parameters = {} } = offered;
    return [{ name, description: typeof description === 'string' ? description : '', parameters }];
  });
  const choice = raw.tool_choice ?? 'auto';
  const isForced = choice !== 'auto' && choice !== 'none';
  const wanted = typeof choice === 'object' ? choice.function.name : undefined;
  const forcedTool = isForced ? tools.find(one => wanted === undefined || one.name === wanted) : undefined;
  if (isForced && !forcedTool) {
    const message = `Invalid request: no tool ${wanted ? `named '${wanted}' ` : ''}among \`tools\`.`;
    return { status: 400, message, code: 'invalid_value', param: 'tool_choice' };
  }
  return {
    messages: raw.messages.map(messageOf),
    isStream: raw.stream === true,
    includeUsage: raw.stream_options?.include_usage === true,
    maxTokens: raw.max_completion_tokens ?? raw.max_tokens ?? undefined,
    jsonSchema: jsonSchemaOf(raw),
    tools,
    mayCallTools: choice !== 'none',
    forcedTool,
  };
}
