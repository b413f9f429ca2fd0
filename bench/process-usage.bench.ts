import { EventEmitter, getEventListeners, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Fork } from './stores.bench.ts';

/** Resources that a process has used since it began. */
export interface ProcessUsage {
  readonly processorMs: number;
  /** The most memory that it has had. */
  readonly maxMb: number;
}

/** Resources that a process holds now, after a garbage collection. */
export interface HeldByProcess {
  readonly heapMb: number;
  readonly residentMb: number;
  /** How many of each kind keep the process alive: sockets, timers, files. */
  readonly handles: Readonly<Record<string, number>>;
  /** Listeners of live emitters and abort signals that got one since the first query. */
  readonly listeners: number;
}

/** Answers `askUsage` and `askHeld` of the parent process. */
export function reportUsage(): void {
  let countListeners: (() => number) | undefined;
  process.on('message', message => {
    if (message === 'held') {
      countListeners ??= watchListeners();
      void readHeld(countListeners).then(held => process.send?.(held));
      return;
    }
    const { user, system } = process.cpuUsage();
    const maxMb = process.resourceUsage().maxRSS / 1_024;
    process.send?.({ processorMs: (user + system) / 1_000, maxMb });
  });
}

export async function askUsage(child: Fork): Promise<ProcessUsage> {
  return (await answerOf(child, 'usage')) as ProcessUsage;
}

export async function askHeld(child: Fork): Promise<HeldByProcess> {
  return (await answerOf(child, 'held')) as HeldByProcess;
}

async function answerOf(child: Fork, question: string): Promise<unknown> {
  const said = once(child, 'message');
  child.send(question);
  const [answer] = await said;
  return answer;
}

async function readHeld(countListeners: () => number): Promise<HeldByProcess> {
  const heapMb = await readOwnHeapMb();
  const residentMb = process.memoryUsage.rss() / 1_048_576;
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo().toSorted()) handles[kind] = (handles[kind] ?? 0) + 1;
  return {
    heapMb,
    residentMb,
    handles,
    listeners: countListeners(),
  };
}

/** Buffers and strings outside the heap are released one or two collections after their owners. */
export async function readOwnHeapMb(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let collections = 0; collections < 3; collections += 1) {
    collect();
    await delay(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

/** Returns a function that counts the listeners of live objects. */
function watchListeners(): () => number {
  const seen = new WeakSet<object>();
  let alive: WeakRef<EventEmitter | AbortSignal>[] = [];
  const note = (target: EventEmitter | AbortSignal) => {
    if (seen.has(target)) return;
    seen.add(target);
    alive.push(new WeakRef(target));
  };
  for (const name of ['on', 'addListener', 'prependListener'] as const) {
    const add = EventEmitter.prototype[name];
    EventEmitter.prototype[name] = function (event, listener) {
      note(this);
      return add.call(this, event, listener);
    };
  }
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (...parts) {
    if (this instanceof AbortSignal) note(this);
    return add.apply(this, parts);
  };
  return () => {
    alive = alive.filter(each => each.deref());
    return alive.reduce((sum, each) => sum + countOf(each.deref()), 0);
  };
}

function countOf(target: EventEmitter | AbortSignal | undefined): number {
  if (!target) return 0;
  if (target instanceof AbortSignal) return getEventListeners(target, 'abort').length;
  return target.eventNames().reduce((sum, name) => sum + target.listenerCount(name), 0);
}

export function describeHeld({ heapMb, residentMb, handles, listeners }: HeldByProcess): string {
  const kinds = Object.entries(handles).map(([kind, count]) => `${count} ${kind}`);
  return `heap ${heapMb.toFixed(1)} MB, resident ${residentMb.toFixed(0)} MB, ${kinds.join(', ')}, ${listeners} listeners`;
}
