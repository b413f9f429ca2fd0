import { computed, effect, type Signal, signal, untracked } from '@preact/signals';
import type { BodyOf } from '../../../queues/contract/operations/index.ts';
import { call, isRefused, readServiceClock } from '../../service.ts';
import { type Change, followNotices, type NoticeReader } from '../../shell/notices.ts';
import { readPerson } from '../../shell/person-name.ts';
import { newOfMine, waiting } from '../../shell/waiting.ts';
import {
  type Conversation,
  type Filter,
  isAttendedBy,
  isShown,
  isWaiting,
  type Reach,
} from './conversation.ts';
import { isInSight, tellNews } from './news.ts';
import { isUnread } from './seen.ts';
import { hideTyping, showTyping } from './typing.tsx';

/*
 * The conversations of a host, kept up to date from the sign-in on: the first pages are read once, and then whatever changed
 * since. A list of changes is read to its end: where that takes several looks, or one fails, the next goes on at the page
 * that is due.
 * The service tells when something changes. What it does not tell, or cannot, is found by asking now and then.
 *
 *   reading --ok, told of changes--> waiting (10 s, or until told) --> reading
 *           --ok, told of none--> waiting (1 s; 5 s behind other pages; 10 s in a hidden tab) --> reading
 *           --error--> waiting longer each time
 */

const EVERY_MS = 1_000;
const BEHIND_MS = 5_000;
const SELDOM_MS = 10_000;
const MAX_WAIT_MS = 15_000;
/**
 * Nobody tells when a worker takes a question and it can be shown: the feed looks for it until it is answered, or for this long.
 */
const ANSWERED_WITHIN_MS = 30_000;
/** A message shows when its transaction is committed, a moment after its own time. */
const OVERLAP_MS = 5_000;
/** One look reads at most this many pages: the page shows them before it asks for more. */
const MAX_PAGES = 10;
const PAGE_SIZE = 100;

const filters = {
  waiting: { closed: false, ask_human_help: true },
  unanswered: { closed: false, ask_human_help: false, unanswered: true },
  others: { closed: false, ask_human_help: false },
  closed: { closed: true },
} as const;
type ListName = keyof typeof filters;

/** How far a list was read, narrowed or not. */
interface ReadList {
  /** The cursor of the next page; null after the last one. */
  readonly cursor: string | null;
  /** The last message time of the last conversation that was read. */
  readonly until: string;
}

/** What narrows the lists that the service reads page by page. */
type Narrowing = Pick<Filter, 'platform' | 'team' | 'label'>;
const ALL: Narrowing = { platform: '', team: '', label: '' };

const keyOf = (name: ListName, { platform, team, label }: Narrowing) =>
  `${name} ${JSON.stringify([platform, team, label])}`;

const bodyOf = ({ platform, team, label }: Narrowing) => ({
  ...(platform === '' ? {} : { platform }),
  ...(team === '' ? {} : { team_id: team }),
  ...(label === '' ? {} : { label }),
});

export class Feed {
  readonly hostId: string;
  readonly error: Signal<unknown> = signal(undefined);
  /** The filter of the lists; the service filters those that are read page by page. */
  readonly filter = signal<Filter>({ ...ALL, shown: 'open', attendant: '', isByWait: false });
  /** The lists that were read in part. */
  readonly #lists = signal<Readonly<Record<string, ReadList>>>({});
  readonly #all = signal<ReadonlyMap<string, Conversation>>(new Map());
  /** The conversations of the pages read so far, but not those that only an address has named. */
  readonly conversations = computed(
    () =>
      new Map(
        [...this.#all.value].filter(
          ([, { last_message, unanswered }]) => last_message !== null || unanswered,
        ),
      ),
  );
  /** Whether a person looks at them. */
  #isWatched = false;
  #since = readServiceClock() - OVERLAP_MS;
  /** Where to go on in a list of changes that was not read to its end. */
  #changes: { readonly updatedSince: string; readonly startedAt: number; cursor?: string } | undefined;
  #failures = 0;
  #isLive = false;
  /** Conversations with an open question, and until when the feed looks for its answer. */
  readonly #asked = new Map<string, number>();
  #readAt = 0;
  #dueAt = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<void> | undefined;
  readonly #readingLists = new Map<string, Promise<void>>();
  /** When this page last changed a conversation: what was requested before may be out of date. */
  readonly #changedAt = new Map<string, number>();
  /** When what is known of a conversation was requested: an answer that another has overtaken is older. */
  readonly #requestedAt = new Map<string, number>();
  #isStopped = false;

