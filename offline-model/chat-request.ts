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
