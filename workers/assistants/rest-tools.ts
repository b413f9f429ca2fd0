import { randomUUID } from 'node:crypto';
import { hasAvatar } from '../../db/assistants/avatars.ts';
import {
  deleteRestTool,
  findRestToolForUpdate,
  listRestTools as listTools,
  type RestTool,
  upsertRestTool,
} from '../../db/assistants/rest-tools.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { errorsAt, type FieldError, fieldError, missingErrorsOf } from '../../platform/field-error.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure, fieldFailure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { MAX_FUNCTIONS } from '../../queues/contract/operations/rest-tools.ts';
import { type EgressRules, urlErrorOf } from '../domain/egress-address.ts';
import { baseURLOf, type DescriptionReader } from '../domain/rest-tools/described-choice.ts';
import { functionsOf } from '../domain/rest-tools/read-functions.ts';
import type { DescribedSystem } from '../domain/rest-tools/read-openapi.ts';
import { authErrorsOf, secretNamesOf, signInsOf } from '../domain/rest-tools/rest-auth.ts';
import type { Handler, JobOf } from '../runtime/job.ts';
import { maskValues, sealValues } from '../tools/sealed-values.ts';
import { readSystem } from './rest-descriptions.ts';

type Body = BodyOf<'saveRestTool'>;
type Data = DataOf<'saveRestTool'>;
type Connection = Pick<RestTool, 'config' | 'sealedSecrets'>;

interface Parts {
  readonly seal: Seal;
  readonly rules: EgressRules;
  readonly readDescription: DescriptionReader;
}

const refuseFields = (fields: readonly FieldError[]) => failure('body-invalid', { fields });
const noId = fieldFailure('toolId', 'required', 'is required to delete a tool');

export function makeSaveRestTool(parts: Parts): Handler<'saveRestTool'> {
  return async job => {
    const described = await describedOf(job, parts);
    if (described && isFailure(described)) return described;
    return job.commit(scope => storeRestTool(scope, job.body, described?.data, parts));
  };
}

const ONE_OF = { values: ['functions', 'openapi'] };

/** Reads the file before anything is locked; undefined where the request has none. */
async function describedOf(
  job: JobOf<'saveRestTool'>,
  { readDescription }: Parts,
): Promise<Outcome<DescribedSystem> | undefined> {
  const { functions, operations, openapi, deleted } = job.body;
  const hasFile = job.description !== undefined || openapi !== undefined;
  if (hasFile && functions) return fieldFailure('functions', 'exactly-one', ONE_OF);
  if (!hasFile && operations) return fieldFailure('operations', 'only-with', { values: ['openapi'] });
  if (!hasFile || deleted) return undefined;
  return readSystem(job, readDescription, { kind: 'take', operations, max: MAX_FUNCTIONS });
}

async function storeRestTool(
  scope: HostScope,
  body: Body,
  described: DescribedSystem | undefined,
  parts: Parts,
): Promise<Outcome<Data>> {
  const earlier = body.toolId === undefined ? undefined : await findRestToolForUpdate(scope, body.toolId);
  if (body.toolId !== undefined && !earlier) return failure('rest-tool-not-found');
  if (body.deleted) return earlier ? remove(scope, earlier) : noId;
  const id = earlier?.id ?? randomUUID();
  const read = described ?? functionsOf(body) ?? earlier;
  if (!read) return fieldFailure('functions', 'exactly-one', ONE_OF);
  const { avatarId = earlier?.avatarId, name = earlier?.name } = body;
  const baseURL = chosenURLOf(body, described, earlier);
  if (avatarId === undefined || name === undefined || baseURL === undefined)
    return refuseFields(missingErrorsOf({ avatarId, name, baseURL }));
  if (typeof baseURL !== 'string') return refuseFields([baseURL]);
  if ('errors' in read) return refuseFields(read.errors);
  const connection = await connectionOf({ id, baseURL, auth: body.auth }, earlier, parts);
  if (Array.isArray(connection)) return refuseFields(connection);
  const stored = await upsertRestTool(scope, {
    id,
    avatarId,
    name,
    ...connection,
    functions: read.functions as Data['functions'],
    enabled: body.enabled ?? earlier?.enabled ?? true,
    unmasked: body.unmasked ?? earlier?.unmasked ?? false,
  });
  if (!stored) return failure('avatar-not-found');
  if (!(await isWithinLimits(scope, 'rest_tools'))) return failure('host-full');
  return { code: 200, data: dataOf(scope.hostId, stored) };
}

