import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { normalizeTerm } from '../passage-filter.ts';
import { CUT_OFF, NOT_AN_OBJECT, NOT_JSON, TOO_DEEP } from '../prompts/tool-texts.ts';
import { isBlank } from '../user-data.ts';

/** The required arguments of an agent that the data of the conversation provide. */
export interface KnownArguments {
  readonly values: JsonObject;
  readonly missing: readonly string[];
}

export interface KnownData {
  readonly globalData: JsonObject;
  readonly userData: JsonObject;
}

/** Portuguese names of the end user's fields. */
const portuguese: ReadonlyMap<string, string> = new Map([
  ['nome', 'name'],
  ['nomecompleto', 'name'],
  ['telefone', 'phone'],
  ['celular', 'phone'],
  ['whatsapp', 'phone'],
]);

/** Returns the required arguments by name, in any spelling: from the data of the conversation, else of the end user. */
export function knownArgumentsOf(schema: JsonObject, { globalData, userData }: KnownData): KnownArguments {
  const ofConversation = byName(globalData, spellingOf);
  const ofPerson = byName(userData, fieldOf);
  const values: [string, unknown][] = [];
  const missing: string[] = [];
  for (const name of listRequired(schema)) {
    const value = ofConversation.get(spellingOf(name)) ?? ofPerson.get(fieldOf(name));
    if (value === undefined) missing.push(name);
    else values.push([name, value]);
  }
  return { values: Object.fromEntries(values), missing };
}

/** Returns the user's data that arguments of these schemas name, including optional ones. */
export function userDataFor(schemas: readonly JsonObject[], userData: JsonObject): JsonObject {
  const wanted = new Set(schemas.flatMap(argumentNamesIn).map(fieldOf));
  return Object.fromEntries(Object.entries(userData).filter(([name]) => wanted.has(fieldOf(name))));
}

export function argumentNamesIn(schema: JsonObject): string[] {
  const { properties } = schema;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return [...names, ...listRequired(schema)];
}

/** The schema is untrusted. */
function listRequired({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];
}

function byName(data: JsonObject, nameOf: (name: string) => string): Map<string, unknown> {
  const filled = Object.entries(data).filter(([, value]) => !isBlank(value));
  return new Map(filled.map(([name, value]) => [nameOf(name), value]));
}

function spellingOf(name: string): string {
  return normalizeTerm(name).replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function fieldOf(name: string): string {
  const spelling = spellingOf(name);
  return portuguese.get(spelling) ?? spelling;
}

const MAX_DEPTH = 32;

/** Returns the model's arguments, if they are a JSON object that can be stored; else the error to report to the model. */
export function toolArgumentsOf(text: string): { args: JsonObject } | { error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    return { error: NOT_JSON };
  }
  if (!isJsonObject(value)) return { error: NOT_AN_OBJECT };
  if (isDeeper(value, MAX_DEPTH)) return { error: TOO_DEEP };
  return { args: scrubValue(value) as JsonObject };
}

/** Removes NUL and lone surrogates. */
function scrubText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

export function truncateForModel(text: string, most: number): string {
  return text.length <= most ? scrubText(text) : `${scrubText(text.slice(0, most))}\n${CUT_OFF}`;
}

function scrubValue(value: unknown): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (Array.isArray(value)) return value.map(scrubValue);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [scrubText(key), scrubValue(inner)]));
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}
