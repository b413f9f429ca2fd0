import type { ChatCompletion } from '../../queues/contract/chat-completion.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';

/** What all parts of one answer share. */
export interface ChatIds {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export function chatCompletionOf(ids: ChatIds, data: DataOf<'reason'>): ChatCompletion {
  const message = { role: 'assistant' as const, content: data.assistantResponse.string, refusal: null };
  return {
    ...ids,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: usageOf(data),
    parley: parleyOf(data),
  };
}

/** One chunk of a stream. */
export function chatChunkOf(ids: ChatIds, delta: object, finishReason: 'stop' | null = null) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return { ...ids, object: 'chat.completion.chunk', choices };
}

/** The chunk with the end of the answer, and with what only Parley has. */
export function lastChunkOf(ids: ChatIds, data: DataOf<'reason'>) {
  return { ...chatChunkOf(ids, {}, 'stop'), parley: parleyOf(data) };
}

export function usageChunkOf(ids: ChatIds, data: DataOf<'reason'>) {
  return { ...ids, object: 'chat.completion.chunk', choices: [], usage: usageOf(data) };
}

/** Counts the tokens of the calls that gave an answer, as `tokensControl` does. A receipt of an earlier version does not divide them. */
function usageOf({ svcCompleteLog }: DataOf<'reason'>) {
  const answered = svcCompleteLog.flatMap(({ modelCalls }) => modelCalls.filter(({ tokens }) => tokens > 0));
  const prompt = answered.reduce((sum, call) => sum + (call.input_tokens ?? call.tokens), 0);
  const completion = answered.reduce((sum, call) => sum + (call.output_tokens ?? 0), 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function parleyOf(data: DataOf<'reason'>) {
  const { conversationId, svcCompleteLog, assistantResponse, askHumanHelp, sources } = data;
  const turnId = svcCompleteLog[0]?.turnId ?? '';
  return { conversationId, turnId, wppParsed: assistantResponse.wppParsed, askHumanHelp, sources };
}
