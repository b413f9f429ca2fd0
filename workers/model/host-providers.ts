import type { Db } from '../../db/connection.ts';
import {
  findHostProvider,
  findInsightModel,
  findTranscribingProvider,
  type HostProvider as HostProviderRow,
  listHostProviders,
} from '../../db/hosts/host-providers.ts';
import { makeSeal, type Seal, type SecretKeys } from '../../platform/seal.ts';
import { type Egress, type EgressSettings, egressRulesOf, openEgress } from '../tools/egress.ts';
import { makeOpenAiProvider } from './openai.ts';
import { ModelError, type Provider } from './provider.ts';

/*
 * Providers that hosts have saved and pay for themselves, each for its host alone. They are read with each call of a model that
 * has a slash in its name, so a change holds at once in every worker. Their addresses are a tenant's, and are called as such.
 */
export interface HostProviders {
  find(hostId: string, name: string): Promise<HostProvider | undefined>;
  list(hostId: string): Promise<HostProvider[]>;
  /** Returns the model of the host's own that makes its insights and forms of agents, if it has one. */
  findInsightModel(hostId: string): Promise<string | undefined>;
  /** Returns the host's own transcribing model, if it has one. */
  findTranscriber(hostId: string): Promise<{ model: string; provider: HostProvider } | undefined>;
  close(): Promise<void>;
}

/** The names of its models begin with its own name. */
export interface HostProvider extends Provider {
  /** No other provider has the same, and no earlier state of this one. */
  readonly version: string;
}

/** Connections to one address, enough for all turns of a worker: one host's must not wait for another's at the same address. */
const MAX_CONNECTIONS = 1_000;
/** A key sealed with another SECRET_KEY is treated as if the provider refused it. */
const KEY_REFUSED = 401;

export function makeProviderSeal(keys: SecretKeys | string): Seal {
  return makeSeal(keys, 'provider key');
}

/** A key is sealed with its owner, so that no other host can open it. */
export function labelOfKey({ hostId, name }: { readonly hostId: string; readonly name: string }): string {
  return `${hostId}/${name}`;
}

export function openHostProviders(db: Db, settings: EgressSettings & SecretKeys): HostProviders {
  const seal = makeProviderSeal(settings);
  const egress = openEgress({ ...egressRulesOf(settings), maxConnections: MAX_CONNECTIONS });
  const providerOf = (row: HostProviderRow) => makeHostProvider(row, seal, egress);
  return {
    async find(hostId, name) {
      const row = await findHostProvider(db, hostId, name);
      return row && providerOf(row);
    },
    list: async hostId => (await listHostProviders(db, hostId)).map(providerOf),
    findInsightModel: hostId => findInsightModel(db, hostId),
    async findTranscriber(hostId) {
      const row = await findTranscribingProvider(db, hostId);
      return row && { model: `${row.name}/${row.transcriptionModel}`, provider: providerOf(row) };
    },
    close: () => egress.close(),
  };
}

function makeHostProvider(
  { hostId, name, baseURL, sealedKey, models, revision, createdAt }: HostProviderRow,
  seal: Seal,
  egress: Egress,
): HostProvider {
  const open = async () => {
    const apiKey = await seal.open(sealedKey, labelOfKey({ hostId, name })).catch(() => {
      throw new ModelError('refused', true, KEY_REFUSED);
    });
    const settings = { baseURL, apiKey: String(apiKey) };
    return makeOpenAiProvider(name, settings, form => egress.answers(hostId, form).fetch);
  };
  const ownName = (model: string) => model.slice(name.length + 1);
  return {
    name,
    isOfHost: true,
    version: [hostId, name, createdAt, revision].join(' '),
    models: models.map(model => `${name}/${model}`),
    complete: async (request, options) =>
      (await open()).complete({ ...request, model: ownName(request.model) }, options),
    stream: async (request, options, onText) =>
      (await open()).stream({ ...request, model: ownName(request.model) }, options, onText),
    embed: async (model, texts, signal) => (await open()).embed(ownName(model), texts, signal),
    transcribe: async (model, recording, signal) =>
      (await open()).transcribe(ownName(model), recording, signal),
    listModels: async signal =>
      (await (await open()).listModels(signal)).map(id => (typeof id === 'string' ? `${name}/${id}` : id)),
  };
}
