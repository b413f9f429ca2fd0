import { MAX_DESCRIPTION_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import {
  eitherOneOrList,
  field,
  flag,
  freeObject,
  idAlsoNamed,
  list,
  object,
  oneOf,
  optional,
  patternText,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AVATAR_ID, HOST_ID, REST_TOOL_ID } from './example-ids.ts';
import { avatarId, hostFields, hostOfObject, ownHostFields } from './fields.ts';
import { SVC } from './paths.ts';

export const MAX_FUNCTIONS = 100;
const MAX_PLACES = 50;
export const MAX_SECRETS = 3;

const argumentPlace = object({
  argument: field('Name of the argument.', text()),
  name: field('Its name there. When absent: that of the argument.', optional(text())),
  style: field(
    'How a list or object is written, as in OpenAPI. When absent: `form`; in headers always `simple`.',
    optional(oneOf('form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'simple')),
  ),
  explode: field(
    'Whether each item is written by itself. When absent: true for `form`, otherwise false.',
    optional(flag()),
  ),
});
const places = (meaning: string) => field(meaning, optional(list(argumentPlace, { max: MAX_PLACES })));

const restFunction = object({
  name: field('Name of the function, unlike the others of the tool; the model sees it.', text()),
  description: field(
    'When to call it, and what it answers; the model sees it.',
    text({ min: 0, max: 4_000 }),
  ),
  method: field('HTTP method.', oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')),
  path: field(
    'Path below `baseURL`, with the names of arguments in braces: `/boletos/{cpf}`.',
    patternText(
      /^\/[^?#\s]{0,999}$/,
      'a path that begins with / and has no query, of at most 1000 characters',
    ),
  ),
  query: places('Arguments that are sent in the query. When absent: none.'),
  headers: places('Arguments that are sent as headers. When absent: none.'),
  cookies: places('Arguments that are sent as cookies. When absent: none.'),
  body: field(
    'How the other arguments are sent. When absent: as JSON; in the query for GET, HEAD and DELETE.',
    optional(oneOf('json', 'form', 'multipart', 'text')),
  ),
  arguments: field(
    'JSON Schema of an object; answered in the form in which a model is offered it.',
    freeObject(),
  ),
  pick: field(
    'What the model gets of a JSON answer: JSON Pointers, with `*` for each item. When absent: all of it.',
    optional(
      list(patternText(/^(\/[^/]{0,200}){0,20}$/, 'a JSON Pointer such as `/boletos/*/valor`'), { max: 50 }),
    ),
  ),
  confirm: field(
    '`person`: the first call asks, and the same call in the next turn of that person is made. When absent: `none` for GET and HEAD, otherwise `person`.',
    optional(oneOf('person', 'none')),
  ),
});
const functions = field(
  'The functions that the model may call.',
  list(restFunction, { min: 1, max: MAX_FUNCTIONS }),
);

const authFields = {
  kind: field(
    'How the secret is sent: `bearer`, `basic` (as password of `user`), or in the `header` or `query` of that `name`; `none`: there is no secret.',
    oneOf('bearer', 'basic', 'header', 'query', 'none'),
  ),
  name: field('Name of the header or query field. Absent otherwise.', optional(text())),
  user: field('User of `basic`. Absent otherwise.', optional(text())),
  secret: field(
    'The secret; answered as `***`, which keeps it. Absent with `none`.',
    optional(text({ max: 8_000 })),
  ),
};
const auth = eitherOneOrList(object(authFields), { max: MAX_SECRETS });
const name = field('Display name of the tool, also part of the names of its functions.', text());
const baseURL = field('Address of the system, without query and fragment.', text({ max: 2_000 }));

const restTool = object({
  toolId: field('Id by which a later request changes or deletes it.', uuid()),
  hostId: hostOfObject,
  avatarId: field('Id of the avatar that may call its functions.', uuid()),
  name,
  baseURL,
  auth: field(
    'How the service signs in there, in the form in which it was sent; each secret as `***`.',
    auth,
  ),
  functions,
  enabled: field('Whether turns may use the tool.', flag()),
  unmasked: field(
    'Whether it gets personal identifiers (CPF, phone, e-mail, …) where the host masks them; otherwise it gets tokens such as `[CPF_1]`.',
    flag(),
  ),
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
});

const example = {
  toolId: REST_TOOL_ID,
  hostId: HOST_ID,
  avatarId: AVATAR_ID,
  name: 'financeiro',
  baseURL: 'https://erp.example.edu.br/api',
  auth: { kind: 'bearer' as const, secret: '***' },
  functions: [
    {
      name: 'boletos',
      description: 'Boletos em aberto de um aluno.',
      method: 'GET' as const,
      path: '/boletos/{cpf}',
      query: [{ argument: 'ano' }],
      arguments: {
        type: 'object',
        properties: { cpf: { type: 'string' }, ano: { type: 'integer' } },
        required: ['cpf'],
      },
      pick: ['/boletos/*/valor', '/boletos/*/vencimento'],
    },
  ],
  enabled: true,
  unmasked: false,
};

/** Text of a file, or its address. */
export const openapiText = text({ max: MAX_DESCRIPTION_BYTES });

export const saveRestTool = operation({
  effect: 'changes',
  summary: 'Create, update or delete a REST tool',
  description:
    'The avatar may then call the functions of a system over HTTP. They are written out in `functions`, or taken from an OpenAPI file in `openapi`. With `toolId` the tool is updated: omitted fields stay unchanged, `auth` and `functions` are replaced as a whole. The secrets are stored encrypted, are sent to the origin of `baseURL` only, and are returned as `***`; sent as `***` one stays, by its kind and name, as long as that origin does.',
  tag: 'REST tools',
  path: `${SVC}/saveRestToolHelper`,
  body: object({
    toolId: field(
      'Id of the tool to update. When absent: a new one is created.',
      optional(idAlsoNamed('id')),
    ),
    ...hostFields,
    avatarId: field('Id of the avatar that may call it; required to create a tool.', optional(avatarId)),
    name: field('Display name of the tool; required to create one.', optional(name)),
    baseURL: field(
      'Address of the system, without query and fragment. When absent for a new tool: the first server of `openapi`; a server that the file has as a path is one of this address.',
      optional(baseURL),
    ),
    auth: field(
      'How to sign in there; a list where the system wants two or three secrets together, none in the place of another. When absent: `none` for a new one.',
      optional(auth),
    ),
    functions: field(
      'The functions that the model may call; a new tool needs these or `openapi`.',
      optional(functions),
    ),
    openapi: field(
      'An OpenAPI 3.0 or 3.1 file whose operations become the functions, in place of `functions`: its text in JSON or YAML of at most 5 MiB, or its address. `$ref` is followed within the file only.',
      optional(openapiText),
    ),
    operations: field(
      `The operations of \`openapi\` that are wanted, by their ids or by the names that readOpenApiHelper lists. When absent: all, if they are at most ${MAX_FUNCTIONS}.`,
      optional(list(text(), { min: 1, max: MAX_FUNCTIONS })),
    ),
    enabled: field('Whether turns may use the tool. When absent: true for a new one.', optional(flag())),
    unmasked: field(
      'Whether it gets personal identifiers where the host masks them (`host -- set --mask on`). When absent: false for a new one.',
      optional(flag()),
    ),
    deleted: field(
      'True deletes the tool with its secret; turns that run keep it to their end. When absent: false.',
      optional(flag()),
    ),
  }),
  data: restTool,
  example: {
    body: { ...example, auth: { kind: 'bearer', secret: 's3gr3d0' }, deleted: false },
    data: example,
  },
  refusals: [
    'avatar-not-found',
    'rest-tool-not-found',
    'host-full',
    'document-too-large',
    'documents-waiting',
  ],
  scope: 'manage',
  extras: ['description'],
});

export const listRestTools = operation({
  effect: 'reads',
  summary: 'List the REST tools of a host or avatar',
  description: '`hostId` defaults to the host of the token.',
  weight: { kind: 'list', connections: 1 },
  tag: 'REST tools',
  path: `${SVC}/restToolsListHelper`,
  body: object({
    ...ownHostFields,
    avatarId: field('Only tools of this avatar. When absent: all tools of the host.', optional(uuid())),
  }),
  data: responseList(restTool),
  example: { body: { hostId: HOST_ID, avatarId: AVATAR_ID }, data: [example] },
  refusals: ['avatar-not-found'],
  scope: 'manage',
});
