import {
  type ChangedFlow,
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
import { NIL_UUID } from '../../platform/uuid.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { findAgentErrors } from '../bodies/assistant-changes.ts';
import { findModelFailure, type ModelDirectory } from '../model/model-directory.ts';
import type { ChangeTrial, Handler } from '../runtime/job.ts';
import { flowTemplates } from './flow-templates.ts';

type Body = BodyOf<'saveFlow'>;

export function makeSaveFlow(directory: ModelDirectory, tryChange: ChangeTrial): Handler<'saveFlow'> {
  return async job => {
    const { body, hostId, caller } = job;
    const refused = await findModelFailure(directory, body.model);
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
      return { code: 200, data: flowEntryOf(hostId, saved) };
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
  return (await updateFlow(scope, id, applyChanges(flow, body, savedBy))) ?? failure('avatar-not-found');
}

export function isTimeOf({ updatedAt }: Flow, expected: string): boolean {
  return updatedAt.getTime() === Date.parse(expected);
}

function newFlowOf(body: Body, savedBy: string): NewFlow | Failure {
  const { avatarId, decisionName: name, chainJson: steps } = body;
  if (avatarId === undefined || name === undefined || steps === undefined) {
    const needed = ['avatarId', 'decisionName', 'chainJson'] as const;
    const missing = needed.filter(field => body[field] === undefined);
    return failure('body-invalid', { fields: missing.map(path => ({ path, message: 'is required' })) });
  }
  const { promptTemplateName, model, templateRef, decisionType: type, active } = body;
  return { avatarId, name, steps, promptTemplateName, model, templateRef, type, active, savedBy };
}

function applyChanges(flow: Flow, body: Body, savedBy: string): ChangedFlow {
  return {
    avatarId: body.avatarId ?? flow.avatarId,
    name: body.decisionName ?? flow.name,
    steps: body.chainJson ?? flow.steps,
    promptTemplateName: body.promptTemplateName ?? flow.promptTemplateName,
    model: body.model ?? flow.model,
    templateRef: body.templateRef === undefined ? flow.templateRef : body.templateRef,
    type: body.decisionType ?? flow.type,
    active: body.active ?? flow.active,
    deleted: body.deleted ?? flow.deleted,
    savedBy,
  };
}

export const listFlows: Handler<'listFlows'> = ({ hostId, body, read }) =>
  read(async scope => {
    const flows = await flowsOf(scope, body.avatarIds);
    return { code: 200, data: flows.map(flow => flowEntryOf(hostId, flow)) };
  });

export const listFlowTemplates: Handler<'listFlowTemplates'> = async () => ({
  code: 200,
  data: [...flowTemplates],
});

/** The flow in the form of the API. */
export function flowEntryOf(hostId: string, flow: Flow): DataOf<'saveFlow'> {
  return {
    id: flow.id,
    createdAt: flow.createdAt.toISOString(),
    updatedAt: flow.updatedAt.toISOString(),
    // The seed writes flows without a token.
    createdBy: flow.createdBy ?? NIL_UUID,
    chainJson: flow.steps.map(stepEntryOf),
    decisionName: flow.name,
    hostId,
    avatarId: flow.avatarId,
    active: flow.active,
    promptTemplateName: flow.promptTemplateName,
    lastUpdateBy: flow.updatedBy ?? NIL_UUID,
    decisionType: flow.type,
    model: flow.model,
    templateRef: flow.templateRef,
    deleted: flow.deleted,
  };
}

export function stepEntryOf({ agents, ...step }: FlowStep): DataOf<'saveFlow'>['chainJson'][number] {
  return agents ? { ...step, agents: [...agents] } : step;
}
