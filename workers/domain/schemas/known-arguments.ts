import type { JsonObject } from '../../../platform/json-object.ts';
import { normalizeTerm } from '../passage-filter.ts';
import { isBlank } from '../user-data.ts';

/** The required arguments of an agent that the data of the conversation provide. */
export interface KnownArguments {
  readonly values: JsonObject;
  /** Required arguments that the data do not have. */
  readonly missing: readonly string[];
}

/** The data of a conversation and of its user. */
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

/** The required arguments by name, in any spelling: from the data of the conversation, else of the end user. */
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

/** The user's data that arguments of these schemas name, optional ones too. */
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
