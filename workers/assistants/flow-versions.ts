import {
  type FlowVersion,
  findFlowVersion,
  hasFlow,
  listFlowVersions as versionsOf,
} from '../../db/assistants/flow-versions.ts';
import { findFlowForUpdate, updateFlow } from '../../db/assistants/flows.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { FieldError } from '../../platform/field-error.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { integer, object } from '../../queues/contract/shape.ts';
import { findStepErrors } from '../bodies/find-step-errors.ts';
import { readPage } from '../bodies/page.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import type { Handler, JobOf } from '../runtime/job.ts';
import { flowEntryOf, isTimeOf } from './flows.ts';

const key = object({ version: integer({ min: 1, max: 2_147_483_647 }) });

export const listFlowVersions: Handler<'listFlowVersions'> = job =>
  job.read(async scope => {
    const { id } = job.body;
    if (!(await hasFlow(scope, id))) return failure('flow-not-found');
    return readPage({ ...job, ofId: id }, key, {
      read: order => versionsOf(scope, id, order),
      keyOf: ({ version }) => ({ version }),
      fits: ({ fits }) => fits,
      toItem: ({ fits: _fits, ...version }) => flowEntryOf(version),
    });
  });

/** The model is looked up before the transaction, because that may take seconds. A version never changes. */
export function makeRestoreFlowVersion(directory: ModelDirectory): Handler<'restoreFlowVersion'> {
  return async job => {
    const { id, version } = job.body;
    const found = await job.read(async scope => {
      const saved = await findVersion(scope, id, version);
      return isFailure(saved) ? saved : { code: 200, data: saved };
    });
    if (isFailure(found)) return found;
    const { model } = found.data;
    const error = model === '' ? undefined : await directory.findModelError(model, job.hostId);
    if (error) return refuseVersion([{ path: 'model', ...error }]);
    return job.commit(scope => restore(scope, job));
  };
}

async function findVersion(scope: HostScope, id: string, version: number): Promise<FlowVersion | Failure> {
  if (!(await hasFlow(scope, id))) return failure('flow-not-found');
  return (await findFlowVersion(scope, id, version)) ?? failure('flow-version-not-found');
}

async function restore(
  scope: HostScope,
  { body, caller }: JobOf<'restoreFlowVersion'>,
): Promise<Outcome<DataOf<'restoreFlowVersion'>>> {
  const flow = await findFlowForUpdate(scope, body.id);
  const saved = await findVersion(scope, body.id, body.version);
  if (isFailure(saved)) return saved;
  if (!flow) return failure('flow-not-found');
  if (body.expectedUpdatedAt !== undefined && !isTimeOf(flow, body.expectedUpdatedAt))
    return failure('flow-stale');
  const errors = await findStepErrors(scope, saved.chainJson);
  if (errors.length > 0) return refuseVersion(errors);
  const restored = await updateFlow(scope, flow.id, { ...saved, deleted: false, savedBy: caller.tokenId });
  if (!restored) return failure('avatar-not-found');
  if (!(await isWithinLimits(scope, 'flows'))) return failure('host-full');
  return { code: 200, data: flowEntryOf(restored) };
}

/** Names the version, because the body has no other field. */
function refuseVersion(errors: readonly FieldError[]): Failure {
  const fields = errors.map(error => ({
    ...error,
    path: 'version',
    message: `${error.path}: ${error.message}`,
  }));
  return failure('body-invalid', { fields });
}
