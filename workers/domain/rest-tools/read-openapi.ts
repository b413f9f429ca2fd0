import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { toolNameOf } from '../prompts/offered-tool.ts';
import { type AccessProposal, authOf, baseURLsOf } from './described-access.ts';
import { LEADS_NOWHERE, parseDescription, pointerTo, resolved } from './description-text.ts';
import { type DescribedOperation, functionOf } from './operation-function.ts';
import type { RestFunction } from './rest-function.ts';

export interface DescribedSystem {
  /** Relative where the description has them so: it does not say where it came from. */
  readonly baseURLs: readonly string[];
  readonly auth: readonly AccessProposal[];
  readonly functions: readonly RestFunction[];
  /** The operations that are no functions: by the place of each, why not. */
  readonly left: readonly LeftOperation[];
}

/** With the names of the functions by the ids of their operations. */
export interface ReadSystem extends DescribedSystem {
  readonly names: ReadonlyMap<string, string>;
}

export interface LeftOperation extends FieldError {
  /** Its id, where the description gives it one. */
  readonly operation?: string;
}

const MAX_OPERATIONS = 2_000;
/** A longer one is no path of a function. */
const MAX_PATH_LENGTH = 1_000;
/**
 * Limits what is written of arguments; the largest of sixty descriptions has 2 million. 2,000 operations that all had one schema
 * of 1,500 fields took 22 s, and take 3 s.
 */
const MAX_WRITTEN = 16_000_000;
/** An operation that is no function counts as the largest one. */
const WRITTEN_IN_VAIN = 64_000;

/** Returns the functions of a description in JSON or YAML, or why it cannot be read. It fetches nothing. */
export function readOpenApi(text: string): ReadSystem | FieldError[] {
  const read = parseDescription(text);
  if ('errors' in read) return read.errors;
  const { description } = read;
  const { operations, left } = operationsIn(description);
  if (operations.length > MAX_OPERATIONS)
    return [fieldError('/paths', 'max-items', { limit: MAX_OPERATIONS })];
  if (operations.length + left.length === 0) return [fieldError('/paths', 'required')];
  const required = operations.map(({ operation }) => operation['security']);
  const auth = authOf(description, required);
  const own = operations.map(({ servers }) => baseURLsOf(servers));
  const ofAll = baseURLsOf(description['servers']);
  const baseURLs = ofAll.length > 0 ? ofAll : (own.find(urls => urls.length > 0) ?? []);
  const names = new Set<string>();
  const ids = operations.flatMap(each => idOf(each).operation ?? []);
  const ownNames = new Set(ids.filter(id => toolNameOf(id, () => false) === id));
  const named = new Map<string, string>();
  const functions: RestFunction[] = [];
  let written = 0;
  for (const [at, operation] of operations.entries()) {
    const isElsewhere = own[at]?.length && !own[at].some(url => baseURLs.includes(url));
    const made = isElsewhere
      ? fieldError(operation.place, 'unsupported', ELSEWHERE)
      : written > MAX_WRITTEN
        ? fieldError(operation.place, 'too-large', 'comes after all that is read of one description')
        : functionOf(description, operation, { names, ownNames, auth: auth.flat() });
    const isLeft = 'rule' in made;
    written += isLeft ? WRITTEN_IN_VAIN : JSON.stringify(made.arguments).length;
    const { operation: id } = idOf(operation);
    if (isLeft) left.push({ ...made, ...idOf(operation) });
    else functions.push(made);
    if (!isLeft && id !== undefined && !named.has(id)) named.set(id, made.name);
  }
  return { baseURLs, auth, functions, left, names: named };
}

function idOf({ operation: { operationId } }: DescribedOperation): Pick<LeftOperation, 'operation'> {
  return typeof operationId === 'string' ? { operation: operationId.slice(0, MAX_PATH_LENGTH) } : {};
}

const ELSEWHERE = 'has a server of its own, which is not that of the others';
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

function operationsIn(description: JsonObject) {
  const { paths } = description;
  const operations: DescribedOperation[] = [];
  const left: LeftOperation[] = [];
  for (const [path, sent] of isJsonObject(paths) ? Object.entries(paths) : []) {
    if (!path.startsWith('/')) continue;
    if (path.length > MAX_PATH_LENGTH) {
      left.push(fieldError('/paths', 'max-length', { limit: MAX_PATH_LENGTH }));
      continue;
    }
    const item = resolved(description, sent);
    if (!item) left.push(fieldError(pointerTo('paths', path), 'unknown', LEADS_NOWHERE));
    for (const method of item ? METHODS : []) {
      const operation = item?.[method];
      if (!item || !isJsonObject(operation)) continue;
      operations.push({
        place: pointerTo('paths', path, method),
        method: method.toUpperCase() as RestFunction['method'],
        path,
        operation,
        parameters: [item['parameters'], operation['parameters']].flatMap(each =>
          Array.isArray(each) ? (each as unknown[]) : [],
        ),
        servers: operation['servers'] ?? item['servers'],
      });
    }
  }
  return { operations, left };
}
