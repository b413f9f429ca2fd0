import { LRUCache } from 'lru-cache';
import { type BrokenRule, broken, errorsAt } from '../../platform/field-error.ts';
import { whenAborted } from '../../platform/link-signals.ts';
import { type Failure, failure } from '../../queues/contract/failure.ts';
import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import { nearestOf } from '../../text/words.ts';
import type { HostProvider, HostProviders } from './host-providers.ts';
import type { Provider } from './provider.ts';

/*
 * The models of all providers, preceded for a host by its own (`host-providers.ts`). A list is fetched on demand, with
 * a timeout of a few seconds, and cached. An expired list is returned at once while it is fetched again. The models of the
 * settings always belong to it. When a fetch fails, the last list, or the one of the settings alone, stays in the cache for a
 * short time before the next attempt.
 */
export interface ModelDirectory {
  /** Returns names by provider, including the host's own. Never rejects: an unreachable one has its models of the settings. */
  list(hostId?: string): Promise<Record<string, string[]>>;
  /** Returns why the host cannot save this model; undefined if it can, or if a provider without a list may have it. */
  findModelError(model: string, hostId?: string): Promise<BrokenRule | undefined>;
  /** As `findModelError`, but undefined while a provider cannot be asked: an outage must not keep a process from starting. */
  findCertainError(model: string): Promise<BrokenRule | undefined>;
  findInsightModel(hostId: string): Promise<string | undefined>;
  /** Returns why a host cannot give its own provider this name. */
  findNameError(name: string): Promise<BrokenRule | undefined>;
  /**
   * Returns the provider that lists the model, or the first one where none does; a host's own goes first. Returns none for a
   * name like a host's provider if surely no provider has it: requests meant for a deleted provider go to nobody else.
   */
  providerOf(model: string, hostId?: string): Promise<Provider | undefined>;
}

interface Limits {
  readonly timeoutMs: number;
  readonly cacheMs: number;
  readonly cacheFailureMs: number;
}

type ModelsOf = [name: string, models: string[]];

const defaultLimits: Limits = { timeoutMs: 3_000, cacheMs: 5 * 60_000, cacheFailureMs: 15_000 };
const MAX_MODELS = 10_000;
const MAX_LISTS = 1_000;

export function makeModelDirectory(
  providers: readonly Provider[],
  defaultModel: string | undefined,
  limits: Limits = defaultLimits,
  hostProviders?: HostProviders,
): ModelDirectory {
  const ofInstallation = makeModelLists(limits);
  // Hosts change their lists at will, so a separate cache keeps them from pushing out the others.
  const ofHosts = makeModelLists(limits);
  const namesOf = (provider: Provider) => ofInstallation.namesOf(provider.name, provider);
  const namesOfHosts = (provider: HostProvider) => ofHosts.namesOf(provider.version, provider);
  const all = () => Promise.all(providers.map(namesOf));

  async function listOwn(hostId: string): Promise<ModelsOf[]> {
    const own = (await hostProviders?.list(hostId)) ?? [];
    return Promise.all(
      own.map(async (provider): Promise<ModelsOf> => [provider.name, [...(await namesOfHosts(provider))]]),
    );
  }

  async function findOwnProvider(model: string, hostId = ''): Promise<HostProvider | undefined> {
    const slash = model.indexOf('/');
    return slash < 1 || hostId === '' ? undefined : hostProviders?.find(hostId, model.slice(0, slash));
  }

  async function findModelError(model: string, hostId?: string): Promise<BrokenRule | undefined> {
    if (model === defaultModel) return undefined;
    const own = await findOwnProvider(model, hostId);
    return findErrorIn(own ? [await namesOfHosts(own)] : await all(), model);
  }

  async function findCertainError(model: string): Promise<BrokenRule | undefined> {
    const error = await findModelError(model);
    return ofInstallation.unreached.size === 0 ? error : undefined;
  }

  return {
    findModelError,
    findCertainError,
    findInsightModel: async hostId => hostProviders?.findInsightModel(hostId),
    async findNameError(name) {
      if (providers.some(provider => provider.name === name))
        return broken('taken', 'is the name of a provider of the installation');
      const isBegun = (await all()).flat().some(model => model.startsWith(`${name}/`));
      const message = 'is how names of models of the installation begin';
      return isBegun ? broken('taken', message) : undefined;
    },
    async list(hostId) {
      const own = hostId === undefined ? [] : await listOwn(hostId);
      const names = await all();
      const listed = providers.map(({ name }, at): ModelsOf => [name, [...(names[at] ?? [])]]);
      return Object.fromEntries([...listed, ...own]);
    },
    async providerOf(model, hostId) {
      if (model === defaultModel) return providers[0];
      const own = await findOwnProvider(model, hostId);
      if (own) return own;
      const mayBeDeleted = hostId !== undefined && model.includes('/');
      if (mayBeDeleted && (await findCertainError(model)) !== undefined) return undefined;
      return findLister(providers, namesOf, model);
    },
  };
}

