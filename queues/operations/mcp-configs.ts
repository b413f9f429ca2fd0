import { operation } from '../operation.ts';
import { answerList, flag, freeObject, object, oneOf, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, HOST_ID, MCP_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const transportType = oneOf('streamable', 'sse', 'stdio');

const mcpConfig = object({
  mcpId: uuid(),
  hostId: uuid(),
  avatarId: uuid(),
  name: text(),
  controlConv: flag(),
  transportType,
  config: freeObject(),
  version: text(),
  enabled: flag(),
});

const example = {
  mcpId: MCP_ID,
  hostId: HOST_ID,
  avatarId: AVATAR_ID,
  name: 'biblioteca',
  controlConv: false,
  transportType: 'streamable' as const,
  config: { url: 'https://mcp.example.edu.br/mcp', headers: { Authorization: '***' } },
  version: '1.0.0',
  enabled: true,
};

export const saveMcpConfig = operation({
  summary: 'Create or edit the configuration of an MCP server, whose tools an avatar may use',
  description:
    'With `id` it edits: what is omitted stays, `config` is replaced whole. Values of headers are kept encrypted and answered as `***`; a header sent as `***` keeps its value while the URL keeps its origin; another origin needs it anew. `stdio` runs only commands that the operator allowed.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/saveMCPConfigHelper`,
  body: object({
    id: optional(uuid()),
    hostId: uuid(),
    choosenHostId: optional(uuid()),
    avatarId: optional(uuid()),
    name: optional(text()),
    config: optional(freeObject()),
    enabled: optional(flag()),
    controlConv: optional(flag()),
    transportType: optional(transportType),
    version: optional(text()),
  }),
  data: mcpConfig,
  example: {
    body: {
      hostId: HOST_ID,
      avatarId: AVATAR_ID,
      name: 'biblioteca',
      config: { url: 'https://mcp.example.edu.br/mcp', headers: { Authorization: 'Bearer s3gr3d0' } },
    },
    data: example,
  },
  status: 200,
  refusals: ['avatar-not-found', 'mcp-config-not-found'],
  scope: 'manage',
  hosts: 'one',
});

export const listMcpConfigs = operation({
  summary: 'The MCP configurations of a host, or of one of its avatars',
  description: '`hostId` is the token’s own where it is left out.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/listMCPConfigsHelper`,
  body: object({
    hostId: optional(uuid()),
    choosenHostId: optional(uuid()),
    avatarId: optional(uuid()),
  }),
  data: answerList(mcpConfig),
  example: { body: { hostId: HOST_ID }, data: [example] },
  status: 200,
  refusals: ['avatar-not-found'],
  scope: 'manage',
  hosts: 'one',
});
