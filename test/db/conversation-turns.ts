import { readHistory } from '../../db/conversations/messages.ts';
import { abandonTurn, claimTurn, finishTurn } from '../../db/conversations/turns.ts';
import type { BuiltHost } from '../support/build-host.ts';

export const ALIVE_MS = 60_000;
/** A lease that is expired from the start, as of a worker that died some time ago. */
export const DEAD_MS = -1;

/** Does what workers do with the turns of a conversation. Job ids contain the conversation, so that tests do not interfere. */
export function makeTurns({ inHost }: Pick<BuiltHost, 'inHost'>, conversationOf: () => string) {
  const jobOf = (name: string) => `${name}-${conversationOf()}`;
  const history = () =>
    inHost(scope => readHistory(scope, conversationOf(), { messages: 100, bytes: 100_000 }));
  return {
    jobOf,
    history,
    claim: (name: string, arrivedAt = 1, changes: object = {}) => {
      const times = { arrivedAt, remainingMs: () => 60_000, leaseMs: ALIVE_MS };
      const turn = { turnId: jobOf(name), conversationId: conversationOf(), question: `${name}?` };
      return inHost(scope => claimTurn(scope, { ...turn, ...times, ...changes }));
    },
    finish: (name: string, attempt = 1, answer = `${name}!`) =>
      inHost(scope =>
        finishTurn(scope, { turnId: jobOf(name), attempt, answer, tokens: [], receipt: { name } }),
      ),
    abandon: (name: string, attempt = 1) =>
      inHost(scope => abandonTurn(scope, { turnId: jobOf(name), attempt })),
    said: async () => (await history()).map(({ author, content }) => `${author}: ${content}`),
  };
}
