import {
  type Flow,
  type FlowStep,
  findFlowForUpdate,
  listFlows as flowsOf,
  insertFlow,
  type NewFlow,
  updateFlow,
} from '../../db/assistants/flows.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { findAgentErrors } from '../bodies/assistant-changes.ts';
import { findModelFailure, type ModelDirectory } from '../model/model-directory.ts';
import type { ChangeTrial, Handler } from '../runtime/job.ts';
import { flowTemplates } from './flow-templates.ts';

type Body = BodyOf<'saveFlow'>;

export function makeSaveFlow(directory: ModelDirectory, tryChange: ChangeTrial): Handler<'saveFlow'> {
  return async job => {
    const { body, caller, hostId } = job;
    const refused = await findModelFailure(directory, { model: body.model, hostId });
    if (refused) return refused;
    const change = async (scope: HostScope): Promise<Outcome<DataOf<'saveFlow'>>> => {
      const { id } = body;
      const errors = await findAgentErrors(scope, body.chainJson ?? []);
      if (errors.length > 0) return failure('body-invalid', { fields: errors });
      const saved = id
        ? await editFlow(scope, id, body, caller.tokenId)
        : await createFlow(scope, body, caller.tokenId);
      if (isFailure(saved)) return saved;
      if (!saved.deleted && !(await isWithinLimits(scope, 'flows'))) return failure('host-full');
      return { code: 200, data: flowEntryOf(saved) };
    };
    return body.evaluate
      ? tryChange(job, { change, listAvatars: scope => listAvatars(scope, body) })
      : job.commit(change);
  };
}

/** The avatar that has the flow now, and the one that is to have it. */
async function listAvatars(scope: HostScope, { id, avatarId }: Body): Promise<string[]> {
  const flow = id === undefined ? undefined : await findFlowForUpdate(scope, id);
  return [flow?.avatarId, avatarId].filter(each => each !== undefined);
}

async function createFlow(scope: HostScope, body: Body, savedBy: string): Promise<Flow | Failure> {
  const flow = newFlowOf(body, savedBy);
  if (isFailure(flow)) return flow;
  return (await insertFlow(scope, flow)) ?? failure('avatar-not-found');
}

/** Fields that are left out keep their values, read under the row lock so that no concurrent save is lost. */
async function editFlow(scope: HostScope, id: string, body: Body, savedBy: string): Promise<Flow | Failure> {
  const flow = await findFlowForUpdate(scope, id);
  if (!flow) return failure('flow-not-found');
  if (body.expectedUpdatedAt !== undefined && !isTimeOf(flow, body.expectedUpdatedAt))
    return failure('flow-stale');
  return (await updateFlow(scope, id, { ...flow, ...body, savedBy })) ?? failure('avatar-not-found');
}

export function isTimeOf({ updatedAt }: Flow, expected: string): boolean {
  return Date.parse(updatedAt) === Date.parse(expected);
}

function newFlowOf(body: Body, savedBy: string): NewFlow | Failure {
  const { avatarId, decisionName, chainJson } = body;
  if (avatarId === undefined || decisionName === undefined || chainJson === undefined) {
    const needed = ['avatarId', 'decisionName', 'chainJson'] as const;
    const missing = needed.filter(field => body[field] === undefined);
    return failure('body-invalid', { fields: missing.map(path => ({ path, message: 'is required' })) });
  }
  return { ...body, avatarId, decisionName, chainJson, savedBy };
}

export const listFlows: Handler<'listFlows'> = ({ body, read }) =>
  read(async scope => ({ code: 200, data: (await flowsOf(scope, body.avatarIds)).map(flowEntryOf) }));

export const listFlowTemplates: Handler<'listFlowTemplates'> = async () => ({
  code: 200,
  data: [...flowTemplates],
});

/** The flow as it is answered: its steps name their agents last. */
export function flowEntryOf<F extends { readonly chainJson: FlowStep[] }>(flow: F): F {
  const chainJson = flow.chainJson.map(({ agents, ...step }) => (agents ? { ...step, agents } : step));
  return { ...flow, chainJson };
}
