import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import {
  type ApiResponse,
  addressOf,
  bodySchemaOf,
  type CallOptions,
  type Calls,
  type Fields,
  type Tenant,
} from './operation-calls.ts';
import { sampleOf } from './samples.ts';

export interface Turn extends ApiResponse {
  readonly data: ApiResponse['body'];
  readonly text: string;
  /** Undefined unless the question asks for it: `withReceipt`. */
  readonly receipt: ApiResponse['body'];
}

/** Among the fields of a question. */
export const withReceipt = { reasoningConfig: { svcCompleteLog: true } };

/** A host of a service, as its own token calls it, or the token of operators where others may not. */
export interface ServedHost extends Tenant {
  /** Its first avatar and dataset; '' where the host knows nothing. */
  readonly avatarId: string;
  readonly datasetId: string;
  /** Calls the operation with this body, which need not name the host. */
  call(name: OperationName, body?: unknown, options?: CallOptions): Promise<ApiResponse>;
  /**
   * Calls the operation with the body of its example and these changes; returns the data of its success. An operation that saves
   * makes a new object, unless an id is among the changes.
   */
  make(name: OperationName, changes?: Fields, options?: CallOptions): Promise<ApiResponse['body']>;
  newConversation(): Promise<string>;
  addPerson(name: string, role?: string): Promise<string>;
  /** Calls with this are those of the person, from a page of the console. */
  enter(personId: string): Promise<PageCalls>;
  /** One turn; creates the conversation if none is given. */
  ask(question: string | undefined, more?: Fields, options?: CallOptions): Promise<Turn>;
  /** Does this with the rows of the host. */
  inHost<T>(work: (scope: HostScope) => Promise<T>): Promise<T>;
}

/** How a page of the console calls. */
export interface PageCalls {
  readonly token: undefined;
  readonly headers: { readonly cookie: string; readonly 'x-parley-console': string };
}

export function serveHost(
  { db, operatorToken, call: callPath }: { readonly db: Db } & Pick<Calls, 'operatorToken' | 'call'>,
  host: Pick<ServedHost, 'hostId' | 'slug' | 'token' | 'avatarId' | 'datasetId'>,
): ServedHost {
  const { hostId, slug, token } = host;
  const inHost: ServedHost['inHost'] = work => withHost(db, hostId, work);
  const call: ServedHost['call'] = (name, body, options) => {
    const { method, isForOperators } = operationOf(name);
    const isRecord =
      body === undefined || (body !== null && Object.getPrototypeOf(body) === Object.prototype);
    const fields = isRecord ? { ...requiredHostFields(name, host), ...(body as Fields | undefined) } : {};
    return callPath(addressOf(name, fields), method === 'GET' ? undefined : isRecord ? fields : body, {
      method,
      token: isForOperators ? operatorToken : token,
      ...options,
    });
  };
  const create = () => call('createConversation', { hostSlug: slug });
  return {
    ...host,
    inHost,
    call,
    async make(name, changes = {}, options) {
      const { id, ...sample } = await inHost(scope => sampleOf(scope, name, host));
      const named = id === undefined || name.startsWith('save') ? {} : { id };
      const { status, body } = await call(name, { ...sample, ...named, ...changes }, options);
      if (status >= 300) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
      return body.data ?? body;
    },
    newConversation: async () => (await create()).body.data.conversationId,
    async addPerson(name, role = 'agent') {
      const email = `${randomUUID()}@horizonte.example`;
      return (await call('savePerson', { name, role, email })).body.data.personId;
    },
    async enter(personId) {
      const { body } = await call('invitePerson', { personId });
      const options = { token: body.data.link.split('#entrar=')[1], method: 'POST' };
      const { headers } = await callPath('/console/sign-in', undefined, options);
      const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      return { token: undefined, headers: { cookie, 'x-parley-console': '1' } };
    },
    async ask(question, more = {}, options) {
      const created = more['conversationId'] === undefined ? await create() : undefined;
      const body = { conversationId: created?.body.data.conversationId, question, ...more };
      // Where there is no conversation the turn says so, and not that its request lacks one.
      const isRefused = created !== undefined && created.status >= 300;
      const answer = isRefused ? created : await call('reason', body, options);
      const data = answer.body.data;
      return { ...answer, data, text: data?.assistantResponse?.string, receipt: data?.svcCompleteLog?.[0] };
    },
  };
}

function requiredHostFields(name: OperationName, { hostId, slug }: Tenant): Fields {
  const values = { hostId, host_id: hostId, hostSlug: slug, host_slug: slug };
  const required = bodySchemaOf(name).required ?? [];
  return Object.fromEntries(Object.entries(values).filter(([field]) => required.includes(field)));
}
