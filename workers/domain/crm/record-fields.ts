import { type BrokenRule, broken } from '../../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import type { Mapping } from './mapping.ts';

/*
 * Finds the fields of a record. The record is the body, or the value at one of its paths (`records`), where each item of a list
 * is a record. A name of the mapping is a field of the record, or a path to one (`contact.uuid`, `emails.0.value`): objects on
 * the way are opened, and each field in them is named by its path, so that unmapped ones are kept, too. A change of one
 * property, as HubSpot sends it, becomes that field.
 */

export interface RecordFields {
  /** Fields by name, which may be a path. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** Values around the record in its body: kept, and never mapped. */
  readonly around: ReadonlyMap<string, unknown>;
}

type Paths = Pick<Mapping, 'fields' | 'records'>;
type Path = readonly string[];

const MAX_LISTED_RECORDS = 1_000;
/** Limits what each record keeps from around it: 1 MiB beside 1,000 records would be 1 GB. */
const MAX_REPEATED_LENGTH = 1_048_576;

export function readFields(body: object, mapping: Paths): RecordFields {
  const opened = openedBy(Object.keys(mapping.fields));
  const fields = new Map<string, unknown>();
  const around = new Map<string, unknown>();
  const place = placeOf(body, mapping);
  const record = place ? (Array.isArray(place.value) ? place.value[0] : place.value) : body;
  if (isOpenable(record)) addFields(fields, nameProperty(record as JsonObject, mapping), opened);
  if (place) {
    const path = place.path.join('.');
    addFields(around, body, openedBy([path]));
    around.delete(path);
  }
  return { fields, around };
}

/** Adds names in order; a field's name is never a path's. */
function addFields(fields: Map<string, unknown>, of: object, opened: ReadonlySet<string>, before = ''): void {
  for (const [name, value] of Object.entries(of)) {
    const path = `${before}${name}`;
    if (isOpenable(value) && opened.has(path)) addFields(fields, value, opened, `${path}.`);
    else if (before === '' || !fields.has(path)) fields.set(path, value);
  }
}

/** Returns the paths of the objects that contain these names. */
function openedBy(names: readonly string[]): ReadonlySet<string> {
  const nested = names.filter(name => name.includes('.'));
  return new Set(
    nested.flatMap(name => {
      const path = name.split('.');
      return path.slice(1).map((_, at) => path.slice(0, at + 1).join('.'));
    }),
  );
}

function isOpenable(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const PROPERTY = ['propertyName', 'propertyValue', 'occurredAt'] as const;

/** Turns `{propertyName: "email", propertyValue: "…"}` into `{email: "…"}`, unless the mapping has these names itself. */
function nameProperty(record: JsonObject, { fields }: Paths): JsonObject {
  if (!isPropertyEvent(record) || PROPERTY.some(name => Object.hasOwn(fields, name))) return record;
  const { propertyName, propertyValue, ...about } = record;
  return { [String(propertyName)]: propertyValue, ...about };
}

export function isPropertyEvent(record: object): boolean {
  const { propertyName } = record as JsonObject;
  return typeof propertyName === 'string' && PROPERTY.every(name => Object.hasOwn(record, name));
}

/** Returns the first of the paths of records that leads to a list or an object. */
function placeOf(body: object, { records = [] }: Paths): { path: Path; value: object } | undefined {
  for (const name of records) {
    const path = Object.hasOwn(body, name) ? [name] : name.split('.');
    const value = path.reduce<unknown>(
      (inner, step) => (isJsonObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined),
      body,
    );
    if (isOpenable(value)) return { path, value };
  }
  return undefined;
}

/** Records of a list. Each has the body that it would have if it had come alone; an item that is no object has none. */
export interface ListedRecords {
  readonly path: string;
  readonly bodies: readonly (object | undefined)[];
  /** The error of the list as a whole. */
  readonly error?: BrokenRule;
}

/** Returns undefined if the mapping knows no list, or the body has none. */
export function listRecords(body: object, mapping: Paths): ListedRecords | undefined {
  const place = placeOf(body, mapping);
  if (!place || !Array.isArray(place.value)) return undefined;
  const path = place.path.join('.');
  const items: readonly unknown[] = place.value;
  const message = `must contain 1 to ${MAX_LISTED_RECORDS} records`;
  if (items.length === 0) return { path, bodies: [], error: broken('min-items', { limit: 1, message }) };
  if (items.length > MAX_LISTED_RECORDS)
    return { path, bodies: [], error: broken('max-items', { limit: MAX_LISTED_RECORDS, message }) };
  const aroundLength = JSON.stringify(replaceAt(body, place.path, [])).length;
  if (items.length > 1 && aroundLength * items.length > MAX_REPEATED_LENGTH)
    return {
      path,
      bodies: [],
      error: broken('too-large', 'has too many records for what is around them'),
    };
  const bodyOf = (item: unknown) => (isJsonObject(item) ? replaceAt(body, place.path, [item]) : undefined);
  return { path, bodies: items.map(bodyOf) };
}

function replaceAt(body: object, [step = '', ...rest]: Path, value: unknown): object {
  const inner = (body as JsonObject)[step];
  return { ...body, [step]: rest.length > 0 && isOpenable(inner) ? replaceAt(inner, rest, value) : value };
}

/** Whether the body contains a list of objects: only then a mapping can know one. */
export function mayListRecords(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  return Object.values(body).some(value =>
    Array.isArray(value) ? value.some(isOpenable) : mayListRecords(value),
  );
}

/** Describes where fields of a body may be, for `findLaterFields`; `before` is the prefix of their names. */
export interface FieldPlace {
  readonly path: Path;
  readonly before: string;
}

export function fieldPlacesOf({ fields, records = [] }: Paths): FieldPlace[] {
  const roots = records.flatMap(name => [[name], [name, '0'], name.split('.'), [...name.split('.'), '0']]);
  const opened = Array.from(openedBy(Object.keys(fields)));
  return [[], ...roots].flatMap((root: Path) => [
    { path: root, before: '' },
    ...opened.map(path => ({ path: [...root, ...path.split('.')], before: `${path}.` })),
  ]);
}
