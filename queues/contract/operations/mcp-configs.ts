import { operation } from '../operation.ts';
import {
  field,
  flag,
  freeObject,
  idAlsoNamed,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AVATAR_ID, HOST_ID, MCP_ID } from './example-ids.ts';
import { avatarId, hostFields, hostOfObject, ownHostFields } from './fields.ts';
import { SVC } from './paths.ts';

const transportType = field(
  'Transport of the server: `streamable` (HTTP) and `sse` use a URL, `stdio` runs a command.',
  oneOf('streamable', 'sse', 'stdio'),
);
const name = field('Display name of the server, also part of the names of its tools.', text());

const mcpConfig = object({
  mcpId: field('Id of the configuration.', uuid()),
  hostId: hostOfObject,
  avatarId: field('Id of the avatar that may call the tools of the server.', uuid()),
  name,
  controlConv: field(
    'Whether calls send the conversation id, the host slug and the user’s name as `_meta`.',
    flag(),
  ),
  transportType,
  config: field(
    'Connection settings: `url` and `headers` (values shown as `***`), or `command` and `args` for stdio.',
    freeObject(),
  ),
  version: field('Version given by the caller; not interpreted by the service.', text()),
  enabled: field('Whether turns may use the server.', flag()),
  deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
  unmasked: field(
    'Whether its tools get personal identifiers (CPF, phone, e-mail, …) where the host masks them; otherwise they get tokens such as `[CPF_1]`.',
    flag(),
  ),
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
  unmasked: false,
};

export const saveMcpConfig = operation({
  effect: 'changes',
  summary: 'Create, update or delete an MCP server configuration',
  description:
    'The avatar may then call the tools of the server. With `id` the configuration is updated: omitted fields stay unchanged, `config` is replaced as a whole. Header values are stored encrypted and returned as `***`; a header sent as `***` keeps its value as long as the origin of the URL does not change. `stdio` runs only commands that the operator has allowed.',
  tag: 'MCP',
  path: `${SVC}/saveMCPConfigHelper`,
  body: object({
    id: field(
      'Id of the configuration to update. When absent: a new one is created.',
      optional(idAlsoNamed('mcpId')),
    ),
    ...hostFields,
    avatarId: field(
      'Id of the avatar that may call the tools; required to create a configuration.',
      optional(avatarId),
    ),
    name: field('Display name of the server; required to create a configuration.', optional(name)),
    config: field(
      'Connection settings: `url` and optional `headers`, or `command` and `args` for stdio; required to create a configuration.',
      optional(freeObject()),
    ),
    enabled: field('Whether turns may use the server. When absent: true for a new one.', optional(flag())),
    unmasked: field(
      'Whether its tools get personal identifiers where the host masks them (`host -- set --mask on`). When absent: false for a new one.',
      optional(flag()),
    ),
    controlConv: field(
      'Whether calls send the conversation id, the host slug and the user’s name as `_meta`. When absent: false for a new one.',
      optional(flag()),
    ),
    transportType: field(
      '`streamable` (HTTP) and `sse` need a `url`, `stdio` a `command`. When absent: `streamable` for a new one.',
      optional(transportType),
    ),
    deleted: field(
      'True deletes the configuration with its headers; turns that run keep it to their end. When absent: false.',
      optional(flag()),
    ),
    version: field('Version of the configuration. When absent: `1.0.0` for a new one.', optional(text())),
  }),
  data: mcpConfig,
  example: {
    body: {
      id: MCP_ID,
      hostId: HOST_ID,
      avatarId: AVATAR_ID,
      name: example.name,
      config: { url: example.config.url, headers: { Authorization: 'Bearer s3gr3d0' } },
      enabled: example.enabled,
      unmasked: example.unmasked,
      controlConv: example.controlConv,
      transportType: example.transportType,
      version: example.version,
      deleted: false,
    },
    data: example,
  },
  refusals: ['avatar-not-found', 'mcp-config-not-found', 'host-full'],
  scope: 'manage',
});

export const listMcpConfigs = operation({
  effect: 'reads',
  summary: 'List the MCP server configurations of a host or avatar',
  description: '`hostId` defaults to the host of the token.',
  weight: { kind: 'list', connections: 1 },
  tag: 'MCP',
  path: `${SVC}/listMCPConfigsHelper`,
  body: object({
    ...ownHostFields,
    avatarId: field(
      'Only configurations of this avatar. When absent: all configurations of the host.',
      optional(uuid()),
    ),
  }),
  data: responseList(mcpConfig),
  example: { body: { hostId: HOST_ID, avatarId: AVATAR_ID }, data: [example] },
  refusals: ['avatar-not-found'],
  scope: 'manage',
});
