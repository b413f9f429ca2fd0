import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  idAlsoNamed,
  nullable,
  object,
  oneOf,
  optional,
  patternText,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { HOST_ID, PERSON_ID } from './example-ids.ts';
import { createdAt, hostFields, hostOfObject } from './fields.ts';
import { SVC } from './paths.ts';

const ofPeople = { tag: 'people', scope: 'admin' } as const;

const personId = field('Id of the person, as returned by peopleListHelper.', uuid());
const sentPersonId = field('Id of the person, as returned by peopleListHelper.', idAlsoNamed('id'));
const name = field('Name of the person, as colleagues and the audit show it.', text());
/** ASCII alone: `lower` of PostgreSQL turns the Kelvin sign into a k, so that two addresses would be one. */
const emailForm = /^(?=.{3,200}$)[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]{1,135}$/;
export const isEmail = (text: string): boolean => emailForm.test(text);
const email = field(
  'E-mail address of the person, unique in the host in whatever case. Nothing is sent to it.',
  patternText(emailForm, 'an e-mail address of ASCII characters, such as `bia@horizonte.example`'),
);
const role = field(
  'What the person may do. `agent`: attend and search (scopes `reason`, `search`). `manager`: also assistants, knowledge and ' +
    'reports (`manage`, `report`, `intake`). `admin`: also people and the audit (`admin`).',
  oneOf('agent', 'manager', 'admin'),
);

const person = object({
  personId,
  hostId: hostOfObject,
  name,
  email,
  role,
  disabled: field('Whether the person may not sign in.', flag()),
  invitedUntil: field(
    'Until when the link of the person signs in; null where there is none, or it was used.',
    nullable(dateTime()),
  ),
  lastSeenAt: field('Last use of the console, within a minute; null before the first.', nullable(dateTime())),
  createdAt,
});

const examplePerson = {
  personId: PERSON_ID,
  hostId: HOST_ID,
  name: 'Bia Souza',
  email: 'bia@horizonte.example',
  role: 'manager' as const,
  disabled: false,
  invitedUntil: null,
  lastSeenAt: '2026-03-02T14:05:31.220Z',
  createdAt: '2026-03-01T12:00:00.000Z',
};

export const listPeople = operation({
  ...ofPeople,
  effect: 'reads',
  summary: 'List the people of a host',
  description: 'Sorted by name, also those who are disabled.',
  path: `${SVC}/peopleListHelper`,
  body: object(hostFields),
  data: responseList(person),
  example: { body: { hostId: HOST_ID }, data: [examplePerson] },
});

export const listColleagues = operation({
  ...ofPeople,
  effect: 'reads',
  summary: 'List whom a conversation may be handed to',
  description:
    'The people of the host who may sign in, by name: `assigned_person_id` of updateConversationHelper takes an id. ' +
    'An open page of the console is in use all the time.',
  path: `${SVC}/colleaguesListHelper`,
  body: object(hostFields),
  data: responseList(
    object({
      personId,
      name,
      email,
      present: field('Whether the person has used the console within the last three minutes.', flag()),
    }),
  ),
  example: {
    body: { hostId: HOST_ID },
    data: [{ personId: PERSON_ID, name: examplePerson.name, email: examplePerson.email, present: true }],
  },
  scope: 'reason',
});

export const savePerson = operation({
  ...ofPeople,
  effect: 'changes',
  summary: 'Add or change a person of a host',
  description:
    'With `id` the person is changed: omitted fields stay unchanged. Another role holds from the next request on. The sessions and the ' +
    'link of a disabled person end at once. The last admin who is not disabled cannot be disabled and keeps the role. At most 1,000 a host.',
  path: `${SVC}/savePersonHelper`,
  body: object({
    id: field(
      'Id of the person to change. When absent: a new one is added.',
      optional(idAlsoNamed('personId')),
    ),
    ...hostFields,
    name: field('Name of the person; required for a new one.', optional(name)),
    email: field('E-mail address, unique in the host; required for a new one.', optional(email)),
    role: field(
      'What the person may do: `agent`, `manager` or `admin`; required for a new one.',
      optional(role),
    ),
    disabled: field(
      'Whether the person may not sign in. When absent: false for a new one.',
      optional(flag()),
    ),
  }),
  data: person,
  example: {
    body: {
      id: PERSON_ID,
      hostId: HOST_ID,
      name: examplePerson.name,
      email: examplePerson.email,
      role: examplePerson.role,
      disabled: false,
    },
    data: examplePerson,
  },
  refusals: ['person-not-found', 'email-taken', 'last-admin', 'host-full'],
});

export const invitePerson = operation({
  ...ofPeople,
  effect: 'adds',
  summary: 'Make a link by which a person signs in to the console',
  description:
    'The link signs in once, within 72 hours, and takes the place of an earlier one that was not used. Send it to the person: Parley sends ' +
    'no mail. It is shown once; a request that is repeated with its Idempotency-Key more than a minute later gets `***`.',
  path: `${SVC}/invitePersonHelper`,
  body: object({ ...hostFields, personId: sentPersonId }),
  extras: ['address'],
  data: object({
    link: field(
      'The link. Without `PUBLIC_URL` it begins with its path, unless the request came from the same machine.',
      text({ max: 2_000 }),
    ),
    expiresAt: field('Until when it signs in: an instant in UTC, ISO 8601.', dateTime()),
  }),
  example: {
    body: { hostId: HOST_ID, personId: PERSON_ID },
    data: {
      link: 'https://parley.example/console#entrar=lnk_0Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2H1g0F9e8D7c6B5a4321',
      expiresAt: '2026-03-05T14:05:31.220Z',
    },
  },
  refusals: ['person-not-found', 'person-disabled'],
});

export const endSessions = operation({
  ...ofPeople,
  effect: 'changes',
  summary: 'End all sessions of a person',
  description: 'At once, in every browser; a link that was not used yet is void, too.',
  path: `${SVC}/endSessionsHelper`,
  body: object({ ...hostFields, personId: sentPersonId }),
  data: object({ personId }),
  example: { body: { hostId: HOST_ID, personId: PERSON_ID }, data: { personId: PERSON_ID } },
  refusals: ['person-not-found'],
});
