import { operation } from '../operation.ts';
import { answerList, field, flag, freeObject, object, oneOf, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, HOST_ID, MCP_ID } from './example-ids.ts';
import { avatarId, choosenHostId, hostId, hostOfObject, ownHostId } from './fields.ts';
import { SVC } from './paths.ts';

const transportType = field(
  'How the server is reached: `streamable` (HTTP) and `sse` by an address, `stdio` by a command.',
  oneOf('streamable', 'sse', 'stdio'),
);
const name = field('Name of the server, as people see it; its tools carry it too.', text());

const mcpConfig = object({
  mcpId: field('Id of the configuration; an edit sends it as `id`.', uuid()),
  hostId: hostOfObject,
  avatarId: field('Id of the avatar that may use the tools of the server.', uuid()),
  name,
  controlConv: field(
    'Whether calls carry the conversation id, the host slug and the user’s name as `_meta`.',
    flag(),
  ),
  transportType,
  config: field(
    'How to connect: `url` and `headers` (their values shown as `***`), or `command` and `args` for stdio.',
    freeObject(),
  ),
  version: field(
    'Version that the caller gave the configuration; kept and given back, nothing depends on it.',
    text(),
  ),
  enabled: field('Whether turns may use the server.', flag()),
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
  tag: 'MCP',
  method: 'POST',
  path: `${SVC}/saveMCPConfigHelper`,
  body: object({
    id: field('Id of the configuration to change. When absent: a new one is made.', optional(uuid())),
    hostId,
    choosenHostId,
    avatarId: field(
      'Id of the avatar that may use the tools; needed to make a configuration.',
      optional(avatarId),
    ),
    name: field(
      'Name of the server, as people shall see it; needed to make a configuration.',
      optional(name),
    ),
    config: field(
      'How to connect: `url` and optional `headers`, or `command` and `args` for stdio; needed to make a configuration.',
      optional(freeObject()),
    ),
    enabled: field('Whether turns may use the server. When absent: true for a new one.', optional(flag())),
    controlConv: field(
      'Whether calls carry the conversation id, the host slug and the user’s name as `_meta`. When absent: false for a new one.',
      optional(flag()),
    ),
    transportType: field(
      '`streamable` (HTTP) and `sse` need a `url`, `stdio` a `command`. When absent: `streamable` for a new one.',
      optional(transportType),
    ),
    version: field('Version of the configuration. When absent: `1.0.0` for a new one.', optional(text())),
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
  tag: 'MCP',
  method: 'POST',
  path: `${SVC}/listMCPConfigsHelper`,
  body: object({
    hostId: ownHostId,
    choosenHostId,
    avatarId: field('Only configurations of this avatar. When absent: all of the host.', optional(uuid())),
  }),
  data: answerList(mcpConfig),
  example: { body: { hostId: HOST_ID }, data: [example] },
  status: 200,
  refusals: ['avatar-not-found'],
  scope: 'manage',
  hosts: 'one',
});
