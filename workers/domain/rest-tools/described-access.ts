import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { resolved } from './description-text.ts';

/** A way to sign in that a description names. A person gives the secret, which no description has. */
export interface AuthProposal {
  readonly kind: 'bearer' | 'basic' | 'header' | 'query';
  /** Of the header or the part of the query. */
  readonly name?: string;
  readonly description?: string;
  /** What the description wants together with it, and a tool does not send: it has one secret. */
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

/** The ways to sign in that this description names, each once; `ofOperations` is what single operations require. */
export function authOf(description: JsonObject, ofOperations: readonly unknown[] = []): AuthProposal[] {
  const { components, security } = description;
  const schemes = isJsonObject(components) ? components['securitySchemes'] : undefined;
  const entries = isJsonObject(schemes) ? Object.entries(schemes) : [];
  const used = requirementsIn(security).flat();
  const wanted = [security, ...ofOperations].flatMap(requirementsIn);
  // The schemes of the whole description first.
  const inOrder = entries.toSorted(
    ([one], [other]) => Number(used.includes(other)) - Number(used.includes(one)),
  );
  const labels = new Map(inOrder.map(([id, each]) => [id, labelOf(id, resolved(description, each) ?? {})]));
  const proposals = inOrder.flatMap(([id, sent]) => {
    const scheme = resolved(description, sent);
    const proposal = scheme && proposalOf(scheme);
    if (!proposal) return [];
    const words = typeof scheme['description'] === 'string' ? oneLineOf(scheme['description'], 500) : '';
    const missing = missingWith(id, wanted).map(other => labels.get(other) ?? oneLineOf(other, MAX_LABEL));
    return {
      ...proposal,
      ...(words && { description: words }),
      ...(missing.length > 0 && { missing }),
    };
  });
  const isSame = (one: AuthProposal, other: AuthProposal) =>
    one.kind === other.kind && one.name === other.name;
  return proposals.filter((each, at) => proposals.findIndex(other => isSame(each, other)) === at);
}

const MAX_LABEL = 200;
const MAX_MISSING = 10;

/** What every requirement with this scheme wants beside it; of several the first. */
function missingWith(id: string, wanted: readonly string[][]): string[] {
  const having = wanted.filter(each => each.includes(id));
  if (having.some(({ length }) => length === 1)) return [];
  return (having[0] ?? []).filter(other => other !== id).slice(0, MAX_MISSING);
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
