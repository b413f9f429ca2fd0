import type { Refusal } from './failure.ts';
import type { QueueName } from './queues.ts';
import type { Shape } from './shape.ts';

export const tokenScopes = [
  'reason',
  'manage',
  'report',
  'intake',
  'search',
  'search:write',
  'admin',
] as const;
export type TokenScope = (typeof tokenScopes)[number];

export type WorkKind = 'search' | 'report' | 'list' | 'replay';

/** A request may carry these beside its body, if its operation names them in `extras`. */
export interface Extras {
  /** Whether the turn creates its conversation if it does not exist: the api derived its id. */
  readonly opensConversation: boolean;
  /** Set for a chat request that names neither its user nor a conversation: its dialogue tells which one it belongs to. */
  readonly chat: {
    /** The digest of the dialogue with the question. */
    readonly asked: string;
    /** Digests of the history that it carries; several, if a client may have stored more than the last answer itself. */
    readonly histories: readonly string[];
    /** The conversation that had that history when the request came: the worker decides. */
    readonly conversationId: string | undefined;
  };
  /**
   * The document of the body (`content`, `content_base64`). The database keeps it, not the queue store, so a larger body is
   * accepted. The SHA-256 of its bytes distinguishes a retry with the same Idempotency-Key from another request.
   */
  readonly upload: { readonly id: string; readonly digest: string };
  /**
   * The OpenAPI file of the body (`openapi`), kept in the same way; an address stays in the body. A command has no upload: its text
   * is in the body, too.
   */
  readonly description: { readonly id: string; readonly digest: string };
  /**
   * The attachments of the body, in its order. The database keeps them, not the queue store, so a larger body is accepted. The
   * SHA-256 is of the bytes, or of the address; `length`, in bytes, is unknown for an address.
   */
  readonly attachments: readonly {
    readonly id: string;
    readonly digest: string;
    readonly length: number | undefined;
  }[];
  /** The source of a signed record, which has no token. */
  readonly source: RecordSource;
  /** The base address of the service, for links; absent if it is unknown. */
  readonly address: string;
}

export interface RecordSource {
  readonly id: string;
  /** Identifies the signed message and the record in it. Undefined if nothing distinguishes a replay from a new message. */
  readonly message: string | undefined;
  /** `early`: the reply is sent once the record is stored, and the record is mapped after that. */
  readonly ack: 'early' | 'late';
}

/** Most operations declare none of these. */
interface UsualParts {
  readonly queue: QueueName;
  readonly method: 'GET' | 'POST';
  readonly status: 200 | 201 | 202;
  /** Its refusals, beyond those that every operation can give. */
  readonly refusals: readonly Refusal[];
  /** `one`: runs on the host of the token or on the chosen host. `all`: runs on every host of the token. */
  readonly hosts: 'one' | 'all';
}

const usual: UsualParts = { queue: 'catalog', method: 'POST', status: 200, refusals: [], hosts: 'one' };

interface OwnParts<Body, Data, Extra extends keyof Extras> {
  readonly summary: string;
  readonly description?: string;
  /**
   * Its effect on the data of the host: `adds` keeps everything, `changes` may replace or delete. An assistant that calls it as a
   * tool learns this.
   */
  readonly effect: 'reads' | 'adds' | 'changes';
  /**
   * Set for heavy work: a worker runs only a few jobs of each kind at a time, and fewer of one host; each uses this many
   * connections at a time.
   */
  readonly weight?: { readonly kind: WorkKind; readonly connections: number };
  readonly tag: Tag;
  /** Koa router syntax; `aliases` are other paths to the same operation. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly body: Shape<Body>;
  readonly data: Shape<Data>;
  /** Shown in the API document. */
  readonly example: { readonly body: NoInfer<Body>; readonly data: NoInfer<Data> };
  /**
   * `bare`: a success is sent without the envelope. Failures always have the envelope.
   * `health`: like `bare`, and the status is 503 if a check is down or no worker replies in time.
   */
  readonly responseForm?: 'bare' | 'health';
  /** Only if shorter than REQUEST_TIMEOUT_MS. */
  readonly timeLimitMs?: number;
  /**
   * The body is a record that a CRM sends. So:
   * - server errors and timeouts get a 503, because the CRM does not retry after a 4xx;
   * - no field is dropped or cleaned: the record is stored as it was sent;
   * - integers beyond 2^53 are read as strings, because they are ids;
   * - it may be a form (`application/x-www-form-urlencoded`), or JSON as `text/plain` or without a type;
   * - no field of it names the host;
   * - a body is required.
   */
  readonly takesRecords?: boolean;
  /** Undefined: any valid token is accepted, and the handler checks the scopes. */
  readonly scope: TokenScope | undefined;
  readonly orScope?: TokenScope;
  /** Only tokens of operators are accepted, and `hostId` of the body chooses the host. */
  readonly isForOperators?: boolean;
  /** A success is cached for identical bodies until the object is written to. */
  readonly cache?: ReplyCache;
  /** Whether `Accept: text/event-stream` is supported: the answer is sent while it is generated. */
  readonly mayStream?: boolean;
  readonly extras?: readonly Extra[];
  /** Bytes of the largest answer, if that may be long: before asking for it, `web` waits until it can hold so much. */
  readonly largestAnswer?: number;
  /** Whether `Prefer: respond-async` is supported. */
  readonly mayRespondAsync?: boolean;
}

