import { isDeepStrictEqual } from 'node:util';
import { lockContact, tryLockContacts } from '../../db/conversations/contacts.ts';
import {
  type ExistingRecord,
  findRecords,
  type NewRecord,
  type RecordKey,
  type RecordTable,
  storeRecords,
  updateArrivalTimes,
} from '../../db/intake/crm-records.ts';
import { findLaterFields, finishRecords, type IntakeRecord } from '../../db/intake/intake-records.ts';
import { jsonOf } from '../../db/rows-of.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { storableText } from '../../platform/storable-text.ts';
import { type Failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { e164Of } from '../../text/phone.ts';
import { type MappedRecord, targetOf } from '../domain/crm/field-mapping.ts';
import { columns, type Mapping } from '../domain/crm/mapping.ts';
import { mergeRecord, missingGroupsOf, type StoredFields, warnOfNobody } from '../domain/crm/merge-record.ts';
import { fieldPlacesOf, type RecordFields, readFields } from '../domain/crm/record-fields.ts';
import { type MappedArrival, type RefusedArrival, refuseRecord } from './map-arrival.ts';

/*
 * Stores leads and tickets with their contacts, and the results of the intake. Several records take as many statements as
 * one, but those with a record or a contact in common are stored one after the other, as they arrived:
 *
 *   lock their contacts and records -> repeat: find, merge and store one of each -> finish all
 */

type ReceiveData = DataOf<'receiveTicket'>;

interface AppliedRecord {
  readonly id: string;
  readonly status: ReceiveData['entityData']['status'];
  readonly contact: ReceiveData['contactData'];
}

type Applied = Failure | AppliedRecord;
type Outcomes = Map<IntakeRecord, Outcome<ReceiveData>>;

/** Records that share a transaction of `applyRecords`, and the characters of their bodies. */
export const MAX_BATCH = 100;
export const MAX_BATCH_BYTES = 2 ** 21;
/** A wait for a row ends after this, so that a lock held longer delays only the records that need it. */
const MAX_ROW_WAIT_MS = 100;

/**
 * Stores the lead or ticket of each record with its contact, and the result of the intake. A failure writes nothing. Records of
 * different jobs wait for no other transaction: one that has to wait for its contact's lock gives undefined, and nothing of it
 * is written. With `waits`, a record that comes alone waits for the lock and has an outcome.
 */
export async function applyRecords(
  scope: HostScope,
  arrivals: readonly (MappedArrival | RefusedArrival)[],
  { waits = false }: { readonly waits?: boolean } = {},
): Promise<(Outcome<ReceiveData> | undefined)[]> {
  const outcomes: Outcomes = new Map();
  const mapped: MappedArrival[] = [];
  for (const arrived of arrivals) {
    if (arrived.kind === 'refused') outcomes.set(arrived.record, arrived.failure);
    else mapped.push(arrived);
  }
  mapped.sort((a, b) => compareArrivals(a.record, b.record));
  const identities = await identitiesOf(scope, mapped);
  if (waits) for (const { data, other } of identities) await lockContact(scope, data, other);
  const locks = waits
    ? mapped.map(() => ({ isHeld: true, keys: [] }))
    : await tryLockContacts(scope, identities, MAX_ROW_WAIT_MS);
  const held = mapped.flatMap((arrived, at) => {
    const lock = locks[at];
    return lock?.isHeld ? [{ arrived, keys: lock.keys }] : [];
  });
  await storeAll(scope, held, outcomes);
  return arrivals.map(({ record }) => outcomes.get(record));
}

function compareArrivals(a: IntakeRecord, b: IntakeRecord): number {
  // Both texts are of one millisecond, so they differ only in its fraction.
  const byText = Number(a.arrivedAtText > b.arrivedAtText) - Number(a.arrivedAtText < b.arrivedAtText);
  return a.arrivedAt.getTime() - b.arrivedAt.getTime() || byText;
}

/**
 * Returns the locks to take before a record's own: arrivals of one record, and records of one contact, are stored one after the
 * other. Only the stored record tells the contact of a record without an e-mail.
 */
async function identitiesOf(scope: HostScope, all: readonly MappedArrival[]) {
  const nameless = all.filter(({ result }) => !result.record.sentColumns.has('email'));
  const stored = await findExisting(scope, nameless);
  return all.map(arrived => ({
    data: contactOfRecord(mergeWith(arrived, stored.get(arrived))),
    other: ` ${arrived.key.kind} ${arrived.key.externalId}`,
  }));
}

async function findExisting(
  scope: HostScope,
  all: readonly MappedArrival[],
): Promise<ReadonlyMap<MappedArrival, ExistingRecord>> {
  const found = new Map<MappedArrival, ExistingRecord>();
  for (const [table, those] of byTable(all)) {
    const records = await findRecords(
      scope,
      table,
      those.map(({ key }) => key),
    );
    those.forEach((arrived, at) => {
      const existing = records[at];
      if (existing) found.set(arrived, existing);
    });
  }
  return found;
}

function byTable<T extends { readonly key: RecordKey }>(all: readonly T[]): [RecordTable, readonly T[]][] {
  const tables = new Set(all.map(({ key }) => key.table));
  return Array.from(tables, table => [table, all.filter(({ key }) => key.table === table)]);
}

function mergeWith(
  { key, result, mapping }: MappedArrival,
  existing: ExistingRecord | undefined,
): MappedRecord {
  return warnOfNobody(mergeRecord(existing && storedFieldsOf(existing, key.table), result.record), mapping);
}

/** A record whose locks, named by `keys`, are held. */
interface HeldRecord {
  readonly arrived: MappedArrival;
  readonly keys: readonly string[];
}

/** Stores the records whose locks are held, in order, and adds their outcomes. */
async function storeAll(scope: HostScope, held: readonly HeldRecord[], outcomes: Outcomes): Promise<void> {
  const finished: Parameters<typeof finishRecords>[1][number][] = [];
  for (let left = held; left.length > 0; ) {
    const round = takeRound(left);
    const results = await storeRound(scope, round);
    left = left.filter(({ arrived }) => !results.has(arrived));
    for (const [{ record, mapping, version, result }, applied] of results) {
      if (isFailure(applied)) {
        outcomes.set(record, applied);
        continue;
      }
      const { id, status, contact } = applied;
      const { inter } = result.record;
      const { warnings } = contact.id === '' ? warnOfNobody(result.record, mapping) : result.record;
      const stored = { state: 'done', status, recordTable: mapping.target, recordId: id, warnings } as const;
      finished.push({ id: record.id, result: { ...stored, mappingVersion: version } });
      const data = { entityData: { id, status }, contactData: contact, interData: [...inter] };
      outcomes.set(record, { code: 200, data });
    }
  }
  if (finished.length > 0) await finishRecords(scope, finished);
}

/** Takes the first of those records that share a lock, directly or through others. */
function takeRound(left: readonly HeldRecord[]): MappedArrival[] {
  const seen = new Set<string>();
  return left.flatMap(({ arrived, keys }) => {
    const isFirst = !keys.some(key => seen.has(key));
    for (const key of keys) seen.add(key);
    return isFirst ? [arrived] : [];
  });
}

/** A record to store, replacing the existing one or as a new one. */
interface Change {
  readonly key: RecordKey;
  readonly arrived: MappedArrival;
  readonly record: NewRecord;
  readonly merged: MappedRecord;
}

/** Stores records without a lock in common. One whose contact turns out to be an earlier one's is left out. */
async function storeRound(
  scope: HostScope,
  round: readonly MappedArrival[],
): Promise<ReadonlyMap<MappedArrival, Applied>> {
  const applied = new Map<MappedArrival, Applied>();
  const changes: Change[] = [];
  const equal: MappedArrival[] = [];
  const stored = await findExisting(scope, round);
  for (const arrived of round) {
    const existing = stored.get(arrived);
    const decided = await decide(scope, arrived, existing);
    if ('record' in decided) changes.push(decided);
    else {
      applied.set(arrived, decided);
      if (existing && !existing.isLater && !isFailure(decided)) equal.push(arrived);
    }
  }
  for (const [table, those] of byTable(equal))
    await updateArrivalTimes(
      scope,
      table,
      those.map(({ key }) => key),
    );
  for (const [table, those] of byTable(changes)) await storeChanges(scope, table, those, applied);
  return applied;
}

async function storeChanges(
  scope: HostScope,
  table: RecordTable,
  changes: readonly Change[],
  applied: Map<MappedArrival, Applied>,
): Promise<void> {
  const rows = changes.map(({ record, merged }) => ({ ...record, contact: contactOfRecord(merged) }));
  const stored = await storeRecords(scope, table, rows);
  if (!stored[0]) throw new Error('another arrival of this record was stored in spite of the lock');
  changes.forEach(({ arrived }, at) => {
    const record = stored[at];
    if (!record) return;
    const contact = { id: record.contactId ?? '', email: record.contactEmail };
    applied.set(arrived, { id: record.id, status: record.isNew ? 'created' : 'updated', contact });
  });
}

async function decide(
  scope: HostScope,
  arrived: MappedArrival,
  existing: ExistingRecord | undefined,
): Promise<Change | Applied> {
  const { key, mapping, result } = arrived;
  const missing = missingGroupsOf(result, mapping, existing && storedFieldsOf(existing, key.table));
  if (missing.length > 0) return refuseRecord(result, missing);
  if (existing?.isLater) return addOlder(scope, arrived, existing);
  const merged = mergeWith(arrived, existing);
  const record = newRecordOf(key, mapping, merged);
  if (existing && isEqual(existing, record, merged)) return toUnchanged(existing);
  return { key, arrived, record, merged };
}

/** Adds the fields of an older arrival that no later one named, as if it had been processed in its order. */
async function addOlder(
  scope: HostScope,
  arrived: MappedArrival,
  existing: ExistingRecord,
): Promise<Change | AppliedRecord> {
  const { key, mapping, map } = arrived;
  const { fields, around } = readFields(arrived.record.body, mapping);
  // The names are compared as stored: a name with characters that cannot be stored differs from what was sent.
  const names = [...fields.keys(), ...around.keys(), ...Object.keys(mapping.fields)].map(storableText);
  const places = fieldPlacesOf(mapping);
  const later = await findLaterFields(scope, existing.id, key.arrivedAtText, { names, places });
  if (!later) return toUnchanged(existing);
  const named = new Set(later);
  const filled = new Set(later.map(name => columnOf(name, mapping)));
  const isNamed = (name: string) => {
    const column = columnOf(name, mapping);
    return named.has(storableText(name)) || (column !== undefined && filled.has(column));
  };
  const unnamed = (all: RecordFields['fields']) => new Map([...all].filter(([name]) => !isNamed(name)));
  const rest = { fields: unnamed(fields), around: unnamed(around) };
  const merged = warnOfNobody(mergeRecord(storedFieldsOf(existing, key.table), map(rest).record), mapping);
  // The older arrival's own stage may have solved the ticket, whatever a later one said.
  const { solvedAtText } = newRecordOf(key, mapping, arrived.result.record);
  const { arrivedAtText } = existing;
  const record = { ...newRecordOf(key, mapping, merged), arrivedAtText, solvedAtText };
  return isUnchanged(existing, record) ? toUnchanged(existing) : { key, arrived, record, merged };
}

function columnOf(name: string, mapping: Mapping): string | undefined {
  const to = targetOf(name, mapping)?.to;
  return to === 'inter' || to === 'campus' ? undefined : to;
}

function isEqual(existing: ExistingRecord, record: NewRecord, merged: MappedRecord): boolean {
  // A record whose contact was deleted is stored again, with a new contact.
  const lacksContact = existing.contactId === null && namesContact(merged);
  return !lacksContact && isUnchanged(existing, record);
}

function namesContact({ values }: MappedRecord): boolean {
  return Boolean(values['email'] || values['mobilephone']);
}

function toUnchanged({ id, contactId, contactEmail }: ExistingRecord): AppliedRecord {
  return { id, status: 'unchanged', contact: { id: contactId ?? '', email: contactEmail } };
}

/** Every ticket has a time of opening, so an arrival without one keeps the stored time. */
const OPENED_AT = 'opened_at';

/** Returns the stored columns, in the form in which a mapping fills them. */
function storedFieldsOf({ columns: stored }: ExistingRecord, table: RecordTable): StoredFields {
  const names = Object.keys(columns[table]);
  const values = names.map(name => [name, name === OPENED_AT ? '' : (stored[name] ?? '')]);
  const { campus = {}, inter_data: inter, warnings } = stored;
  return { values: Object.fromEntries(values), campus, inter, warnings } as StoredFields;
}

function isUnchanged(existing: ExistingRecord, record: NewRecord): boolean {
  if (record.solvedAtText !== null && existing.wasOpen) return false;
  const { [OPENED_AT]: opened, ...others } = JSON.parse(jsonOf(record.columns)) as Record<string, unknown>;
  if (opened && !isSameTime(opened, existing.columns[OPENED_AT])) return false;
  // Leads have no campus fields.
  const compared = Object.entries(others).filter(([name]) => Object.hasOwn(existing.columns, name));
  return compared.every(([name, value]) => isDeepStrictEqual(value, existing.columns[name] ?? ''));
}

function newRecordOf(key: RecordKey, mapping: Mapping, merged: MappedRecord): NewRecord {
  const { values, campus, inter, warnings } = merged;
  const { mobilephone, stage = '' } = values;
  const solvedAtText = mapping.solvedStages.includes(stage) ? key.arrivedAtText : null;
  const others = { phone_e164: e164Of(mobilephone), campus, inter_data: inter, warnings };
  return { ...key, columns: { ...values, ...others }, solvedAtText };
}

function contactOfRecord({ values }: MappedRecord) {
  const { firstname = '', lastname = '', email, mobilephone, cpf } = values;
  const name = `${firstname.trim()} ${lastname.trim()}`.trim();
  return { name, email, phone: mobilephone, phoneE164: e164Of(mobilephone), cpf };
}

function isSameTime(a: unknown, b: unknown): boolean {
  return new Date(String(a)).getTime() === new Date(String(b)).getTime();
}
