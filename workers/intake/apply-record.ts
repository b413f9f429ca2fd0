import { holdContact } from '../../db/contacts.ts';
import { findMapping } from '../../db/crm-mappings.ts';
import { lookForRecord, type NewRecord, type StandingRecord, storeRecord } from '../../db/crm-records.ts';
import { finishRecord, type IntakeRecord } from '../../db/intake-records.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FieldError, failure, type Outcome } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import { type MappedRecord, mapRecord } from '../domain/crm/field-mapping.ts';
import { agreedByDefault, type Mapping, type RecordKind } from '../domain/crm/mapping.ts';
import { e164Of } from '../domain/phone.ts';

type Received = DataOf<'receiveTicket'>;

const MOST_NAMED = 20;

interface Settled {
  readonly id: string;
  readonly status: Received['entityData']['status'];
  readonly contact: Received['contactData'];
}

/** Makes of what arrived a lead or a ticket with its contact, and notes that. What is refused has written nothing. */
export async function applyRecord(scope: HostScope, record: IntakeRecord): Promise<Outcome<Received>> {
  const kind = record.kind as RecordKind;
  const { version, mapping } = mappingOf(kind, record.agreed);
  if (!mapping) return failure('mapping-not-agreed');
  const mapped = mapRecord(record.body, mapping, record.arrivedAt);
  if (mapped.kind === 'refused') return failure('body-invalid', { fields: named(mapped.wrong) });
  const given = newRecordOf(record, mapping, mapped);
  const { id, status, contact } = await settle(scope, given, mapped);
  const { warnings, inter } = mapped;
  const fate = { state: 'done', status, recordTable: given.table, recordId: id, warnings } as const;
  await finishRecord(scope, record.id, { ...fate, mappingVersion: version });
  return { code: 200, data: { entityData: { id, status }, contactData: contact, interData: [...inter] } };
}

/** Version 0 is that of the specification. */
export async function agreedMapping(
  scope: HostScope,
  kind: RecordKind,
): Promise<{ version: number; mapping: Mapping | undefined }> {
  return mappingOf(kind, (await findMapping(scope, kind)) ?? null);
}

function mappingOf(kind: RecordKind, own: IntakeRecord['agreed']) {
  return own ? { ...own, mapping: own.mapping as Mapping } : { version: 0, mapping: agreedByDefault[kind] };
}

function newRecordOf({ kind, arrival }: IntakeRecord, mapping: Mapping, mapped: MappedRecord): NewRecord {
  const { values, campus, inter, warnings } = mapped;
  const { external_id: externalId = '', mobilephone, stage = '' } = values;
  return {
    table: mapping.target,
    kind,
    externalId,
    arrival,
    columns: { ...values, phone_e164: e164Of(mobilephone), campus, inter_data: inter, warnings },
    isSolved: mapping.solvedStages.includes(stage),
  };
}

/** One after the other for arrivals of one record, and for records of one contact. */
async function settle(scope: HostScope, given: NewRecord, mapped: MappedRecord): Promise<Settled> {
  await holdContact(scope, contactOf(mapped), ` ${given.kind} ${given.externalId}`);
  const standing = await lookForRecord(scope, given);
  // One whose contact is gone gets it back.
  const lacksContact = standing?.contactId === null && isSomebody(mapped);
  if (standing && (standing.isLater || (standing.isSame && !lacksContact))) return unchanged(standing);
  const stored = await storeRecord(scope, given, contactOf(mapped));
  if (!stored) throw new Error('another arrival of this record was stored although it was held');
  const status = stored.isNew ? 'created' : 'updated';
  return { id: stored.id, status, contact: { id: stored.contactId ?? '', email: stored.contactEmail } };
}

function isSomebody({ values }: MappedRecord): boolean {
  return Boolean(values['email'] || values['mobilephone']);
}

function unchanged({ id, contactId, contactEmail }: StandingRecord): Settled {
  return { id, status: 'unchanged', contact: { id: contactId ?? '', email: contactEmail } };
}

function contactOf({ values }: MappedRecord) {
  const { firstname = '', lastname = '', email, mobilephone, cpf } = values;
  const name = `${firstname.trim()} ${lastname.trim()}`.trim();
  return { name, email, phone: mobilephone, phoneE164: e164Of(mobilephone), cpf };
}

function named(wrong: readonly FieldError[]): readonly FieldError[] {
  return wrong.slice(0, MOST_NAMED);
}
