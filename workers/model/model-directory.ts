import { LRUCache } from 'lru-cache';
import { nearestOf } from '../domain/nearest.ts';
import { aborted, clientOf } from './client.ts';
import type { Provider } from './providers.ts';

/*
 * Which models there are. A provider is asked when somebody wants to know, at most for a few seconds, and its list is
 * kept. A kept list that has grown old is given at once while the provider is asked anew; one that cannot be asked
 * keeps its last list, or the one of its settings, and is left in peace for a while.
 */
export interface ModelDirectory {
  /** The names by provider. Never fails: a provider that cannot be asked has what its settings name. */
  list(): Promise<Record<string, string[]>>;
  /** Why a model of this name cannot be saved; undefined where it can, or where a provider that cannot tell may have it. */
  problemWith(model: string): Promise<string | undefined>;
  /** The provider that has the model; the first where none says that it has. */
  providerOf(model: string): Promise<Provider | undefined>;
}

interface Limits {
  readonly answerMs: number;
  readonly keepMs: number;
  readonly keepTroubleMs: number;
}

const usual: Limits = { answerMs: 3_000, keepMs: 5 * 60_000, keepTroubleMs: 15_000 };
const MOST_MODELS = 10_000;
const LONGEST_NAME = 200;

export function makeModelDirectory(
  providers: readonly Provider[],
  defaultModel: string | undefined,
  { answerMs, keepMs, keepTroubleMs }: Limits = usual,
): ModelDirectory {
  const lists = new LRUCache<string, readonly string[], Provider>({
    max: 1_000,
    ttl: keepMs,
    ttlResolution: 0,
    allowStale: true,
    fetchMethod: async (_name, last, { context: provider, options }) => {
      try {
        return await toldBy(provider, answerMs);
      } catch {
        options.ttl = keepTroubleMs;
        return last ?? provider.models;
      }
    },
  });
  const namesOf = async (provider: Provider) =>
    (await lists.fetch(provider.name, { context: provider })) ?? provider.models;
  const all = () => Promise.all(providers.map(namesOf));

  return {
    async list() {
      const names = await all();
      return Object.fromEntries(providers.map(({ name }, at) => [name, [...(names[at] ?? [])]]));
    },
    async problemWith(model) {
      if (model === defaultModel) return undefined;
      const told = await all();
      const known = told.flat();
      const cannotTell = told.length === 0 || told.some(names => names.length === 0);
      if (cannotTell || known.includes(model)) return undefined;
      return `names a model that no provider has; the nearest is "${nearestOf(model, known)}"`;
    },
    async providerOf(model) {
      const [first, ...others] = providers;
      if (others.length === 0 || model === defaultModel) return first;
      const configured = providers.find(({ models }) => models.includes(model));
      if (configured) return configured;
      // All are asked at once; who comes first among them is heard first.
      const asked = providers.map(provider => ({ provider, names: namesOf(provider) }));
      for (const { provider, names } of asked) if ((await names).includes(model)) return provider;
      return first;
    },
  };
}

async function toldBy(provider: Provider, answerMs: number): Promise<string[]> {
  const signal = AbortSignal.timeout(answerMs);
  const asked: Promise<unknown> = clientOf(provider).get('/models', { signal });
  const body = await Promise.race([asked, aborted(signal)]);
  const { data } = body as { data: readonly ({ id?: unknown } | null)[] };
  const names = data.map(entry => entry?.id).filter(isName);
  if (names.length === 0) throw new Error('a provider without a model cannot tell its models');
  return [...new Set(names)].slice(0, MOST_MODELS);
}

function isName(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= LONGEST_NAME;
}