/** A file says where a new tool is, and of an address that is sent, which part; it moves no tool by itself. */
function chosenURLOf(
  { baseURL }: Body,
  described: DescribedSystem | undefined,
  earlier: RestTool | undefined,
): string | FieldError | undefined {
  if (baseURL === undefined && earlier) return earlier.config.baseURL;
  return described ? baseURLOf(baseURL, described.baseURLs) : baseURL;
}

async function remove(scope: HostScope, tool: RestTool): Promise<Outcome<Data>> {
  await deleteRestTool(scope, tool.id);
  return { code: 200, data: { ...dataOf(scope.hostId, { ...tool, enabled: false }), deleted: true } };
}

interface SentConnection {
  readonly id: string;
  readonly baseURL: string;
  readonly auth: Body['auth'];
}

/** What an edit leaves as it was is not checked again: it must be possible to disable a tool under stricter rules. */
async function connectionOf(
  { id, baseURL, auth }: SentConnection,
  earlier: RestTool | undefined,
  { seal, rules }: Parts,
): Promise<Connection | FieldError[]> {
  if (earlier && auth === undefined && earlier.config.baseURL === baseURL) {
    const { config, sealedSecrets } = earlier;
    return { config, sealedSecrets };
  }
  const wanted = auth ?? (earlier ? maskedOf(earlier) : { kind: 'none' });
  const sent = [wanted].flat();
  const pathOf = (at: number) => (Array.isArray(wanted) ? `auth[${at}]` : 'auth');
  const errors = [...urlErrorsOf(baseURL, rules), ...authErrorsOf(sent, pathOf)];
  if (errors.length > 0) return errors;
  const secretNames = secretNamesOf(sent, earlier?.config);
  const named = sent.map(({ kind, secret }, at) => [secretNames[at], kind === 'none' ? undefined : secret]);
  const sealedSecrets = await sealValues(
    seal,
    {
      id,
      url: baseURL,
      values: Object.fromEntries(named.filter(([, secret]) => secret !== undefined)),
      pathOf: name => `${pathOf(secretNames.indexOf(name))}.secret`,
    },
    earlier && { id, url: earlier.config.baseURL, sealed: earlier.sealedSecrets },
  );
  if (Array.isArray(sealedSecrets)) return sealedSecrets;
  const signIns = sent.map(({ secret: _, ...signIn }) => signIn);
  return { config: { baseURL, auth: inFormOf(wanted, signIns), secretNames }, sealedSecrets };
}

/** One object where it was one. */
function inFormOf<T>(wanted: object, list: T[]): T | T[] {
  return Array.isArray(wanted) ? list : (list[0] as T);
}

function maskedOf({ config, sealedSecrets }: Connection): Data['auth'] {
  return inFormOf(config.auth, signInsOf(config, maskValues(sealedSecrets)));
}

function urlErrorsOf(baseURL: string, rules: EgressRules): FieldError[] {
  const wrong = errorsAt('baseURL', urlErrorOf(baseURL, rules));
  if (wrong.length > 0 || !/[?#]/.test(baseURL)) return wrong;
  return [fieldError('baseURL', 'url', 'must be a URL without query and fragment')];
}

function dataOf(hostId: string, { id: toolId, config, sealedSecrets, ...shown }: RestTool): Data {
  return { toolId, hostId, ...shown, baseURL: config.baseURL, auth: maskedOf({ config, sealedSecrets }) };
}

export const listRestTools: Handler<'listRestTools'> = ({ hostId, body: { avatarId }, read }) =>
  read(async scope => {
    if (avatarId !== undefined && !(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
    return { code: 200, data: (await listTools(scope, avatarId)).map(tool => dataOf(hostId, tool)) };
  });
