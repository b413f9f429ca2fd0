import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Assignment,
  type ChangedConversation,
  type ConversationChanges,
  findConversationInformation,
  insertConversation,
  setConversation,
} from '../../db/conversations/conversations.ts';
import { hurryInsight, scheduleLastInsight } from '../../db/conversations/insights-due.ts';
import { addNote, appendMessage as append, type NewMessage } from '../../db/conversations/messages.ts';
import { hasPeople } from '../../db/hosts/people.ts';
import { hasTeam, NOTHING_LISTED, readListed } from '../../db/hosts/teams.ts';
import {
  addAnsweredQuestion,
  findUnansweredMessage,
  noteStaffAnswer,
} from '../../db/knowledge/gap-questions.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FieldError, fieldError, limitFieldErrors } from '../../platform/field-error.ts';
import type { FileSeal } from '../../platform/file-seal.ts';
import { type Failure, failure, isFailure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { checkGlobalData } from '../bodies/check-global-data.ts';
import { isQuestion } from '../domain/gaps/question-words.ts';
import { addEvent, addEvents, type Event } from '../runtime/add-event.ts';
import type { Handler } from '../runtime/job.ts';
import {
  asTypedOnPhone,
  CLOSED_WINDOW,
  findChannelFailure,
  isKnownToChannel,
  isWindowClosedFor,
} from './channel-messages.ts';
import { readSentMessage, type SentMessage } from './sent-message.ts';

export const createConversation: Handler<'createConversation'> = async job => {
  const { globalData = {} } = job.body;
  const excess = checkGlobalData(globalData);
  if (excess) return excess;
  return job.commit(async scope => {
    const conversationId = await insertConversation(scope, globalData);
    return { code: 200, data: { conversationId } };
  });
};

const FIRST_INSIGHT_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 500;
/** Time for the way back to the caller. */
const REPLY_MARGIN_MS = 500;

/** Ends the pause before an insight that is due, and waits for a conversation's first one. */
export function makeGetConversationInformation({
  insightConcurrency,
}: {
  readonly insightConcurrency: number;
}): Handler<'getConversationInformation'> {
  return async job => {
    const { conversationId } = job.body;
    const read = () =>
      job.read(async scope => {
        const conversation = await findConversationInformation(scope, conversationId);
        if (!conversation) return failure('conversation-not-found');
        isDue = await hurryInsight(scope, conversationId);
        return { code: 200, data: conversation };
      });
    let isDue = false;
    let outcome = await read();
    const isWaiting = () =>
      insightConcurrency > 0 && isDue && !isFailure(outcome) && outcome.data.dialogue_summary === '';
    const within = Math.min(FIRST_INSIGHT_WITHIN_MS, job.remainingMs() - REPLY_MARGIN_MS);
    for (let waited = 0; isWaiting() && waited < within; waited += LOOK_EVERY_MS) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: job.signal });
      outcome = await read();
    }
    return outcome;
  };
}

export const updateConversation: Handler<'updateConversation'> = job =>
  job.commit(async scope => {
    const { conversationId, archived, closed, external_id, wpp_id } = job.body;
    const assigned = assignmentOf(job.body);
    if (assigned?.personIds && !(await hasPeople(scope, assigned.personIds)))
      return failure('person-not-found');
    const given = await readAttended(scope, job.body);
    if (isFailure(given)) return given;
    const conversation = await setConversation(scope, conversationId, {
      ...(archived === undefined ? {} : { archived }),
      ...(closed === undefined ? {} : { closed }),
      ...requestOf(job.body),
      ...(assigned ? { assigned } : {}),
      ...given,
      ...(external_id === undefined ? {} : { externalId: external_id }),
      ...(wpp_id === undefined ? {} : { wppId: wpp_id }),
    });
    if (!conversation) return failure('conversation-not-found');
    const events = changeEventsOf(conversation);
    await addEvents(scope, events);
    // Events mean that the conversation was closed or handed over.
    if (events.length > 0) await scheduleLastInsight(scope, conversationId);
    const information = await findConversationInformation(scope, conversationId);
    if (!information) return failure('conversation-not-found');
    return { code: 200, data: information };
  });

function assignmentOf(body: BodyOf<'updateConversation'>): Assignment | undefined {
  const { assigned_to: name, assigned_person_id: first, assigned_person_ids: all } = body;
  const isOfPeople = first !== undefined || all !== undefined;
  if (isOfPeople) {
    const ids = [...(first ? [first] : []), ...(all ?? [])].map(id => id.toLowerCase());
    return { personIds: [...new Set(ids)], name };
  }
  return name === undefined ? undefined : { name };
}

/** What is passed to a team waits for it, unless the request says otherwise. */
function requestOf({
  team_id: team,
  closed,
  ask_human_help: asks,
}: BodyOf<'updateConversation'>): ConversationChanges {
  const isPassed = typeof team === 'string' && !closed;
  const askHumanHelp = asks ?? (isPassed ? true : undefined);
  return {
    ...(askHumanHelp === undefined ? {} : { askHumanHelp }),
    ...(isPassed ? { assigned: { personIds: [] } } : {}),
  };
}

