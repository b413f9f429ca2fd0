import type { CheckedAnswer } from './check.ts';
import { flowBeside } from './frame-answer.ts';
import type { AnsweredTurn, AskedModel, ReadTurn } from './turn.ts';

export function answeredTurnOf(
  turn: ReadTurn,
  asked: AskedModel,
  checked: CheckedAnswer,
  end: Pick<AnsweredTurn, 'startedAt' | 'durationMs' | 'failure'>,
): AnsweredTurn {
  return {
    ...turn,
    answer: checked.text,
    model: asked.answer?.model ?? '',
    isTruncated: asked.answer?.isTruncated ?? false,
    isSilenced: turn.conversation.attended,
    calls: [...turn.transcriptionCalls, ...turn.searchCalls, ...asked.calls],
    toolRuns: asked.toolRuns,
    externalCalls: asked.externalCalls,
    effects: checked.effects,
    flowState: flowBeside(asked.effects, turn.flowState),
    waitingAgents: asked.waitingAgents,
    factsLeftOut: asked.factsLeftOut,
    toolsLeftOut: asked.toolsLeftOut,
    sources: checked.sources,
    unsupported: checked.unsupported,
    check: checked.check,
    items: checked.items,
    warnings: checked.warnings,
    ...end,
  };
}