function findErrorIn(lists: readonly (readonly string[])[], model: string): BrokenRule | undefined {
  const known = lists.flat();
  const isIncomplete = lists.length === 0 || lists.some(names => names.length === 0);
  if (isIncomplete || known.includes(model)) return undefined;
  return broken('unknown', `names a model that no provider has; the nearest is "${nearestOf(model, known)}"`);
}

/** Returns the first of the settings where several list the model, or none does. */
async function findLister(
  providers: readonly Provider[],
  namesOf: (provider: Provider) => Promise<readonly string[]>,
  model: string,
): Promise<Provider | undefined> {
  const [first, ...others] = providers;
  if (others.length === 0) return first;
  const configured = providers.find(({ models }) => models.includes(model));
  if (configured) return configured;
  const candidates = providers.map(provider => ({ provider, names: namesOf(provider) }));
  for (const { provider, names } of candidates) if ((await names).includes(model)) return provider;
  return first;
}

/** `unreached` has the keys of the providers that did not answer the last time. */
function makeModelLists({ timeoutMs, cacheMs, cacheFailureMs }: Limits) {
  const unreached = new Set<string>();
  const lists = new LRUCache<string, readonly string[], Provider>({
    max: MAX_LISTS,
    ttl: cacheMs,
    ttlResolution: 0,
    allowStale: true,
    dispose: (_names, key, reason) => void (reason === 'evict' && unreached.delete(key)),
    fetchMethod: async (key, last, { context: provider, options }) => {
      try {
        const names = await fetchModelNames(provider, timeoutMs);
        unreached.delete(key);
        // A gateway may serve models that it does not list.
        return [...new Set([...names, ...provider.models])];
      } catch {
        unreached.add(key);
        options.ttl = cacheFailureMs;
        return last ?? provider.models;
      }
    },
  });
  const namesOf = async (key: string, provider: Provider) =>
    (await lists.fetch(key, { context: provider })) ?? provider.models;
  return { namesOf, unreached };
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

/** Returns the failure for an unknown model; an empty name stands for the default model. */
export async function findModelFailure(
  directory: ModelDirectory,
  { model = '', hostId, path = 'model' }: { model: string | undefined; hostId: string; path?: string },
): Promise<Failure | undefined> {
  const fields = errorsAt(path, model === '' ? undefined : await directory.findModelError(model, hostId));
  return fields.length === 0 ? undefined : failure('body-invalid', { fields });
}

/** Returns a failure that names each unknown model of a list of fallbacks. */
export async function findFallbacksFailure(
  directory: ModelDirectory,
  fallbacks: readonly string[] = [],
  hostId?: string,
): Promise<Failure | undefined> {
  const found = await Promise.all(fallbacks.map(model => directory.findModelError(model, hostId)));
  const fields = found.flatMap((error, at) => errorsAt(`modelFallbacks[${at}]`, error));
  return fields.length === 0 ? undefined : failure('body-invalid', { fields });
}
