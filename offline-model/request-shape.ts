import Joi from 'joi';
import type { JsonSchema } from './json-schema.ts';

export type Role = 'assistant' | 'developer' | 'function' | 'system' | 'tool' | 'user';

export interface RawMessage {
  role: Role;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function?: { name: string } }[] | null;
  tool_call_id?: string;
}

export interface RawRequest {
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

/** Validates only what is used here; other settings of OpenAI's API pass. */
export const requestShape = Joi.object<RawRequest>({
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
