import type { RecordKey } from '../../db/intake/crm-records.ts';
import type { IntakeRecord } from '../../db/intake/intake-records.ts';
import { limitFieldErrors } from '../../platform/field-error.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import {
  type MappingResult,
  mapFields,
  mapRecord,
  missingFieldErrorsOf,
} from '../domain/crm/field-mapping.ts';
import { defaultMappings, type Mapping, type RecordKind } from '../domain/crm/mapping.ts';
import type { RecordFields } from '../domain/crm/record-fields.ts';

export interface MappedArrival {
  readonly kind: 'mapped';
  readonly record: IntakeRecord;
  readonly key: RecordKey;
  readonly version: number;
  readonly mapping: Mapping;
  readonly result: MappingResult;
  map(fields: RecordFields): MappingResult;
}

export interface RefusedArrival {
  readonly kind: 'refused';
  readonly record: IntakeRecord;
  readonly failure: Failure;
  readonly externalId: string | null;
}

/**
 * Reads a record by its mapping. Callers do so before they open a transaction: a body of 1 MiB with 20,000 fields takes some
 * 100 ms, and never more than in proportion to its length.
 */
export function mapArrival(record: IntakeRecord): MappedArrival | RefusedArrival {
  const kind = record.kind as RecordKind;
  const { version, mapping } = mappingOf(kind, record.mapping);
  if (!mapping) {
    const hint = `npm run call -- saveMapping mapping.json --host <slug> --kind ${kind} (or --preset <crm>) agrees on one`;
    return { kind: 'refused', record, failure: failure('mapping-not-agreed', { hint }), externalId: null };
  }
  const { timeZone, arrivedAt: now, arrivedAtText } = record;
  const map = (fields: RecordFields) => mapFields(fields, mapping, { now, timeZone });
  const result = mapRecord(record.body, mapping, { now, timeZone });
  const { external_id: externalId = '' } = result.record.values;
  // Without a key there is no stored record to merge with.
  if (result.errors.length > 0 || externalId === '') {
    const refused = refuseRecord(result, result.missing);
    return { kind: 'refused', record, failure: refused, externalId: externalId || null };
  }
  const key = { table: mapping.target, kind, externalId, arrivedAtText };
  return { kind: 'mapped', record, key, version, mapping, result, map };
}

export function refuseRecord({ errors }: MappingResult, missing: MappingResult['missing']): Failure {
  return failure('body-invalid', { fields: limitFieldErrors([...missingFieldErrorsOf(missing), ...errors]) });
}

/** Returns the host's mapping, or else the specification's as version 0; undefined where there is neither. */
export function mappingOf(
  kind: RecordKind,
  own: IntakeRecord['mapping'],
): { version: number; mapping: Mapping | undefined } {
  return own ? { ...own, mapping: own.mapping as Mapping } : { version: 0, mapping: defaultMappings[kind] };
}
