import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { findHost, hasBudget } from '../../db/hosts/hosts.ts';
import {
  claimUnnamedPassages,
  type DuePassage,
  postponePassages,
  storeFoundWords,
} from '../../db/knowledge/people-words.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeMasking, NO_MASKING } from '../domain/masking/masking.ts';
import {
  parsePeopleWords,
  peopleWordsPromptOf,
  peopleWordsSchema,
} from '../domain/prompts/people-words-prompt.ts';
import type { Model } from '../model/model.ts';
import { spendFailureOf } from '../model/model-call.ts';
import { giveUpAfter } from '../model/tries.ts';

export interface PeopleWordsParts {
  /** This login claims the passages of all hosts. */
  readonly owner: Db;
  readonly db: Db;
  readonly model: Model;
  readonly log: Logger;
}

/** Passages of one call. */
const MAX_PASSAGES = 8;
const MODEL_TIMEOUT_MS = 60_000;
const LEASE_MS = MODEL_TIMEOUT_MS + 15_000;
const AGAIN_MS = 5 * 60_000;
const MAX_TRIES = 3;
/** A budget may be raised, or begin anew, in this time. */
const AFTER_BUDGET_MS = 10 * 60_000;

/** Asks for the words of passages that are due, until none is. What a model cannot name is asked for again later, three times in all. */
export async function findPeopleWords(parts: PeopleWordsParts, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const passages = await claimUnnamedPassages(parts.owner, MAX_PASSAGES, LEASE_MS);
    const [first] = passages;
    if (!first) return;
    await namePassages(parts, first.hostId, passages, stop);
  }
}

async function namePassages(
  { db, model, log }: PeopleWordsParts,
  hostId: string,
  passages: readonly DuePassage[],
  stop: AbortSignal,
): Promise<void> {
  const host = await withHost(db, hostId, findHost);
  const endsAt = performance.now() + MODEL_TIMEOUT_MS;
  const remainingMs = () => endsAt - performance.now();
  using asking = giveUpAfter(stop, MODEL_TIMEOUT_MS);
  const { answer, calls } = await model.complete(
    undefined,
    peopleWordsPromptOf(passages.map(({ content }) => content)),
    {
      purpose: 'enrich',
      spender: { hostId, hasBudget: host !== undefined && hasBudget(host), remainingMs },
      masking: host?.mask ? makeMasking() : NO_MASKING,
      signal: asking.signal,
      remainingMs,
      fallbacks: host?.modelFallbacks ?? [],
      answerSchema: { name: 'people_words', schema: peopleWordsSchema },
    },
  );
  const words = answer && parsePeopleWords(answer.text, passages.length);
  const isUnpaid = spendFailureOf(calls) !== undefined;
  if (!words && !isUnpaid)
    log.warn(
      { event: 'people_words.answer_failed', hostId, passages: passages.length },
      'a model gave no words for passages of a dataset with enrich',
    );
  await withHost(db, hostId, async scope => {
    if (words)
      await storeFoundWords(
        scope,
        passages.map((each, at) => ({ ...each, words: words[at] ?? '' })),
      );
    else if (isUnpaid)
      await postponePassages(scope, passages, { afterMs: AFTER_BUDGET_MS, maxTries: undefined });
    else await postponePassages(scope, passages, { afterMs: AGAIN_MS, maxTries: MAX_TRIES });
  });
}
