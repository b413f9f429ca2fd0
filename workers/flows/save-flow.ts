import {
  type ChangedFlow,
  type Flow,
  findFlowForUpdate,
  insertFlow,
  type NewFlow,
  updateFlow,
} from '../../db/flows.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, failure } from '../../queues/failure.ts';
import type { BodyOf } from '../../queues/operations/index.ts';
import type { Handler } from '../job.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import { modelFailure } from '../model/model-failure.ts';
import { flowEntryOf } from './flow-entry.ts';
import { agentFaultsIn } from './step-agents.ts';

type Body = BodyOf<'saveFlow'>;

export function saveFlow(directory: ModelDirectory): Handler<'saveFlow'> {
  return async job => {
    const { body, hostId, caller } = job;
    const refused = await modelFailure(directory, body.model);
    if (refused) return refused;
    return job.commit(async scope => {
      const { id } = body;
      const faults = await agentFaultsIn(scope, body.chainJson ?? []);
      if (faults.length > 0) return failure('body-invalid', { fields: faults });
      const saved = id
        ? await edited(scope, id, body, caller.tokenId)
        : await made(scope, body, caller.tokenId);
      return 'code' in saved ? saved : { code: 200, data: flowEntryOf(hostId, saved) };
    });
  };
}

async function made(scope: HostScope, body: Body, savedBy: string): Promise<Flow | Failure> {
  const flow = newFlowOf(body, savedBy);
  if ('code' in flow) return flow;
  return (await insertFlow(scope, flow)) ?? failure('avatar-not-found');
}

/** What is left out is taken from the flow as it stands once nobody else can save it. */
async function edited(scope: HostScope, id: string, body: Body, savedBy: string): Promise<Flow | Failure> {
  const flow = await findFlowForUpdate(scope, id);
  if (!flow) return failure('flow-not-found');
  if (body.expectedUpdatedAt !== undefined && !isTimeOf(flow, body.expectedUpdatedAt))
    return failure('flow-stale');
  return (await updateFlow(scope, id, changedFlowOf(flow, body, savedBy))) ?? failure('avatar-not-found');
}

function isTimeOf({ updatedAt }: Flow, expected: string): boolean {
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

function changedFlowOf(flow: Flow, body: Body, savedBy: string): ChangedFlow {
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
