import { operationOf } from '../../queues/contract/operations/index.ts';
import type { Call } from '../call.ts';
import { parametersOf } from '../openapi/openapi-parameters.ts';
import { reasonsOf, toJsonBody, toJsonContent } from '../openapi/openapi-responses.ts';

const message = (description: string) => ({ type: 'object', description, additionalProperties: true });

/** Any token may call this operation. */
const anyOperation = operationOf('findJob');

/** The operations as tools of the Model Context Protocol. */
export const callTools: Call = {
  name: 'callTools',
  summary: 'The operations as tools for a client of MCP',
  description:
    'Streamable HTTP of the Model Context Protocol, without sessions: the operations that the token may call are its tools, with the same bodies, checks and limits. ' +
    'A refusal is a result with `isError`, whose text is the error response. One message in each request; a notification gets a 202 without a body.',
  tag: 'MCP',
  method: 'POST',
  path: '/mcp',
  parameters: [
    ...parametersOf({ ...anyOperation, method: 'POST', path: '' }),
    {
      name: 'tools',
      in: 'query',
      description:
        'Which tools are listed: `manage-basic`, the fifteen of daily work with assistants and knowledge. When absent: all of the token.',
      schema: { type: 'string', enum: ['manage-basic'] },
    },
  ],
  requestBody: toJsonBody(
    message('A message of JSON-RPC 2.0.'),
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    true,
  ),
  answers: {
    200: {
      content: {
        ...toJsonContent(message('A message of JSON-RPC 2.0.'), {
          jsonrpc: '2.0',
          id: 1,
          result: { tools: [] },
        }).content,
        'text/event-stream': {
          schema: { type: 'string', description: 'The same message as a server-sent event.' },
        },
      },
    },
  },
  refusals: reasonsOf({ ...anyOperation, method: 'POST', refusals: [] }),
};
