import { operation } from '../operation.ts';
import { dateTime, field, flag, nullable, object, optional, responseList, text, uuid } from '../shape.ts';
import { CONSENT_ID, CONTACT_ID, CONVERSATION_ID, HOST_ID } from './example-ids.ts';
import { hostOfObject, ownHostFields } from './fields.ts';
import { SVC } from './paths.ts';

const ofConsents = { tag: 'consents', scope: 'reason' } as const;

const said = {
  version: field('Version of the text that the person was shown, such as `2026-03`.', text()),
  textDigest: field('Digest of that text, such as its SHA-256 in hexadecimal.', text()),
  channel: field('Where it was said, such as `whatsapp`.', text()),
};
const withdrawn = field('Whether the person withdrew the consent.', flag());
const person = {
  conversationId: field(
    'Id of a conversation of the person; it or `contactId` is required. When absent: the contact counts.',
    optional(uuid()),
  ),
  contactId: field('Id of the contact. When absent: the conversation counts.', optional(uuid())),
};

const consent = object({
  consentId: field('Id of the consent, one for each answer of the person.', uuid()),
  hostId: hostOfObject,
  contactId: field('Id of the contact; null where the person had none.', nullable(uuid())),
  conversationId: field('Id of the conversation; null if none was named.', nullable(uuid())),
  ...said,
  at: field('When it was said: an instant in UTC, ISO 8601.', dateTime()),
  withdrawn,
});

const sent = { version: '2026-03', textDigest: '9f86d081884c7d659a2feaa0c55ad015', channel: 'whatsapp' };
const example = {
  consentId: CONSENT_ID,
  hostId: HOST_ID,
  contactId: CONTACT_ID,
  conversationId: CONVERSATION_ID,
  ...sent,
  at: '2026-03-02T14:05:09.120Z',
  withdrawn: false,
};

export const saveConsent = operation({
  ...ofConsents,
  effect: 'adds',
  summary: 'Store a consent of a person',
  description:
    'Or its withdrawal. Each stays as evidence, and is exported and erased with the person; the newest of a version counts. ' +
    'An `ask` of a flow may put the question: whoever gets the `choice` then calls this.',
  path: `${SVC}/saveConsentHelper`,
  body: object({
    ...ownHostFields,
    ...person,
    ...said,
    at: field('When it was said; a later time than now is now. When absent: now.', optional(dateTime())),
    withdrawn: field('True: the person withdrew the consent. When absent: false.', optional(withdrawn)),
  }),
  data: consent,
  example: {
    body: {
      hostId: HOST_ID,
      conversationId: CONVERSATION_ID,
      contactId: CONTACT_ID,
      ...sent,
      at: example.at,
      withdrawn: false,
    },
    data: example,
  },
  status: 201,
  refusals: ['conversation-not-found', 'contact-not-found'],
});

export const listConsents = operation({
  ...ofConsents,
  effect: 'reads',
  summary: 'List the consents of a person',
  description:
    'The newest of each version, given or withdrawn, in all conversations of the contact; the newest first.',
  path: `${SVC}/consentsListHelper`,
  body: object({ ...ownHostFields, ...person }),
  data: responseList(consent),
  example: {
    body: { hostId: HOST_ID, conversationId: CONVERSATION_ID, contactId: CONTACT_ID },
    data: [example],
  },
});
