import { findAgents } from '../../db/assistants/agents.ts';
import type { Avatar, AvatarChanges } from '../../db/assistants/avatars.ts';
import type { FlowStep } from '../../db/assistants/flows.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FieldError, limitFieldErrors } from '../../platform/field-error.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';

/* Changes of an assistant as callers send them, both to save and to rehearse. */

type ChangedFields = Pick<
  BodyOf<'editAvatar'>,
  | 'avatar_name'
  | 'avatar_picture'
  | 'prompt_envelop'
  | 'model'
  | 'on_unsupported'
  | 'on_failure'
  | 'failure_text'
  | 'language'
  | 'idle_after_minutes'
  | 'answer_in_audio'
>;

export function avatarChangesOf(fields: ChangedFields): AvatarChanges {
  return {
    name: fields.avatar_name,
    picture: fields.avatar_picture,
    promptEnvelop: fields.prompt_envelop,
    model: fields.model,
    onUnsupported: fields.on_unsupported,
    onFailure: fields.on_failure,
    failureText: fields.failure_text,
    language: fields.language,
    idleAfterMinutes: fields.idle_after_minutes,
    answerInAudio: fields.answer_in_audio,
  };
}

/** Returns the avatar as `editAvatar` would leave it. */
export function applyAvatarChanges(avatar: Avatar, fields: ChangedFields): Avatar {
  const changes = avatarChangesOf(fields);
  const { name, picture, promptEnvelop, model, onUnsupported, onFailure, failureText } = changes;
  const { language, answerInAudio, idleAfterMinutes } = changes;
  return {
    ...avatar,
    name: name ?? avatar.name,
    picture: picture ?? avatar.picture,
    promptEnvelop: promptEnvelop ?? avatar.promptEnvelop,
    model: (model ?? avatar.model) || null,
    onUnsupported: onUnsupported ?? avatar.onUnsupported,
    onFailure: onFailure ?? avatar.onFailure,
    failureText: failureText ?? avatar.failureText,
    language: language ?? avatar.language,
    idleAfterMinutes: idleAfterMinutes === undefined ? avatar.idleAfterMinutes : idleAfterMinutes,
    answerInAudio: answerInAudio ?? avatar.answerInAudio,
  };
}

/** Returns errors for agents that the steps name and the host does not have: a turn would skip them silently. */
export async function findAgentErrors(scope: HostScope, steps: readonly FlowStep[]): Promise<FieldError[]> {
  const names = steps.flatMap(({ agents = [] }) => agents.map(({ agentName }) => agentName));
  const known = await findAgents(scope, [...new Set(names)]);
  const schemaOf = new Map(known.map(agent => [agent.name, agent.schemaName]));
  const errors = steps.flatMap(({ agents = [] }, step) =>
    agents.flatMap(({ agentName, schemaName }, at): FieldError[] => {
      const path = `chainJson[${step}].agents[${at}]`;
      const its = schemaOf.get(agentName);
      if (its === undefined)
        return [{ path: `${path}.agentName`, message: `"${agentName}" is no agent of this host` }];
      if (its === schemaName) return [];
      return [{ path: `${path}.schemaName`, message: `the agent "${agentName}" has the schema "${its}"` }];
    }),
  );
  return limitFieldErrors(errors);
}
