import { operation } from '../operation.ts';
import {
  field,
  flag,
  idAlsoNamed,
  list,
  object,
  optional,
  optionalFields,
  patternText,
  responseList,
  text,
} from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { createdAt, hostFields, hostOfObject } from './fields.ts';
import { exampleHost, exampleSettings, hostItem, hostSettings } from './host-shape.ts';
import { pageFields, pageOf } from './page.ts';
import { SVC } from './paths.ts';

/** Only operators may call these, because a share affects the other hosts, too. */
const forOperators = { scope: 'admin', isForOperators: true, tag: 'hosts', method: 'POST' } as const;

export const createHost = operation({
  ...forOperators,
  effect: 'adds',
  summary: 'Create a host',
  description: 'Only for tokens of operators. Its settings are those given; the others have their defaults.',
  path: `${SVC}/createHostHelper`,
  body: object({
    slug: field(
      'Short name of the host, unique in this installation.',
      patternText(/^[a-z0-9][a-z0-9-]{1,62}$/, '2 to 63 lowercase letters, digits and hyphens'),
    ),
    ...optionalFields(hostSettings, 'as for a new host'),
    name: hostSettings.name,
  }),
  data: hostItem,
  example: { body: { slug: 'demo', ...exampleSettings }, data: exampleHost },
  refusals: ['operators-only', 'slug-taken'],
  hosts: 'all',
});

export const saveHost = operation({
  ...forOperators,
  effect: 'changes',
  summary: 'Change settings of a host',
  description:
    'Only for tokens of operators; `hostId` chooses the host. Updates only the given fields. Another time zone or other ' +
    'business hours recount the reports of the host.',
  // The recount may take long.
  queue: 'reports',
  weight: { kind: 'report', connections: 1 },
  path: `${SVC}/saveHostHelper`,
  body: object({
    ...hostFields,
    hostId: field('Id of the host, as returned by hostsListHelper.', idAlsoNamed('id')),
    ...optionalFields(hostSettings),
  }),
  data: hostItem,
  example: { body: { hostId: HOST_ID, ...exampleSettings }, data: exampleHost },
  refusals: ['operators-only'],
});

export const listHosts = operation({
  ...forOperators,
  effect: 'reads',
  summary: 'List the hosts with their settings',
  description: 'Only for tokens of operators. Sorted by `slug`.',
  path: `${SVC}/hostsListHelper`,
  body: object(pageFields),
  data: pageOf(hostItem),
  example: { body: { limit: 50 }, data: { items: [exampleHost], nextCursor: null } },
  refusals: ['operators-only'],
  hosts: 'all',
});

const ofProviders = { tag: 'models', scope: 'admin' } as const;

const MAX_LENGTH = 2_000;
const MAX_MODELS = 100;

const name = field(
  'Name of the provider, unique in the host. Its models are named `name/model`. No provider of the installation may have it.',
  patternText(/^[a-z0-9][a-z0-9-]{0,62}$/, 'lowercase letters, digits and hyphens, at most 63'),
);
const baseURL = field(
  'Address of the protocol of OpenAI, such as `https://api.openai.com/v1`. Not a private one, unless the operator allows it.',
  text({ max: MAX_LENGTH }),
);
const models = field(
  'Models that it has, whether it lists them or not, by the names that it gives them.',
  list(text(), { max: MAX_MODELS }),
);

const insightModel = field(
  'Which of its models makes insights and fills in the forms of agents, by the name that the provider gives it, instead of the model of the installation; empty: none. Only one provider of a host has any: the one that was saved with it last.',
  text({ min: 0 }),
);

const transcriptionModel = field(
  'Which of its models transcribes the recordings that persons send, by the name that the provider gives it, instead of the model of the installation; empty: none. Only one provider of a host has any: the one that was saved with it last.',
  text({ min: 0 }),
);

const hostProvider = object({
  hostId: hostOfObject,
  name,
  baseURL,
  apiKey: field('Always `***`: the key is stored encrypted, and never shown.', text()),
  models,
  insightModel,
  transcriptionModel,
  createdAt,
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const example = {
  hostId: HOST_ID,
  name: 'nosso',
  baseURL: 'https://api.openai.com/v1',
  apiKey: '***',
  models: ['gpt-4.1-mini'],
  insightModel: '',
  transcriptionModel: 'gpt-4o-mini-transcribe',
  createdAt: '2026-03-02T14:05:09.120Z',
};

export const saveHostProvider = operation({
  ...ofProviders,
  effect: 'changes',
  summary: 'Create, update or delete a provider of models of the host',
  description:
    'Avatars, flows and fallbacks of the host alone may name its models (`name/model`). Their calls are paid with its key and count for no ' +
    'budget. A provider of this name is updated: omitted fields stay unchanged. The key stays as long as the origin of the address does.',
  path: `${SVC}/saveHostProviderHelper`,
  body: object({
    ...hostFields,
    name,
    baseURL: field(
      'Address of the protocol of OpenAI, such as `https://api.openai.com/v1`; required to create a provider. Not a private one, unless the operator allows it.',
      optional(text({ max: MAX_LENGTH })),
    ),
    apiKey: field(
      'The key, sent as `Authorization: Bearer …`; required to create a provider. `***` keeps it.',
      optional(text({ max: MAX_LENGTH })),
    ),
    models: field(
      'Models that it has, whether it lists them or not, by the names that it gives them. When absent: none for a new one.',
      optional(list(text(), { max: MAX_MODELS })),
    ),
    insightModel: optional(insightModel),
    transcriptionModel: optional(transcriptionModel),
    embeddingModel: field(
      'Must be empty: knowledge is embedded with the model of the installation, for all hosts.',
      optional(text({ min: 0 })),
    ),
    deleted: field(
      'True deletes the provider with its key; what still names its models has no model then. When absent: false.',
      optional(flag()),
    ),
  }),
  data: hostProvider,
  example: {
    body: {
      hostId: HOST_ID,
      name: example.name,
      baseURL: example.baseURL,
      apiKey: 'sk-a1b2c3',
      models: example.models,
      insightModel: example.insightModel,
      transcriptionModel: example.transcriptionModel,
      embeddingModel: '',
      deleted: false,
    },
    data: example,
  },
  refusals: ['provider-not-found', 'host-full'],
});

export const listHostProviders = operation({
  ...ofProviders,
  effect: 'reads',
  summary: 'List the providers of models of a host',
  description: 'Sorted by name. The keys are shown as `***`.',
  path: `${SVC}/hostProvidersListHelper`,
  body: object(hostFields),
  data: responseList(hostProvider),
  example: { body: { hostId: HOST_ID }, data: [example] },
});