  constructor(hostId: string) {
    this.hostId = hostId;
  }

  /** Whether all that wait, and the first page of the others, are read. */
  get isRead(): boolean {
    return this.#find('waiting')?.cursor === null && this.hasRead('others') && this.hasRead('unanswered');
  }

  hasRead(name: ListName, narrowing = ALL): boolean {
    return this.#find(name, narrowing) !== undefined;
  }

  /** How far the lists were read. */
  reachOf(narrowing: Narrowing): Reach {
    const names = ['unanswered', 'others', 'closed'] as const;
    const lists = names.map(name => [name, this.#find(name, narrowing)] as const);
    return Object.fromEntries(
      lists.flatMap(([name, list]) => (list?.cursor === null ? [] : [[name, list?.until ?? '']])),
    );
  }

  /** A whole list that was read to its end covers each narrower one. */
  #find(name: ListName, narrowing = ALL): ReadList | undefined {
    const lists = this.#lists.value;
    const ofAll = lists[keyOf(name, ALL)];
    return ofAll?.cursor === null ? ofAll : lists[keyOf(name, narrowing)];
  }

  find(id: string): Conversation | undefined {
    return this.#all.value.get(id);
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (isWatched) void this.refresh();
  }

  /** Says whether changes are told from now on; earlier ones were not. */
  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    this.#lookBy(Date.now());
  }

