import { lockContact } from '../../db/conversations/contacts.ts';
import {
  type ExistingRecord,
  findRecord,
  type NewRecord,
  type RecordKey,
  storeRecord,
  updateArrivalTime,
} from '../../db/intake/crm-records.ts';
import { findLaterFields, finishRecord, type IntakeRecord } from '../../db/intake/intake-records.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { limitFieldErrors } from '../../platform/field-error.ts';
import { storableText } from '../../platform/storable-text.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import {
  listMissingFields,
  type MappedRecord,
  type MappingResult,
  mapRecord,
} from '../domain/crm/field-mapping.ts';
import { defaultMappings, type Mapping, type RecordKind } from '../domain/crm/mapping.ts';
import { findMissingGroups, mergeRecord } from '../domain/crm/merge-record.ts';
import { contactOf, fieldsOf, isUnchanged, newRecordOf } from './record-row.ts';

type ReceiveData = DataOf<'receiveTicket'>;

interface AppliedRecord {
  readonly id: string;
  readonly status: ReceiveData['entityData']['status'];
  readonly contact: ReceiveData['contactData'];
}

/** Stores the lead or ticket with its contact, and the result of the intake. A failure writes nothing. */
export async function applyRecord(scope: HostScope, record: IntakeRecord): Promise<Outcome<ReceiveData>> {
  const kind = record.kind as RecordKind;
  const { version, mapping } = mappingOf(kind, record.mapping);
  if (!mapping) return failure('mapping-not-agreed');
  const { timeZone, arrivedAt: now, arrival } = record;
  const map = (body: object) => mapRecord(body, mapping, { now, timeZone });
  const result = map(record.body);
  const { external_id: externalId = '' } = result.record.values;
  // Without a key there is no stored record to merge with.
  if (result.errors.length > 0 || externalId === '') return refuseRecord(result, result.missing);
  const key = { table: mapping.target, kind, externalId, arrival };
  const applied = await mergeAndStore(scope, key, { mapping, result, body: record.body, map });
  if (isFailure(applied)) return applied;
  const { id, status, contact } = applied.data;
  const { warnings, inter } = result.record;
  const stored = { state: 'done', status, recordTable: mapping.target, recordId: id, warnings } as const;
  await finishRecord(scope, record.id, { ...stored, mappingVersion: version });
  return { code: 200, data: { entityData: { id, status }, contactData: contact, interData: [...inter] } };
}

function refuseRecord({ errors }: MappingResult, missing: MappingResult['missing']) {
  return failure('body-invalid', { fields: limitFieldErrors([...listMissingFields(missing), ...errors]) });
}

/** That of the host, or, as version 0, that of the specification; undefined where neither is. */
export function mappingOf(
  kind: RecordKind,
  own: IntakeRecord['mapping'],
): { version: number; mapping: Mapping | undefined } {
  return own ? { ...own, mapping: own.mapping as Mapping } : { version: 0, mapping: defaultMappings[kind] };
}

interface MappedArrival {
  readonly body: object;
  readonly mapping: Mapping;
  readonly result: MappingResult;
  map(body: object): MappingResult;
}

/** The lock serializes arrivals of one record, and records of one contact. */
async function mergeAndStore(
  scope: HostScope,
  key: RecordKey,
  arrived: MappedArrival,
): Promise<Outcome<AppliedRecord>> {
  const { mapping, result } = arrived;
  const mergeWith = (existing: ExistingRecord | undefined) =>
    mergeRecord(existing && fieldsOf(existing, key.table), result.record);
  // Only the stored record tells the contact of a record without an e-mail, and the contact is locked before the record.
  const early = result.record.sentColumns.has('email') ? undefined : await findRecord(scope, key);
  await lockContact(scope, contactOf(mergeWith(early)), ` ${key.kind} ${key.externalId}`);
  const existing = await findRecord(scope, key);
  const missing = findMissingGroups(result, mapping, existing && fieldsOf(existing, key.table));
  if (missing.length > 0) return refuseRecord(result, missing);
  if (existing?.isLater) return { code: 200, data: await storeOlder(scope, key, existing, arrived) };
  const merged = mergeWith(existing);
  const record = newRecordOf(key, mapping, merged);
  if (existing && isEqual(existing, record, merged)) {
    await updateArrivalTime(scope, key);
    return { code: 200, data: toUnchanged(existing) };
  }
  return { code: 200, data: await storeMerged(scope, record, merged) };
}

async function storeMerged(
  scope: HostScope,
  newRecord: NewRecord,
  merged: MappedRecord,
): Promise<AppliedRecord> {
  const record = await storeRecord(scope, newRecord, contactOf(merged));
  if (!record) throw new Error('another arrival of this record was stored in spite of the lock');
  const status = record.isNew ? 'created' : 'updated';
  return { id: record.id, status, contact: { id: record.contactId ?? '', email: record.contactEmail } };
}

/** Stores the fields of an older arrival that no later one named, as if it had been processed in its order. */
async function storeOlder(
  scope: HostScope,
  key: RecordKey,
  existing: ExistingRecord,
  { body, mapping, map }: MappedArrival,
): Promise<AppliedRecord> {
  // As stored, where a name that cannot be stored is changed.
  const fields = Object.entries(body).map(([name, value]) => [storableText(name), value] as const);
  const names = fields.map(([name]) => name);
  const later = await findLaterFields(scope, existing.id, key.arrival, names);
  if (!later) return toUnchanged(existing);
  const named = new Set(later);
  const rest = Object.fromEntries(fields.filter(([name]) => !named.has(name)));
  const merged = mergeRecord(fieldsOf(existing, key.table), map(rest).record);
  const record = newRecordOf({ ...key, arrival: existing.arrival }, mapping, merged);
  return isUnchanged(existing, record) ? toUnchanged(existing) : storeMerged(scope, record, merged);
}

/** Whether the arrival is equal to the stored record. */
function isEqual(existing: ExistingRecord, record: NewRecord, merged: MappedRecord): boolean {
  // The contact was deleted: the record is stored again, with a new contact.
  const lacksContact = existing.contactId === null && namesContact(merged);
  return !lacksContact && isUnchanged(existing, record);
}

function namesContact({ values }: MappedRecord): boolean {
  return Boolean(values['email'] || values['mobilephone']);
}

function toUnchanged({ id, contactId, contactEmail }: ExistingRecord): AppliedRecord {
  return { id, status: 'unchanged', contact: { id: contactId ?? '', email: contactEmail } };
}
