import { withHost } from '../../db/with-hosts.ts';
import { rewritePromptOf } from '../domain/prompts/rewrite-prompt.ts';
import { mergeRewritten, rewrittenOf } from '../domain/retrieval/rewritten-question.ts';
import { giveUpAfter } from '../model/tries.ts';
import { searchByWords } from '../retrieval/find-knowledge.ts';
import type { AskParts } from './ask.ts';
import type { AttachmentParts } from './attachments.ts';
import type { ReadTurn } from './turn.ts';

/** The call may take so long, and this part of the turn's time: the answer needs the rest. */
const MAX_MS = 5_000;
const TIME_FRACTION = 0.2;

/**
 * Asks for the question in other words where its own find little, and searches these, too. Waits for the network, so it runs
 * outside of any transaction. A failure leaves what was found, and rejects only at the end of the turn.
 */
export async function rewriteQuestion(
  { db, model, log }: Pick<AskParts, 'model' | 'log'> & Pick<AttachmentParts, 'db'>,
  turn: ReadTurn,
): Promise<ReadTurn> {
  const { job, foundLittle, chunks } = turn;
  if (!foundLittle) return turn;
  const { calls, rewritten } = await askForOtherWords(model, turn);
  const asked = { ...turn, foundLittle: undefined, searchCalls: [...turn.searchCalls, ...calls] };
  if (rewritten === undefined) return asked;
  const { coverage, limit, ...search } = foundLittle;
  try {
    const found = await withHost(db, job.hostId, scope =>
      searchByWords(scope, { ...search, limit, query: rewritten, earlier: [] }),
    );
    return { ...asked, rewritten, chunks: mergeRewritten({ chunks, coverage }, found, limit) };
  } catch (err) {
    log.warn(
      { event: 'knowledge.rewritten_failed', err, jobId: job.jobId },
      'failed to search the words of a model: a question was searched by its own words only',
    );
    return asked;
  }
}

async function askForOtherWords(model: AskParts['model'], turn: ReadTurn) {
  const { job, avatar, flowState, dialogue, input, masking, spender, onlyModels } = turn;
  const limitMs = Math.min(MAX_MS, job.remainingMs() * TIME_FRACTION);
  const endsAt = performance.now() + limitMs;
  using asking = giveUpAfter(job.signal, limitMs);
  const { answer, calls } = await model.complete(
    flowState?.flow.model || avatar.model || undefined,
    rewritePromptOf(dialogue, input.question ?? ''),
    {
      purpose: 'rewrite',
      spender,
      masking,
      signal: asking.signal,
      remainingMs: () => endsAt - performance.now(),
      onlyModels,
    },
  );
  return { calls, rewritten: answer && rewrittenOf(answer.text) };
}