  noteChange({ conversationId, kind }: Change): void {
    const now = Date.now();
    if (kind === 'asked') this.#asked.set(conversationId, now + ANSWERED_WITHIN_MS);
    else this.#asked.delete(conversationId);
    // However many changes are told, the feed looks no more often than if none were.
    if (kind === 'changed') this.#lookBy(Math.max(now, this.#readAt + this.#pollInterval));
    else if (this.#isWatched) this.#lookBy(now + EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  show(changed: Conversation): void {
    this.#changedAt.set(changed.id, performance.now());
    this.merge([changed]);
  }

  merge(changed: readonly Conversation[]): void {
    const known = this.#all.peek();
    const isNew = (each: Conversation) => JSON.stringify(known.get(each.id)) !== JSON.stringify(each);
    const fresh = changed.filter(isNew).map(each => [each.id, each] as const);
    if (fresh.length > 0) this.#all.value = new Map([...known, ...fresh]);
  }

  /** Reads the next page of a list, if there is one. Calls at the same time share one request. */
  readNext(name: ListName, narrowing = ALL): Promise<void> {
    const list = untracked(() => this.#find(name, narrowing));
    if (list?.cursor === null) return Promise.resolve();
    const key = keyOf(name, narrowing);
    const begun = this.#readingLists.get(key);
    if (begun) return begun;
    const body = {
      archived: false,
      ...filters[name],
      ...bodyOf(narrowing),
      ...(list ? { cursor: list.cursor } : {}),
    };
    const reading = this.#readPage(body)
      .then(({ items, nextCursor }) => {
        const until = items.at(-1)?.last_message_at ?? list?.until ?? '';
        this.#lists.value = { ...this.#lists.peek(), [key]: { cursor: nextCursor, until } };
      })
      .catch(error => {
        const { [key]: _, ...others } = this.#lists.peek();
        if (isRefused(error)) this.#lists.value = others;
        this.#showError(error);
      })
      .finally(() => this.#readingLists.delete(key));
    this.#readingLists.set(key, reading);
    return reading;
  }

  /** Reads all that wait, because they are counted, and the first of the unanswered and of the others. */
  async readFirst(): Promise<void> {
    const begun = [this.readNext('others'), this.readNext('unanswered')];
    do await this.readNext('waiting');
    while (
      untracked(() => this.#find('waiting'))?.cursor &&
      this.error.peek() === undefined &&
      !this.#isStopped
    );
    await Promise.all(begun);
  }

  /** Reads the changes at once. */
  refresh(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#reading) return this.#reading;
    this.#readAt = Date.now();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#reading = this.#readChanges()
      .then(() => {
        this.#failures = 0;
        this.error.value = undefined;
        if (!this.isRead) void this.readFirst();
      })
      .catch(error => {
        this.#failures += 1;
        // A refused cursor, such as one that is hours old, would be refused for ever.
        if (isRefused(error)) this.#changes = undefined;
        this.#showError(error);
      })
      .finally(() => {
        this.#reading = undefined;
        // A change that was told meanwhile may be missing in what was read.
        const toldAt = this.#failures > 0 ? Number.POSITIVE_INFINITY : this.#dueAt;
        this.#dueAt = Number.POSITIVE_INFINITY;
        this.#lookBy(Math.min(toldAt, Date.now() + this.#wait));
      });
    return this.#reading;
  }

  /** Looks at this time or earlier. */
  #lookBy(at: number): void {
    if (this.#isStopped || at >= this.#dueAt) return;
    this.#dueAt = at;
    // The end of this reading plans the next one.
    if (this.#reading) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), Math.max(0, at - Date.now()));
  }

  get #wait(): number {
    if (this.#failures > 0) return Math.min(MAX_WAIT_MS, EVERY_MS * 2 ** this.#failures);
    if (document.hidden) return SELDOM_MS;
    // The list of changes was not read to its end.
    if (this.#changes) return EVERY_MS;
    if (this.#isLive && !(this.#isWatched && this.#isAsked)) return SELDOM_MS;
    return this.#pollInterval;
  }

  get #pollInterval(): number {
    return this.#isWatched ? EVERY_MS : BEHIND_MS;
  }

  get #isAsked(): boolean {
    for (const [id, until] of this.#asked) if (until < Date.now()) this.#asked.delete(id);
    return this.#asked.size > 0;
  }

  #showError(error: unknown): void {
    if (!this.#isStopped) this.error.value = error;
  }

  async #readChanges(): Promise<void> {
    this.#changes ??= { updatedSince: new Date(this.#since).toISOString(), startedAt: readServiceClock() };
    for (let read = 0; read < MAX_PAGES; read += 1) {
      const { updatedSince, startedAt, cursor } = this.#changes;
      const isKnown = untracked(() => this.isRead);
      const known = this.#all.peek();
      const page = await this.#readPage({ updatedSince, ...(cursor ? { cursor } : {}) });
      if (isKnown) void tellNews(page.items.map(each => [known.get(each.id), each]));
      if (!page.nextCursor) {
        this.#since = startedAt - OVERLAP_MS;
        this.#changes = undefined;
        return;
      }
      this.#changes.cursor = page.nextCursor;
    }
  }

  /** Reads a page, and leaves out conversations that were changed here meanwhile. */
  async #readPage(
    body: Partial<BodyOf<'listConversations'>>,
  ): Promise<{ readonly items: readonly Conversation[]; readonly nextCursor: string | null }> {
    const page = { hostId: this.hostId, limit: PAGE_SIZE, ...body };
    const askedAt = performance.now();
    const { items, nextCursor } = await call('listConversations', page);
    const isSince = (times: ReadonlyMap<string, number>, id: string) => (times.get(id) ?? askedAt) <= askedAt;
    const current = items.filter(({ id }) => isSince(this.#changedAt, id));
    const newest = current.filter(({ id }) => isSince(this.#requestedAt, id));
    for (const { id } of newest) this.#requestedAt.set(id, askedAt);
    this.merge(newest);
    return { items: current, nextCursor };
  }
}

/** The feed of the session; undefined unless a person who may attend is signed in. */
export const feed = signal<Feed | undefined>(undefined);

/** Keeps the conversations and the count of those that wait up to date; returns what ends that. */
export function startFeed(hostId: string): () => void {
  const started = new Feed(hostId);
  feed.value = started;
  const endCount = effect(() => {
    const all = [...started.conversations.value.values()].filter(isShown);
    waiting.value = all.filter(isWaiting).length;
    const mine = all.filter(each => !each.closed && isAttendedBy(each, readPerson()));
    newOfMine.value = mine.filter(each => isUnread(each) && !isInSight(each.id)).length;
  });
  let endNotices = () => {};
  void started.readFirst().then(() => {
    if (feed.peek() === started) endNotices = followNotices(readerOf(started));
  });
  return () => {
    feed.value = undefined;
    started.stop();
    endCount();
    endNotices();
    newOfMine.value = 0;
  };
}

function readerOf(feed: Feed): NoticeReader {
  return {
    onOpen: () => feed.setLive(true),
    onLost: () => feed.setLive(false),
    onChange(change) {
      feed.noteChange(change);
      if (change.kind === 'changed') hideTyping(change.conversationId);
    },
    onTyping: showTyping,
  };
}
