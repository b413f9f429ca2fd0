import { randomUUID } from 'node:crypto';
import { listAvatars } from '../../db/assistants/avatars.ts';
import { upsertContact } from '../../db/conversations/contacts.ts';
import { addNote } from '../../db/conversations/messages.ts';
import { upsertPerson } from '../../db/hosts/people.ts';
import { recordSpend, type SpentCall } from '../../db/hosts/spend.ts';
import { storeArrivals } from '../../db/intake/intake-records.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { readChunks } from '../../db/knowledge/chunks.ts';
import { addAnsweredQuestion, addGapQuestion, noteStaffAnswer } from '../../db/knowledge/gap-questions.ts';
import {
  dateRecords,
  insertPastConversations,
  type StoredPastMessage,
} from '../../db/seed/past-conversations.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import { saysNotFound } from '../../text/says-not-found.ts';
import { isQuestion } from '../../workers/domain/gaps/question-words.ts';
import { applyRecords } from '../../workers/intake/apply-records.ts';
import { mapArrival } from '../../workers/intake/map-arrival.ts';
import { type ComposedTalk, composePast } from './compose-past.ts';
import { demoPeople, listArrivals } from './records.ts';

/*
 * The imaginary university gets 60 days of past, so that the last month is filled, too: questions and answers, conversations of the team, records of the CRM. Only the
 * times are made up: each part is stored by the code that stores it in service, so reports, gaps, outcomes, search and spend show
 * it like any other.
 */

/** Adds the past to a host that has only what `seedUniversity` made. */
export async function seedPast(scope: HostScope, asOf = new Date()): Promise<void> {
  for (const person of demoPeople)
    await upsertPerson(scope, { id: randomUUID(), disabled: false, ...person });
  const [avatar] = await listAvatars(scope);
  if (!avatar) throw new Error('The host has no assistant.');
  const passages = await readChunks(
    scope,
    { avatarId: avatar.avatar_id, datasetIds: avatar.datasets.map(({ dataset_id }) => dataset_id) },
    { limit: 1_000, offset: 0, maxBytes: 1_000_000 },
  );
  const talks: ComposedTalk[] = [];
  for (const talk of composePast(passages, asOf)) {
    const contactId = (talk.person && (await upsertContact(scope, talk.person))) ?? null;
    talks.push({ ...talk, conversation: { ...talk.conversation, contactId } });
  }
  const messages = await insertPastConversations(
    scope,
    talks.map(({ conversation }) => conversation),
  );
  for (const talk of talks) {
    const isOfTalk = ({ conversationId }: StoredPastMessage) => conversationId === talk.conversation.id;
    await addEffects(scope, talk, messages.filter(isOfTalk));
  }
  await receiveRecords(scope, asOf);
  await dateRecords(scope);
  const of = { hostId: scope.hostId, avatarId: avatar.avatar_id, asOf };
  await recordSpend(
    scope.tx,
    talks.flatMap(talk => listCalls(talk, of)),
  );
}

/** Stores the consequences of a conversation: gaps, a ticket, notes of the team. */
async function addEffects(
  scope: HostScope,
  { conversation, ticket, notes }: ComposedTalk,
  messages: readonly StoredPastMessage[],
): Promise<void> {
  const { id: conversationId, contactId, insight } = conversation;
  for (const [at, { author, content, turnId, seq }] of messages.entries()) {
    if (author === 'assistant' && turnId !== null && saysNotFound(content))
      await addGapQuestion(scope, turnId, conversation.helpAskedAt ? 'handover' : 'not_found');
    if (author !== 'human') continue;
    await noteStaffAnswer(scope, { conversationId, seq });
    const before = messages[at - 1];
    if (before?.author === 'user' && isQuestion(before.content))
      await addAnsweredQuestion(scope, before.seq, seq);
  }
  if (ticket !== undefined)
    await openTicket(scope, {
      conversationId,
      contactId: contactId ?? undefined,
      subject: ticket,
      content: insight.dialogueSummary,
    });
  for (const note of notes) await addNote(scope, { conversationId, ...note });
}

/** Stores records like the intake; a refused record is a mistake in this file. */
async function receiveRecords(scope: HostScope, asOf: Date): Promise<void> {
  const arrivals = listArrivals(asOf);
  const records = await storeArrivals(scope, arrivals);
  const outcomes = await applyRecords(
    scope,
    records.flatMap(record => (record ? mapArrival(record) : [])),
  );
  const refused = outcomes.find(outcome => outcome === undefined || isFailure(outcome));
  if (refused !== undefined || outcomes.length !== arrivals.length)
    throw new Error(`A record of the demonstration was not stored: ${JSON.stringify(refused)}`);
}

/** The model of the university before the demonstration began, and its prices for a million tokens. */
const MODEL = { name: 'gpt-4.1-mini', input: 0.4, cached: 0.1, output: 1.6 };
const CHARACTERS_OF_TOKEN = 3.6;
/** Tokens of the instructions and of the passages of a prompt. */
const PROMPT = { instructions: 1_280, passages: 900, summary: 640 };
const ANSWER_OF_INSIGHT = 190;

function listCalls(
  { conversation }: ComposedTalk,
  { hostId, avatarId, asOf }: { readonly hostId: string; readonly avatarId: string; readonly asOf: Date },
): SpentCall[] {
  let dialogue = 0;
  const calls: SpentCall[] = [];
  const add = (purpose: string, at: Date, tokens: { input: number; cached: number; output: number }) => {
    const cost =
      (tokens.input - tokens.cached) * MODEL.input +
      tokens.cached * MODEL.cached +
      tokens.output * MODEL.output;
    calls.push({
      hostId,
      callId: randomUUID(),
      model: MODEL.name,
      avatarId: purpose === 'turn' ? avatarId : '',
      purpose,
      ...tokens,
      cost: (cost / 1_000_000).toFixed(9),
      isEstimated: false,
      isOwn: false,
      isBilled: true,
      ageMs: asOf.getTime() - at.getTime(),
    });
  };
  for (const { author, content, at } of conversation.messages) {
    const tokens = Math.ceil(content.length / CHARACTERS_OF_TOKEN);
    if (author === 'assistant') {
      const input = PROMPT.instructions + PROMPT.passages + dialogue;
      add('turn', at, { input, cached: calls.length > 0 ? PROMPT.instructions : 0, output: tokens });
    }
    dialogue += tokens;
  }
  const last = conversation.messages.at(-1)?.at ?? asOf;
  add('insight', last, { input: PROMPT.summary + dialogue, cached: 0, output: ANSWER_OF_INSIGHT });
  return calls;
}
