import { findHost } from '../../db/hosts/hosts.ts';
import { findMapping, setMapping } from '../../db/intake/crm-mappings.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { limitFieldErrors, missingErrorsOf } from '../../platform/field-error.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { mapRecord, missingFieldErrorsOf, targetOf } from '../domain/crm/field-mapping.ts';
import { type Mapping, recordKinds } from '../domain/crm/mapping.ts';
import { fileOf, parseMapping } from '../domain/crm/mapping-file.ts';
import { mappingPresets } from '../domain/crm/mapping-presets.ts';
import type { MappingTime } from '../domain/crm/parse-value.ts';
import { listRecords, readFields } from '../domain/crm/record-fields.ts';
import type { Handler } from '../runtime/job.ts';
import { mappingOf } from './map-arrival.ts';

type Written = BodyOf<'saveMapping'>;

export const saveMapping: Handler<'saveMapping'> = async ({ hostId, body, commit }) => {
  const { kind, deleted = false } = body;
  const written = deleted ? { code: 200 as const, data: null } : readWritten(body);
  if (isFailure(written)) return written;
  return commit(async scope => {
    const version = await setMapping(scope, kind, written.data);
    return { code: 200, data: { hostId, kind, version, ...(deleted && { deleted }) } };
  });
};

export const listMappings: Handler<'listMappings'> = ({ body, read }) =>
  read(async scope => {
    const found: DataOf<'listMappings'> = [];
    for (const kind of body.kind ? [body.kind] : recordKinds) {
      const { version, mapping } = mappingOf(kind, (await findMapping(scope, kind)) ?? null);
      if (mapping) found.push({ kind, version, ...fileOf(mapping) });
    }
    return { code: 200, data: found };
  });

export const tryMapping: Handler<'tryMapping'> = ({ body, read }) =>
  read(async scope => {
    const chosen = (body.preset ?? body.fields) ? readWritten(body) : await readCurrent(scope, body.kind);
    if (isFailure(chosen)) return chosen;
    const at = { now: new Date(), timeZone: (await findHost(scope))?.timeZone ?? 'UTC' };
    const { path = '', bodies, error } = listRecords(body.record, chosen.data) ?? { bodies: [body.record] };
    if (error) return failure('body-invalid', { fields: [{ path: `record.${path}`, ...error }] });
    return { code: 200, data: bodies.slice(0, MAX_TRIED).map(each => tryOne(each ?? {}, chosen.data, at)) };
  });

const MAX_TRIED = 20;

function readWritten({ kind, preset, ...parts }: Omit<Written, 'hostId'>): Outcome<Mapping> {
  const { fields, required, ...others } = { ...(preset && mappingPresets[preset]), ...parts };
  if (!fields || !required) return failure('body-invalid', { fields: missingErrorsOf({ fields, required }) });
  const { mapping, errors } = parseMapping(kind, { ...others, fields, required });
  return mapping
    ? { code: 200, data: mapping }
    : failure('body-invalid', { fields: limitFieldErrors(errors) });
}

async function readCurrent(scope: HostScope, kind: Written['kind']): Promise<Outcome<Mapping>> {
  const { mapping } = mappingOf(kind, (await findMapping(scope, kind)) ?? null);
  return mapping ? { code: 200, data: mapping } : failure('mapping-not-agreed');
}

function tryOne(body: object, mapping: Mapping, at: MappingTime): DataOf<'tryMapping'>[number] {
  const { fields, around } = readFields(body, mapping);
  const { record, errors, missing } = mapRecord(body, mapping, at);
  return {
    fields: [
      ...Array.from(fields.keys(), field => ({ field, to: targetOf(field, mapping)?.to ?? null })),
      ...Array.from(around.keys(), field => ({ field, to: null })),
    ],
    errors: [...missingFieldErrorsOf(missing), ...errors],
    warnings: [...record.warnings],
  };
}
