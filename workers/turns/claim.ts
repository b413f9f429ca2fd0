import { listAvatarNames } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { listRevoked, openBurstChannel } from '../../db/conversations/bursts.ts';
import { followChat } from '../../db/conversations/chat-histories.ts';
import { findConversation } from '../../db/conversations/conversations.ts';
import { claimTurn, type LeasedTurn, renewLeases, type TurnClaim } from '../../db/conversations/turns.ts';
import { type HostScope, toHostsScope, withHost } from '../../db/with-hosts.ts';
import { Gate } from '../../platform/gate.ts';
import { keepConnected } from '../../platform/keep-connected.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import { repeat } from '../../platform/repeat.ts';
import { type Failure, failure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { checkGlobalData } from '../bodies/check-global-data.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import { CLAIM_LIMITS, type Pools } from '../runtime/pools.ts';
import { endUnanswered } from './asker.ts';
import { isWaitingForQuestion, mergeTurnData, readTurn } from './read.ts';
import { type SupersededReply, storeSupersededReplies } from './superseded-replies.ts';
import type { ReadTurn, TurnInput, TurnJob } from './turn.ts';
import { makeTurnOrder, type PlaceInOrder, type TurnOrder } from './turn-order.ts';

/**
 * Claims the conversation for a turn. The database decides over all processes, in the order of arrival among the turns
 * that it knows, so every turn registers there at once. A waiting turn occupies a job slot of its worker, so the worker
 * takes one more job meanwhile.
 */
export interface TurnClaims {
  begin(job: TurnJob): Run;
}

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly turn: ReadTurn }
  /** It was claimed, and has ended with that. */
  | { readonly kind: 'ended'; readonly reply: Outcome<DataOf<'reason'>> }
  /** Another turn has the conversation. */
  | { readonly kind: 'busy'; readonly attempt: number | undefined; readonly job: TurnJob }
  /** The claim ended turns of the burst, maybe this one, and stored their replies. The turn has to claim again. */
  | { readonly kind: 'burst-changed'; readonly replies: readonly SupersededReply[] }
  /** The turn was answered or superseded before. */
  | { readonly kind: 'has-reply' }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Ends a turn in the transaction that claims it; undefined where it has to go on after that. */
export type EndSilently = (
  scope: HostScope,
  turn: ReadTurn,
) => Promise<Outcome<DataOf<'reason'>>> | undefined;

/** A dead worker blocks its conversation for this long; the queue gives its job to another worker sooner (`LOCK_MS`). */
export const LEASE_MS = 8_000;
const POLL_EVERY_MS = 150;
/** An answer is stored only while there is time to send it: at the deadline the caller gets a failure. */
export const REPLY_MARGIN_MS = 100;

interface Background {
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  readonly onTaskFailed: TaskFailureLog;
}

interface ClaimParts {
  readonly db: Db;
  readonly findKnowledge: KnowledgeFinder;
  readonly order: TurnOrder;
  readonly gate: Gate;
  readonly leases: TurnLeases;
  readonly onTaskFailed: TaskFailureLog;
}

export function makeTurnClaims(
  pools: Pick<Pools, 'turns' | 'leases'>,
  findKnowledge: KnowledgeFinder,
  background: Background,
): TurnClaims {
  const order = makeTurnOrder({ pollMs: POLL_EVERY_MS, refreshMs: LEASE_MS / 2 });
  const gate = new Gate(CLAIM_LIMITS);
  const onTurn = (turnId: string) => order.wake(turnId);
  const leases = makeTurnLeases({ ...background, db: pools.leases, leaseMs: LEASE_MS, onTurn });
  const { onTaskFailed } = background;
  const parts = { db: pools.turns, findKnowledge, order, gate, leases, onTaskFailed };
  return { begin: job => new Run(parts, job) };
}

/*
 * A turn in the hands of this process: the next turn of the conversation waits until the run ends. It begins without a place;
 * while the conversation is busy, it waits with a place in its order and the attempt that stored its question; once claimed, it
 * runs and holds the conversation in this process.
 */
class Run {
  /** Aborted when a burst revokes the turn: it is superseded, or must run again. */
  readonly revoked: AbortSignal;
  readonly #parts: ClaimParts;
  readonly #given: TurnJob;
  readonly #lease: TurnLease;
  /** With the conversation that the claim found, where the request of a chat names none. */
  #job: TurnJob;
  #place: PlaceInOrder | undefined;
  #waitingAttempt: number | undefined;
  #isRunning = false;

  constructor(parts: ClaimParts, given: TurnJob) {
    this.#parts = parts;
    this.#given = given;
    this.#job = given;
    this.#lease = parts.leases.open(given.turnId);
    this.revoked = this.#lease.revoked;
  }

