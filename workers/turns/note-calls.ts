import type { Logger } from 'pino';
import { noteCall } from '../../db/assistants/rest-calls.ts';
import type { Db } from '../../db/connection.ts';
import { withHost } from '../../db/with-hosts.ts';
import { actorOf } from '../runtime/job.ts';
import type { ChangingFunction, ExternalCall, Tool, ToolProvider } from '../tools/tool.ts';
import type { ReadTurn } from './turn.ts';

interface NoteParts {
  readonly db: Db;
  readonly outsideTools?: ToolProvider | undefined;
  readonly log: Logger;
}

/**
 * Offers the same tools. A call that changes something is in the audit once its request has left, however its turn ends; a worker
 * that is killed before the answer comes leaves none, and where the tool was deleted meanwhile, the log has it instead. A turn that
 * changes nothing waits for nothing.
 */
export function noteCalls(parts: NoteParts, turn: ReadTurn): ToolProvider | undefined {
  const provider = parts.outsideTools;
  return (
    provider &&
    (async request => {
      const offered = await provider(request);
      const tools = offered.tools.map(tool => (tool.changes ? noted(parts, turn, tool, tool.changes) : tool));
      return { ...offered, tools };
    })
  );
}

/** A call whose turn ended before its answer came. */
const UNANSWERED = { status: 0, error: 'not known whether it arrived' };

function noted(parts: NoteParts, turn: ReadTurn, tool: Tool, changing: ChangingFunction): Tool {
  return {
    ...tool,
    async run(args, context) {
      const startedAt = performance.now();
      let hasLeft = false;
      let made: Omit<ExternalCall, 'name'> | undefined;
      const beforeSending = async () => {
        const headers = await context.beforeSending?.();
        hasLeft = true;
        return headers ?? {};
      };
      try {
        const result = await tool.run(args, { ...context, beforeSending });
        made = result.externalCalls?.[0];
        return result;
      } finally {
        const durationMs = Math.round(performance.now() - startedAt);
        if (hasLeft) await note(parts, turn, changing, made ?? { ...UNANSWERED, durationMs });
      }
    },
  };
}

/** The call is made: a turn must not fail, or tell the model anything else, because it could not be noted. */
async function note(
  { db, log }: NoteParts,
  { job, conversation, avatar }: ReadTurn,
  { toolId, function: name }: ChangingFunction,
  { status, durationMs, error }: Omit<ExternalCall, 'name'>,
): Promise<void> {
  const { hostId, turnId, requestId } = job;
  const call = {
    function: name,
    status,
    durationMs,
    ...(error === undefined ? {} : { error }),
    avatarId: avatar.avatar_id,
    conversationId: conversation.id,
    turnId,
  };
  const actor = { ...actorOf(job), operation: 'tool.called' };
  const tellUnnoted = (err?: unknown) =>
    log.error({ event: 'turn.call_unnoted', err, requestId, toolId, ...call }, 'a call is not in the audit');
  const noting = withHost(db, hostId, scope => noteCall(scope, toolId, call), actor);
  await noting.then(isNoted => isNoted || tellUnnoted(), tellUnnoted);
}
