import { finishRecord, type IntakeRecord } from '../../db/intake/intake-records.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { Failure } from '../../queues/contract/failure.ts';
import { mapRecord } from '../domain/crm/field-mapping.ts';
import type { RecordKind } from '../domain/crm/mapping.ts';
import { addEvent } from '../runtime/add-event.ts';
import { mappingOf } from './apply-record.ts';

/** Stores why a record was refused, and tells the webhooks of the host: once, however often it is replayed. */
export async function noteRefusal(scope: HostScope, record: IntakeRecord, failure: Failure): Promise<void> {
  const reasons = reasonsOf(failure);
  await finishRecord(scope, record.id, { state: 'refused', reasons });
  if (record.wasRefused) return;
  await addEvent(scope, {
    type: 'record.refused',
    data: {
      kind: record.kind as RecordKind,
      external_id: externalIdOf(record),
      fields: reasons.map(({ path, message: why }) => ({ path, message: why })),
    },
    intakeRecordId: record.id,
  });
}

function externalIdOf(record: IntakeRecord): string | null {
  const { mapping } = mappingOf(record.kind as RecordKind, record.mapping);
  if (!mapping) return null;
  const { timeZone, arrivedAt: now, body } = record;
  return mapRecord(body, mapping, { now, timeZone }).record.values['external_id'] || null;
}

/** The reasons of a record that failed by a fault of the service. */
export const internalError = [{ path: '', message: 'an internal error' }];

function reasonsOf({
  message,
  data,
}: Failure): readonly { readonly path: string; readonly message: string }[] {
  return data?.fields ?? [{ path: '', message }];
}
