import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import { toolNameOf } from '../prompts/offered-tool.ts';
import { functionsOf } from './read-functions.ts';
import { type DescribedSystem, type ReadSystem, readOpenApi } from './read-openapi.ts';
import type { RestFunction } from './rest-function.ts';

/** An OpenAPI description: its bytes, or the address where it is. */
export type SentDescription = { readonly bytes: Uint8Array } | { readonly address: string };

/** What a description is read for: to list its functions, or to take some of them; where none are named all, if they are not too many. */
export type DescriptionUse =
  | { readonly kind: 'list' }
  | { readonly kind: 'take'; readonly operations?: readonly string[] | undefined; readonly max: number };

interface Asking {
  readonly hostId: string;
  readonly signal: AbortSignal;
  lendSlot(): () => void;
}

export type DescriptionReader = (
  asking: Asking,
  sent: SentDescription,
  use: DescriptionUse,
) => Promise<DescribedSystem | FieldError[]>;

const MAX_LISTED_DESCRIPTION = 300;
const MAX_LISTED_LEFT = 200;

/** Returns the functions that are wanted, without their arguments where they are only listed; the errors name fields of a body. */
export function readDescribed(text: string, use: DescriptionUse): DescribedSystem | FieldError[] {
  const read = readOpenApi(text);
  if (Array.isArray(read)) return read.map(error => placedAt('openapi', error));
  const { names: _, ...system } = read;
  const left = system.left.slice(0, MAX_LISTED_LEFT);
  if (use.kind === 'list') {
    const functions = system.functions.map(each => ({
      ...each,
      description: each.description.slice(0, MAX_LISTED_DESCRIPTION),
      arguments: {},
    }));
    return { ...system, functions, left };
  }
  const taken = takenOf(read, use).map((each, at) =>
    'rule' in each ? each : checkedOf(each, use.operations ? `operations[${at}]` : 'openapi'),
  );
  const errors = taken.flatMap(each => ('rule' in each ? each : []));
  const functions = taken.flatMap(each => ('rule' in each ? [] : each));
  if (JSON.stringify(functions).length > MAX_TAKEN)
    errors.push(fieldError('operations', 'too-large', { limit: MAX_TAKEN }));
  return errors.length > 0 ? errors : { ...system, functions, left };
}

/** In characters: every turn of the avatar reads them. Functions that are written out are as long as a body at most. */
const MAX_TAKEN = 1_048_576;

type Taken = RestFunction | FieldError;

/** A function that is taken keeps the rules of one that is written out. */
function checkedOf(made: RestFunction, path: string): Taken {
  const read = functionsOf({ functions: [made] });
  if (!read || 'functions' in read) return read?.functions[0] ?? made;
  const [first] = read.errors;
  return first ? placedAt(path, { ...first, path: made.name }) : made;
}

function takenOf(
  { functions, left, names }: ReadSystem,
  { operations, max }: Extract<DescriptionUse, { kind: 'take' }>,
): readonly Taken[] {
  if (!operations) {
    const [first] = left;
    if (functions.length === 0 && first) return [placedAt('openapi', first)];
    if (functions.length <= max) return functions;
    const message = `is required: the file has ${functions.length} operations, and a tool has at most ${max}`;
    return [fieldError('operations', 'required', { message, limit: max })];
  }
  // An operation may be named by its id, of which the function has what a model may be told.
  const nameOf = (wanted: string) => names.get(wanted) ?? toolNameOf(wanted, () => false);
  return operations.map((wanted, at) => {
    const path = `operations[${at}]`;
    const name = nameOf(wanted);
    if (operations.slice(0, at).some(each => nameOf(each) === name)) return fieldError(path, 'taken');
    const found = functions.find(each => each.name === name);
    if (found) return found;
    const unusable = left.find(({ operation }) => operation === wanted);
    return unusable
      ? placedAt(path, unusable)
      : fieldError(path, 'unknown', 'names no operation of the file');
  });
}

function placedAt(path: string, { path: place, rule, message, limit }: FieldError): FieldError {
  return fieldError(path, rule, {
    message: `${place} ${message}`.trim(),
    ...(limit !== undefined && { limit }),
  });
}

/**
 * Returns the address of a system, or why it has none: as given, or as its description has it. A description may have a part of
 * an address, which belongs to that of the system.
 */
export function baseURLOf(
  given: string | undefined,
  described: readonly string[],
): string | FieldError | undefined {
  const [first] = described;
  if (first === undefined || !first.startsWith('/')) return given ?? first;
  if (given === undefined)
    return fieldError('baseURL', 'required', 'is required: the server of the file is relative');
  if (!URL.canParse(first, given)) return given;
  const resolved = new URL(first, given);
  // `//other.example` would be another system.
  return resolved.origin === new URL(given).origin ? resolved.href : given;
}
