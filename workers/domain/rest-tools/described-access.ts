import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { resolved } from './description-text.ts';
import { placeOf } from './rest-auth.ts';

/** A way to sign in that a description names. A person gives the secret, which no description has. */
export interface AuthProposal {
  readonly kind: 'bearer' | 'basic' | 'header' | 'query';
  /** Of the header or the part of the query. */
  readonly name?: string;
  readonly description?: string;
  /** What the description wants together with it, and a tool does not send. */
  readonly missing?: string[];
}

/** Variables with many values multiply. */
const MAX_BASE_URLS = 20;

/** The addresses of servers, the first of each with the defaults of its variables. */
export function baseURLsOf(servers: unknown): string[] {
  const urls = (Array.isArray(servers) ? (servers as unknown[]) : []).filter(isJsonObject).flatMap(urlsOf);
  const usable = urls
    .map(url => url.trim().replace(/(?<!\/)\/$/, ''))
    .filter(url => /^(?:https?:\/\/[^{}\s]|\/[^{}\s])/i.test(url) && !/[{}]/.test(url));
  return [...new Set(usable)].slice(0, MAX_BASE_URLS);
}

const MAX_URL_LENGTH = 2_000;

/** Returns the address with the defaults of its variables, then those with each other value. */
function urlsOf({ url, variables }: JsonObject): string[] {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH) return [];
  let chosen: ReadonlyMap<string, string>[] = [new Map()];
  for (const [name, variable] of isJsonObject(variables) ? Object.entries(variables) : []) {
    if (!isJsonObject(variable) || !url.includes(`{${name}}`)) continue;
    const listed = Array.isArray(variable['enum']) ? (variable['enum'] as unknown[]) : [];
    const values = new Set([variable['default'], ...listed].filter(each => each !== undefined).map(String));
    const all = [...values].flatMap(value => chosen.map(each => new Map([...each, [name, value]])));
    chosen = all.slice(0, MAX_BASE_URLS);
  }
  // In one pass: forty variables whose values name two others each would be 2^40 long.
  const filled = chosen.map(values =>
    url.replaceAll(/\{([^{}]*)\}/g, (place, name: string) => values.get(name) ?? place),
  );
  return filled.filter(each => each.length <= MAX_URL_LENGTH);
}

/** Each requirement names the schemes that are wanted together. */
function requirementsIn(security: unknown): string[][] {
  return (Array.isArray(security) ? (security as unknown[]) : []).filter(isJsonObject).map(Object.keys);
}

/** A way to sign in, or several that are wanted together. */
export type AccessProposal = AuthProposal | AuthProposal[];

/** The ways to sign in that this description names, each once; `ofOperations` is what single operations require. */
export function authOf(description: JsonObject, ofOperations: readonly unknown[] = []): AccessProposal[] {
  const { components, security } = description;
  const schemes = isJsonObject(components) ? components['securitySchemes'] : undefined;
  const entries = isJsonObject(schemes) ? Object.entries(schemes) : [];
  const used = requirementsIn(security).flat();
  const wanted = [security, ...ofOperations].flatMap(requirementsIn);
  // The schemes of the whole description first.
  const inOrder = entries.toSorted(
    ([one], [other]) => Number(used.includes(other)) - Number(used.includes(one)),
  );
  const named = new Map(inOrder.map(([id, each]) => [id, schemeOf(id, resolved(description, each) ?? {})]));
  const found = new Map<string, AccessProposal>();
  for (const [id, { proposal }] of named) {
    if (!proposal) continue;
    const made = togetherOf(id, wanted, named);
    const key = JSON.stringify(made.map(({ kind, name }) => [kind, name]));
    const [only] = made;
    if (only && !found.has(key)) found.set(key, made.length === 1 ? only : made);
  }
  return [...found.values()];
}

interface Scheme {
  readonly label: string;
  readonly proposal: AuthProposal | undefined;
}

function schemeOf(id: string, scheme: JsonObject): Scheme {
  const proposal = proposalOf(scheme);
  const words = typeof scheme['description'] === 'string' ? oneLineOf(scheme['description'], 500) : '';
  return {
    label: labelOf(id, scheme),
    proposal: proposal && { ...proposal, ...(words && { description: words }) },
  };
}

const MAX_LABEL = 200;
const MAX_MISSING = 10;

/** Of the requirements with this scheme the shortest that can be sent, or else the first. */
function togetherOf(id: string, wanted: readonly string[][], named: ReadonlyMap<string, Scheme>) {
  const having = wanted.filter(each => each.includes(id)).map(each => splitOf(each, named));
  const whole = having.filter(({ missing }) => missing.length === 0);
  const [shortest] = whole.toSorted((one, other) => one.sent.length - other.sent.length);
  const { sent, missing } = shortest ?? having[0] ?? splitOf([id], named);
  return missing.length > 0 ? sent.map(each => ({ ...each, missing: missing.slice(0, MAX_MISSING) })) : sent;
}

/** The contract lets a tool have as many. */
const MAX_SECRETS = 3;

/** What a tool can send is in a place of its own. */
function splitOf(requirement: readonly string[], named: ReadonlyMap<string, Scheme>) {
  const sent: AuthProposal[] = [];
  const missing: string[] = [];
  for (const id of requirement) {
    const { proposal, label = oneLineOf(id, MAX_LABEL) } = named.get(id) ?? {};
    const isTaken = proposal && sent.some(other => placeOf(other) === placeOf(proposal));
    if (proposal && !isTaken && sent.length < MAX_SECRETS) sent.push(proposal);
    else missing.push(label);
  }
  return { sent, missing };
}

/** As who signs in knows it: the name of the header or field, or else of the scheme. */
function labelOf(id: string, { type, name }: JsonObject): string {
  return oneLineOf(type === 'apiKey' && typeof name === 'string' ? name : id, MAX_LABEL);
}

/** A token of OAuth 2 or OpenID Connect is sent as a bearer's; who has one gives it. */
function proposalOf({ type, scheme, in: place, name }: JsonObject): AuthProposal | undefined {
  if (type === 'oauth2' || type === 'openIdConnect') return { kind: 'bearer' };
  if (type === 'http') {
    const kind = String(scheme).toLowerCase();
    return kind === 'bearer' || kind === 'basic' ? { kind } : undefined;
  }
  if (type !== 'apiKey' || typeof name !== 'string') return undefined;
  return place === 'header' || place === 'query' ? { kind: place, name } : undefined;
}
