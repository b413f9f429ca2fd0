import {
  type BrokenRule,
  broken,
  errorsAt,
  type FieldError,
  fieldError,
} from '../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts';
import { type EgressRules, urlErrorOf } from './egress-address.ts';
import {
  headerNameErrorOf,
  isHeaderName,
  isHeaderValue,
  isSameHeader,
  MAX_VALUE_LENGTH,
} from './header-rules.ts';

/** How to reach an MCP server, as configured by a tenant. */
export type McpTarget =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[] };

export interface McpRules extends EgressRules {
  /** Allowed argument lists, the command first; no other command is run. */
  readonly stdioAllow: readonly (readonly string[])[];
}

export type McpTransport = 'streamable' | 'sse' | 'stdio';
const MAX_URL_LENGTH = 2_000;
const MAX_HEADERS = 50;

/** The validated configuration without unknown fields, or its errors. */
export function mcpTargetOf(
  transport: McpTransport,
  config: JsonObject,
  rules: McpRules,
): McpTarget | FieldError[] {
  return transport === 'stdio' ? commandOf(config, rules) : addressOf(config, rules);
}

function addressOf({ url, headers: given }: JsonObject, rules: McpRules): McpTarget | FieldError[] {
  const headers = given ?? {};
  const errors = [...findUrlErrors(url, rules), ...findHeaderErrors(headers)];
  if (errors.length > 0) return errors;
  return { url: url as string, headers: { ...(headers as Record<string, string>) } };
}

function findUrlErrors(url: unknown, rules: McpRules): FieldError[] {
  const path = 'config.url';
  if (url === undefined) return [fieldError(path, 'required')];
  if (typeof url !== 'string') return [{ path, ...notText }];
  return errorsAt(path, url.length > MAX_URL_LENGTH ? tooLong(MAX_URL_LENGTH) : urlErrorOf(url, rules));
}

const notText = broken('type', { values: ['string'], message: 'must be a string' });
const tooLong = (limit: number) => broken('max-length', { limit, message: 'is too long' });

function findHeaderErrors(headers: unknown): FieldError[] {
  const path = 'config.headers';
  if (!isJsonObject(headers))
    return [fieldError(path, 'type', { values: ['object'], message: 'must be of type object' })];
  const names = Object.keys(headers);
  const tooMany = { limit: MAX_HEADERS, message: `must have at most ${MAX_HEADERS} headers` };
  if (names.length > MAX_HEADERS) return [fieldError(path, 'max-items', tooMany)];
  const twice = names.find((name, at) => names.findIndex(other => isSameHeader(other, name)) !== at);
  if (twice !== undefined) return [fieldError(path, 'twice')];
  return names.flatMap(name =>
    errorsAt(isHeaderName(name) ? `${path}.${name}` : path, findHeaderError(name, headers[name])),
  );
}

function findHeaderError(name: string, value: unknown): BrokenRule | undefined {
  const nameError = headerNameErrorOf(name);
  if (nameError) return nameError;
  if (typeof value !== 'string') return notText;
  if (value.length > MAX_VALUE_LENGTH) return tooLong(MAX_VALUE_LENGTH);
  return isHeaderValue(value) ? undefined : broken('characters');
}

function commandOf(config: JsonObject, { stdioAllow }: McpRules): McpTarget | FieldError[] {
  const { command, args: given, ...others } = config;
  const args = given ?? [];
  if (Object.keys(others).length > 0)
    return [fieldError('config', 'unknown-field', 'may only have command and args')];
  if (typeof command !== 'string') return [{ path: 'config.command', ...notText }];
  if (!isTexts(args))
    return [fieldError('config.args', 'type', { values: ['array'], message: 'must be a list of strings' })];
  if (!isAllowed([command, ...args], stdioAllow))
    return [fieldError('config.command', 'command-not-allowed')];
  return { command, args: [...args] };
}

/** Requires an exact match: a part of a command is another command. */
function isAllowed(wanted: readonly string[], allowed: McpRules['stdioAllow']): boolean {
  return allowed.some(
    list => list.length === wanted.length && list.every((argument, at) => argument === wanted[at]),
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}