export interface Operation<Body = unknown, Data = unknown, Extra extends keyof Extras = keyof Extras>
  extends OwnParts<Body, Data, Extra>,
    UsualParts {}

export interface ReplyCache {
  readonly seconds: number;
  /** The cache entry belongs to the row of this table whose id is in `idField` of the body. */
  readonly table: 'avatars' | 'conversations';
  readonly idField: string;
}

const bytesExtras: readonly (keyof Extras)[] = ['upload', 'description', 'attachments'];

/** Whether its bodies may have bytes that the database keeps, so that they may be larger. */
export function takesBytes({ extras = [] }: Pick<Operation, 'extras'>): boolean {
  return bytesExtras.some(extra => extras.includes(extra));
}

export function operation<Body, Data, Extra extends keyof Extras = never>(
  declared: OwnParts<Body, Data, Extra> & Partial<UsualParts>,
): Operation<Body, Data, Extra> {
  return { ...usual, ...declared };
}

export type BodyOf<O> = O extends Operation<infer Body, unknown> ? Body : never;
export type DataOf<O> =
  O extends Operation<never, infer Data> ? Data : O extends { data: Shape<infer D> } ? D : never;

export type ExtrasOf<O> = O extends { extras?: readonly (infer Extra extends keyof Extras)[] }
  ? Partial<Pick<Extras, Extra>>
  : never;

/** The caller of the API: read from the token, sent in the job, trusted by the worker. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly scopes: readonly TokenScope[];
  /** One host for an operation with `hosts: 'one'`, otherwise all hosts of the token. */
  readonly hostIds: readonly string[];
  /** Set for a command on the machine: `tokenName` is then the operating-system user, and `tokenId` is of no token. */
  readonly isCommand?: boolean;
}

/** Every operation has one tag; the API document has a section for each. */
export const tags = {
  conversations: 'Start conversations, ask the assistant, read and update the state of a conversation',
  consents: 'What people consent to, as they said it, and what they withdraw',
  avatars: 'Identities of the assistant: name, picture, prompt and model',
  knowledge: 'The knowledge base of the assistant: datasets, their chunks, and the avatars that read them',
  'approved answers': 'Answers that people wrote or approved, which are given as they are',
  contradictions: 'Passages that contradict each other, and which of them stay',
  documents: 'Import documents as chunks of a dataset, list and delete them',
  flows: 'Ordered steps that steer the conversations of an avatar (decision chains)',
  evaluation: 'Questions with what their answers must have, which try a change out before it is saved',
  agents: 'Tasks that the assistant may run, and the forms of their arguments, which the model fills in',
  MCP: 'Model Context Protocol: servers whose tools the assistant may call, and Parley as such a server',
  'REST tools': 'Systems whose functions the assistant calls over HTTP',
  'site chats': 'The assistant on the pages of the institution: its chats, and what their visitors call',
  OpenAI: 'The assistant for clients of OpenAI: avatars as models, turns as chat completions',
  models: 'The language models that avatars and flows may use',
  events: 'Tell receivers of a host what happened: webhooks and their deliveries',
  reports: 'Usage and cost of conversations, by day and by month',
  intake: 'Receive records from the CRM of a host: tickets, deals and objects',
  mappings: 'How the records of a CRM are read: the column of each field, and the sources that sign them',
  tokens: 'Access tokens: who may call the API, for which hosts',
  hosts: 'The settings of hosts, and who changed what in their configuration',
  people:
    'The people of a host who sign in to the console: their roles, links, sessions and prepared replies',
  teams: 'The teams of a host, and the labels and reasons that its staff choose from',
  search: 'Search conversations, leads and tickets',
  'search index': 'Monitor and repair the search index',
  jobs: 'Get the status of asynchronous requests (accepted with 202)',
  health: 'Liveness, readiness and progress of the service; no token needed',
  tests: 'Run the tests of this project; disabled in production',
} as const;

export type Tag = keyof typeof tags;