  async claim(input: TurnInput, endSilently: EndSilently): Promise<ClaimResult> {
    const { order, gate } = this.#parts;
    const { hostId, turnId, signal, time } = this.#given;
    // The knowledge is searched in the claim: it may take a second, so one host must not make all others wait.
    const claimAndRead = () => time.during('read', () => this.#claimAndEnd(input, endSilently));
    const result = await gate.run({ key: hostId, signal }, claimAndRead).catch(this.#abandonIfWaiting);
    if (result.kind === 'burst-changed') return result;
    if (result.kind === 'busy') {
      if (result.job.body.conversationId !== this.#job.body.conversationId) this.#stopWaiting();
      this.#waitingAttempt = result.attempt;
      this.#job = result.job;
      return result;
    }
    this.#stopWaiting();
    if (result.kind !== 'claimed') return result;
    this.#lease.begin({ hostId, turnId, attempt: result.turn.attempt });
    this.#job = result.turn.job;
    order.begin(this.#job.body.conversationId);
    this.#isRunning = true;
    return result;
  }

  /** Where a silent turn cannot end with its claim, as at its deadline, it is claimed alone: that also finds what was committed. */
  async #claimAndEnd(input: TurnInput, endSilently: EndSilently): Promise<ClaimResult> {
    const { db, findKnowledge } = this.#parts;
    const claim = (end?: EndSilently) => claimConversation(db, this.#given, input, { findKnowledge, end });
    let ending: ReturnType<EndSilently>;
    return claim((scope, turn) => (ending = endSilently(scope, turn))).catch(error =>
      ending ? claim() : Promise.reject(error as Error),
    );
  }

  /** Resolves when the next claim may succeed; with false, at once, where too many turns wait. */
  async waitForChance(): Promise<boolean> {
    const { order } = this.#parts;
    const { hostId, body } = this.#job;
    if (!this.#place && !order.hasRoomFor({ hostId, conversationId: body.conversationId })) {
      await this.#abandon();
      return false;
    }
    this.#place ??= takePlace(order, this.#job);
    await this.#place.waitForTry().catch(this.#abandonIfWaiting);
    return true;
  }

  end(): void {
    this.#stopWaiting();
    if (this.#isRunning) this.#parts.order.end(this.#job.body.conversationId);
    this.#lease.end();
  }

  #stopWaiting(): void {
    this.#place?.leave();
    this.#place = undefined;
  }

  /** Gives up the turn's place; its question stays stored. */
  async #abandon(): Promise<void> {
    const { db, onTaskFailed } = this.#parts;
    if (this.#waitingAttempt === undefined) return;
    await endUnanswered(db, this.#job, this.#waitingAttempt, 503).catch(error =>
      onTaskFailed(error, 'turn.abandon_failed', 'failed to abandon a turn'),
    );
  }

  readonly #abandonIfWaiting = async (error: unknown): Promise<never> => {
    if (this.#place) await this.#abandon();
    throw error;
  };
}

/** A waiting turn lends its slot, so that its worker takes another job. */
function takePlace(order: TurnOrder, job: TurnJob): PlaceInOrder {
  const reclaimSlot = job.lendSlot();
  const place = order.enter({ ...job, conversationId: job.body.conversationId });
  return {
    waitForTry: () => place.waitForTry(),
    leave() {
      place.leave();
      reclaimSlot();
    },
  };
}

const MAX_NAMED = 20;

/** A caller that names an unknown avatar is told which ones there are. */
async function nameAvatars(scope: HostScope): Promise<string> {
  const named = await listAvatarNames(toHostsScope(scope), MAX_NAMED);
  if (named.length === 0) return 'the host has no avatar yet: createSubAvatarHelper makes one';
  return `the host has: ${named.map(({ subSlug }) => subSlug).join(', ')}`;
}

/**
 * Claims the conversation and reads the turn, in one transaction. A failure stores nothing. A claim that changes other turns of
 * a burst commits that alone, so that they end at once; the caller then calls this again.
 */
function claimConversation(
  db: Db,
  given: TurnJob,
  input: TurnInput,
  { findKnowledge, end }: { findKnowledge: KnowledgeFinder; end: EndSilently | undefined },
): Promise<ClaimResult> {
  const { hostId, turnId } = given;
  return withHost(db, hostId, async (scope): Promise<ClaimResult> => {
    const job = await withConversationOfChat(scope, given);
    const { body } = job;
    const tooMuchData = await findDataFailure(scope, body);
    if (tooMuchData) return refuse(tooMuchData);
    const claim = await claimTurn(scope, claimOf(job, input));
    switch (claim.kind) {
      case 'busy':
        return { ...claim, job };
      case 'has-reply':
        return claim;
      case 'no-avatar':
        return refuse(failure('avatar-not-found', { hint: await nameAvatars(scope) }));
      case 'no-conversation':
        return refuse(failure('conversation-not-found'));
      case 'expired':
        return refuse(failure('deadline', { turnId }));
      case 'person-limit':
        return refuse(failure('person-limit', { retryAfter: claim.retryAfter }));
      case 'burst-changed': {
        const replies = await storeSupersededReplies(scope, body.conversationId, claim.superseded);
        return { kind: 'burst-changed', replies };
      }
      case 'claimed': {
        const { attempt, openQuestions, conversation } = claim;
        const data = mergeTurnData(conversation, body);
        const claimed = { job, input, attempt, openQuestions, conversation, data };
        const turn = await readTurn(scope, claimed, findKnowledge);
        const reply = await end?.(scope, turn);
        return reply ? { kind: 'ended', reply } : { kind: 'claimed', turn };
      }
    }
  });
}

/** Another request may have gone on with the dialogue since the api looked. */
async function withConversationOfChat(scope: HostScope, job: TurnJob): Promise<TurnJob> {
  if (!job.chat || job.chat.histories.length === 0) return job;
  const conversationId = await followChat(scope, job.turnId, job.chat.histories);
  return conversationId === undefined ? job : { ...job, body: { ...job.body, conversationId } };
}

function refuse(refusal: Failure): ClaimResult {
  return { kind: 'refused', failure: refusal };
}

function claimOf(job: TurnJob, input: TurnInput): TurnClaim {
  const { turnId, arrivedAt, body, idempotencyKey, bodyMac, isRerun } = job;
  const isReading = isWaitingForQuestion({ job, input });
  return {
    turnId,
    conversationId: body.conversationId,
    opensConversation: job.opensConversation === true,
    subSlug: body.subSlug,
    arrivedAt,
    remainingMs: () => job.remainingMs() - REPLY_MARGIN_MS,
    question: isReading ? undefined : input.question,
    isReading,
    isRehearsal: body.reasoningConfig?.rehearsal ?? false,
    asker: body.userData,
    // Another person may have had the same dialogue.
    burst: job.chat ? 'none' : body.reasoningConfig?.burst,
    request: { idempotencyKey, bodyMac },
    leaseMs: LEASE_MS,
    // A turn that has read its attachments claims again as itself, not as a new job.
    isNewJob: !isRerun && !input.attached,
  };
}

/** Checks the data before the claim, which stores the question: a conversation keeps no more data than its turns can read. */
async function findDataFailure(
  scope: HostScope,
  { conversationId, globalData }: BodyOf<'reason'>,
): Promise<Failure | undefined> {
  if (!globalData) return undefined;
  const conversation = await findConversation(scope, conversationId);
  return checkGlobalData(globalData, conversation?.globalData);
}

/** The turns that this process claims and runs: their leases are renewed, and a burst may revoke them. */
interface TurnLeases {
  /** Must be called before the claim: a turn may be revoked, which aborts the signal, as soon as the claim is committed. */
  open(turnId: string): TurnLease;
}

/** The lease of one run of a turn. A lost job and its retry under the same key may each hold one. */
interface TurnLease {
  readonly revoked: AbortSignal;
  /** Called once the turn is claimed. */
  begin(turn: LeasedTurn): void;
  end(): void;
}

interface TurnLeasesOptions {
  readonly db: Pools['leases'];
  readonly leaseMs: number;
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  /** Called when something happened to a turn that may wait in this process. */
  onTurn(turnId: string): void;
  readonly onTaskFailed: TaskFailureLog;
}

interface Entry {
  readonly turnId: string;
  readonly revoked: AbortController;
  isNoticed: boolean;
  leased?: LeasedTurn;
}

function makeTurnLeases(options: TurnLeasesOptions): TurnLeases {
  const { db, leaseMs, databaseUrl, signal, onTurn, onTaskFailed } = options;
  const entries = new Set<Entry>();
  const entriesOf = (turnId: string) => [...entries].filter(entry => entry.turnId === turnId);
  const leasedTurns = () => [...entries].flatMap(({ leased }) => leased ?? []);

  /** The database decides what is revoked: a message may be older than the claim, and a turn that acted goes on. */
  async function check(leased: readonly LeasedTurn[]): Promise<void> {
    for (const id of await listRevoked(db, leased)) for (const entry of entriesOf(id)) entry.revoked.abort();
  }
  function checkNoticed({ isNoticed, leased }: Entry): void {
    if (isNoticed && leased)
      void check([leased]).catch(error =>
        onTaskFailed(error, 'turn.burst_check_failed', 'failed to check for superseded turns'),
      );
  }
  async function renew(): Promise<void> {
    const leased = leasedTurns();
    if (leased.length === 0) return;
    const kept = await renewLeases(db, leased, leaseMs);
    // A renewal that loses leases may be the only sign of a missed message.
    if (kept.length < leased.length) await check(leased);
  }

  /** Notices tell which turns a burst revokes or ends, in all processes. The renewal of the leases finds any that are missed. */
  const notice = (turnId: string) => {
    onTurn(turnId);
    for (const entry of entriesOf(turnId)) checkNoticed(Object.assign(entry, { isNoticed: true }));
  };
  keepConnected(() => openBurstChannel(databaseUrl, notice), {
    signal,
    onError: error =>
      onTaskFailed(error, 'turn.burst_listener_failed', 'failed to listen for superseded turns'),
  });
  void repeat(renew, {
    everyMs: leaseMs / 4,
    signal,
    onError: error => onTaskFailed(error, 'turn.lease_failed', 'failed to renew turn leases'),
  });
  return {
    open(turnId) {
      const entry: Entry = { turnId, revoked: new AbortController(), isNoticed: false };
      entries.add(entry);
      return {
        revoked: entry.revoked.signal,
        begin: leased => checkNoticed(Object.assign(entry, { leased })),
        end: () => void entries.delete(entry),
      };
    },
  };
}
