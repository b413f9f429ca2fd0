import { LRUCache } from 'lru-cache';
import { whenAborted } from '../../platform/when-aborted.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import { nearestOf } from '../../text/words.ts';
import type { Provider } from './provider.ts';

/*
 * The models of all providers. A list is fetched on demand, with a timeout of a few seconds, and cached. An expired list
 * is returned at once while it is fetched again. The models of the settings are always of it. When a fetch fails, the last
 * list, or that of the settings alone, stays in the cache for a short time before the next attempt.
 */
export interface ModelDirectory {
  /** The names by provider. Never rejects: a provider that cannot be reached has the models of its settings. */
  list(): Promise<Record<string, string[]>>;
  /** Why a model of this name cannot be saved; undefined where it can, or where a provider without a list may have it. */
  findModelError(model: string): Promise<string | undefined>;
  /** The same, but undefined while a provider cannot be asked: what was right once must not keep a process from starting. */
  findCertainError(model: string): Promise<string | undefined>;
  /** The provider that lists the model; the first provider where none does. */
  providerOf(model: string): Promise<Provider | undefined>;
}

interface Limits {
  readonly timeoutMs: number;
  readonly cacheMs: number;
  readonly cacheFailureMs: number;
}

const defaultLimits: Limits = { timeoutMs: 3_000, cacheMs: 5 * 60_000, cacheFailureMs: 15_000 };
const MAX_MODELS = 10_000;

export function makeModelDirectory(
  providers: readonly Provider[],
  defaultModel: string | undefined,
  { timeoutMs, cacheMs, cacheFailureMs }: Limits = defaultLimits,
): ModelDirectory {
  const unreached = new Set<string>();
  const lists = new LRUCache<string, readonly string[], Provider>({
    max: 1_000,
    ttl: cacheMs,
    ttlResolution: 0,
    allowStale: true,
    fetchMethod: async (name, last, { context: provider, options }) => {
      try {
        const names = await fetchModelNames(provider, timeoutMs);
        unreached.delete(name);
        // A gateway may serve models that it does not list.
        return [...new Set([...names, ...provider.models])];
      } catch {
        unreached.add(name);
        options.ttl = cacheFailureMs;
        return last ?? provider.models;
      }
    },
  });
  const namesOf = async (provider: Provider) =>
    (await lists.fetch(provider.name, { context: provider })) ?? provider.models;
  const all = () => Promise.all(providers.map(namesOf));

  async function findModelError(model: string): Promise<string | undefined> {
    if (model === defaultModel) return undefined;
    const lists = await all();
    const known = lists.flat();
    const isIncomplete = lists.length === 0 || lists.some(names => names.length === 0);
    if (isIncomplete || known.includes(model)) return undefined;
    return `names a model that no provider has; the nearest is "${nearestOf(model, known)}"`;
  }

  return {
    findModelError,
    async findCertainError(model) {
      const error = await findModelError(model);
      return unreached.size === 0 ? error : undefined;
    },
    async list() {
      const names = await all();
      return Object.fromEntries(providers.map(({ name }, at) => [name, [...(names[at] ?? [])]]));
    },
    async providerOf(model) {
      const [first, ...others] = providers;
      if (others.length === 0 || model === defaultModel) return first;
      const configured = providers.find(({ models }) => models.includes(model));
      if (configured) return configured;
      // All lists are fetched concurrently; the first provider in the settings has precedence.
      const candidates = providers.map(provider => ({ provider, names: namesOf(provider) }));
      for (const { provider, names } of candidates) if ((await names).includes(model)) return provider;
      return first;
    },
  };
}

async function fetchModelNames(provider: Provider, timeoutMs: number): Promise<string[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const listed = await Promise.race([provider.listModels(signal), whenAborted(signal)]);
  const names = listed.filter(isName);
  if (names.length === 0) throw new Error('the provider lists no model');
  return [...new Set(names)].slice(0, MAX_MODELS);
}

function isName(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_NAME_LENGTH;
}

/** The failure for an unknown model; an empty name stands for the default model. */
export async function findModelFailure(
  directory: ModelDirectory,
  model = '',
  path = 'model',
): Promise<Failure | undefined> {
  const message = model === '' ? undefined : await directory.findModelError(model);
  return message === undefined ? undefined : failure('body-invalid', { fields: [{ path, message }] });
}

/** The failure for a list of fallbacks with an unknown model; it names each of them. */
export async function findFallbacksFailure(
  directory: ModelDirectory,
  fallbacks: readonly string[] = [],
): Promise<Failure | undefined> {
  const messages = await Promise.all(fallbacks.map(model => directory.findModelError(model)));
  const fields = messages.flatMap((message, at) =>
    message === undefined ? [] : [{ path: `modelFallbacks[${at}]`, message }],
  );
  return fields.length === 0 ? undefined : failure('body-invalid', { fields });
}
