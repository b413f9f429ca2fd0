import {
  type ConsentOf,
  listConsents as consentsOf,
  insertConsent,
} from '../../db/conversations/consents.ts';
import { findConversation } from '../../db/conversations/conversations.ts';
import { type Failure, failure, fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler } from '../runtime/job.ts';

function personIn(body: Partial<ConsentOf>): ConsentOf | Failure {
  const { contactId, conversationId } = body;
  if (contactId === undefined && conversationId === undefined)
    return fieldFailure('', 'one-required', { values: ['conversationId', 'contactId'] });
  return { contactId, conversationId };
}

export const saveConsent: Handler<'saveConsent'> = ({ body, commit }) =>
  commit(async scope => {
    const person = personIn(body);
    if (isFailure(person)) return person;
    const instants = await readInstants(scope, { at: body.at });
    if (isFailure(instants)) return instants;
    const { version, textDigest, channel, withdrawn = false } = body;
    const stored = await insertConsent(scope, person, {
      version,
      textDigest,
      channel,
      withdrawn,
      ...instants,
    });
    if (stored) return { code: 201, data: stored };
    const { conversationId } = person;
    const isKnown = conversationId === undefined || (await findConversation(scope, conversationId));
    return failure(isKnown ? 'contact-not-found' : 'conversation-not-found');
  });

export const listConsents: Handler<'listConsents'> = ({ body, read }) =>
  read(async scope => {
    const person = personIn(body);
    return isFailure(person) ? person : { code: 200, data: await consentsOf(scope, person) };
  });
