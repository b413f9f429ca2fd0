import { operation } from '../operation.ts';
import { eitherOneOrList, field, object, oneOf, optional, responseList, text } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { hostFields, longText } from './fields.ts';
import { SVC } from './paths.ts';
import { MAX_SECRETS, openapiText } from './rest-tools.ts';

const proposal = object({
  kind: field(
    'How the secret is sent, as in `auth` of a REST tool.',
    oneOf('bearer', 'basic', 'header', 'query'),
  ),
  name: field('Name of the header or query field. Absent otherwise.', optional(longText)),
  description: field('What the file says about it. Absent where it says nothing.', optional(longText)),
  missing: field(
    'What the file wants together with it and a tool does not send, such as a cookie or a certificate: without it such a system answers 401 or 403. Absent where it wants nothing more.',
    optional(responseList(longText)),
  ),
});

const listedFunction = object({
  name: field('Name of the function, for `operations` of saveRestToolHelper.', text()),
  description: field('The beginning of what the file says about it.', longText),
  method: field('HTTP method.', text()),
  path: field('Path below the address of the system.', longText),
});

const leftOut = object({
  path: field('The place in the file, as a JSON Pointer.', longText),
  rule: field('Name of the reason, as in errors of fields.', text()),
  message: field('Why no function can be made of it.', longText),
});

export const readOpenApi = operation({
  effect: 'reads',
  summary: 'List the functions of an OpenAPI file',
  description:
    'Of an OpenAPI 3.0 or 3.1 file, of at most 2,000 operations, the functions that a REST tool could have. Nothing is stored, and the system is not called.',
  tag: 'REST tools',
  path: `${SVC}/readOpenApiHelper`,
  body: object({
    ...hostFields,
    openapi: field('The text of the file in JSON or YAML, of at most 5 MiB, or its address.', openapiText),
  }),
  data: object({
    baseURLs: field(
      'Addresses of the system, the first of them the usual one; paths where the file says no more.',
      responseList(longText),
    ),
    auth: field(
      'Ways to sign in that the file names, the usual one first; a list where it wants several together.',
      responseList(eitherOneOrList(proposal, { max: MAX_SECRETS })),
    ),
    functions: field('The functions, in the order of the file.', responseList(listedFunction)),
    left: field(
      'Operations that can be no functions, at most 200 of them, with the reason.',
      responseList(leftOut),
    ),
  }),
  example: {
    body: {
      hostId: HOST_ID,
      openapi:
        'openapi: 3.1.0\nservers: [{ url: https://erp.example.edu.br/api }]\npaths:\n  /boletos/{cpf}:\n    get: { operationId: boletos, summary: Boletos em aberto de um aluno. }\n',
    },
    data: {
      baseURLs: ['https://erp.example.edu.br/api'],
      auth: [],
      functions: [
        {
          name: 'boletos',
          description: 'Boletos em aberto de um aluno.',
          method: 'GET',
          path: '/boletos/{cpf}',
        },
      ],
      left: [],
    },
  },
  refusals: ['document-too-large', 'documents-waiting'],
  scope: 'manage',
  extras: ['description'],
});
