import type { Flow, FlowStep } from '../../db/flows.ts';
import type { DataOf } from '../../queues/operations/index.ts';

/** Stands where no token wrote: the flow came with the installation. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The flow as clients know it. */
export function flowEntryOf(hostId: string, flow: Flow): DataOf<'saveFlow'> {
  return {
    id: flow.id,
    createdAt: flow.createdAt.toISOString(),
    updatedAt: flow.updatedAt.toISOString(),
    createdBy: flow.createdBy ?? NOBODY,
    chainJson: flow.steps.map(stepEntryOf),
    decisionName: flow.name,
    hostId,
    avatarId: flow.avatarId,
    active: flow.active,
    promptTemplateName: flow.promptTemplateName,
    lastUpdateBy: flow.updatedBy ?? NOBODY,
    decisionType: flow.type,
    model: flow.model,
    templateRef: flow.templateRef,
    deleted: flow.deleted,
  };
}

function stepEntryOf({ agents, ...step }: FlowStep): DataOf<'saveFlow'>['chainJson'][number] {
  return agents ? { ...step, agents: [...agents] } : step;
}