/** The team, labels and reason of the request, which the host must have. */
async function readAttended(
  scope: HostScope,
  body: BodyOf<'updateConversation'>,
): Promise<ConversationChanges | Failure> {
  const { conversationId, team_id: teamId, labels, close_reason: closeReason, closed } = body;
  if (typeof teamId === 'string' && !(await hasTeam(scope, teamId))) return failure('team-not-found');
  const fields: FieldError[] = [];
  const isNamed = labels !== undefined || typeof closeReason === 'string';
  const known = isNamed ? await readListed(scope, conversationId) : NOTHING_LISTED;
  const wanted = [...new Set(labels)];
  for (const [at, label] of (labels ?? []).entries())
    if (!known.labels.includes(label))
      fields.push(fieldError(`labels[${at}]`, 'one-of', { values: [...known.labels] }));
  if (typeof closeReason === 'string' && !closed)
    fields.push(fieldError('close_reason', 'only-with', { values: ['closed'] }));
  else if (typeof closeReason === 'string' && !known.closeReasons.includes(closeReason))
    fields.push(fieldError('close_reason', 'one-of', { values: [...known.closeReasons] }));
  if (fields.length > 0) return failure('body-invalid', { fields: limitFieldErrors(fields) });
  return {
    ...(teamId === undefined ? {} : { teamId }),
    ...(labels ? { labels: known.labels.filter(label => wanted.includes(label)) } : {}),
    ...(typeof closeReason === 'string' ? { closeReason } : {}),
  };
}

function changeEventsOf({ id, ...now }: ChangedConversation): Event[] {
  const data = { conversationId: id };
  const isHandedOver = now.askHumanHelp && !now.wasAskingHelp;
  const isClosed = now.closed && !now.wasClosed;
  return [
    ...(isHandedOver
      ? [
          {
            type: 'conversation.handover_requested',
            data: {
              ...data,
              reason: 'caller_request',
              ...(now.teamId === null ? {} : { teamId: now.teamId }),
            },
          } as const,
        ]
      : []),
    ...(isClosed ? [{ type: 'conversation.closed', data } as const] : []),
  ];
}

export function makeAppendMessage(seal: FileSeal): Handler<'appendMessage'> {
  return async job => {
    const refused = findChannelFailure(job.body);
    if (refused) return refused;
    return job.commit(async scope => {
      const { conversationId, author, name, external_id: externalId } = job.body;
      const sent = await readSentMessage(scope, job, seal);
      if (isFailure(sent)) return sent;
      const written = { conversationId, content: sent.content, name, actorId: job.caller.tokenId };
      const isKnown = await isKnownToChannel(scope, job.body, sent.fileSizes);
      if (!isKnown && (await isWindowClosedFor(scope, job.body)))
        return failure('window-closed', { hint: CLOSED_WINDOW });
      const isStored =
        isKnown ||
        (author === 'note'
          ? await addNote(scope, written)
          : await storeMessage(scope, { ...written, author, externalId }, { ...job.body, sent }));
      const conversation = isStored && (await findConversationInformation(scope, conversationId));
      if (!conversation) return failure('conversation-not-found');
      return { code: 201, data: conversation };
    });
  };
}

/** Returns false if the conversation is missing. The channel is told of what a staff member writes, but for what it has. */
async function storeMessage(
  scope: HostScope,
  message: NewMessage,
  { from_channel: isFromChannel, template, sent }: BodyOf<'appendMessage'> & { readonly sent: SentMessage },
): Promise<boolean> {
  const { conversationId, author } = message;
  const eventId = author === 'human' && !isFromChannel ? randomUUID() : undefined;
  const appended = await append(scope, isFromChannel ? asTypedOnPhone(message) : { ...message, eventId });
  if (!appended) return false;
  if (author === 'human') await noteAnswer(scope, conversationId, appended.seq);
  const attachments = await sent.attachFiles(appended.seq);
  if (eventId !== undefined)
    await addEvent(scope, {
      id: eventId,
      type: 'message.sent',
      data: {
        messageId: appended.seq,
        conversationId,
        name: appended.name,
        content: sent.text,
        // A staff member writes what the end user is to see; unlike an answer it is not Markdown.
        wppParsed: sent.text === '' ? [] : [{ type: 'text', content: sent.text }],
        attachments,
        ...(template ? { template } : {}),
      },
    });
  return true;
}

/** A staff member's answer shows that knowledge is missing. */
async function noteAnswer(scope: HostScope, conversationId: string, seq: string): Promise<void> {
  await noteStaffAnswer(scope, { conversationId, seq });
  const asked = await findUnansweredMessage(scope, { conversationId, seq });
  if (asked && isQuestion(asked.content)) await addAnsweredQuestion(scope, asked.seq, seq);
}
