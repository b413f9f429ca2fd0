import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import {
  deleteHostProvider,
  findHostProviderForUpdate,
  type HostProvider,
  listHostProviders as listAll,
  upsertHostProvider,
} from '../../db/hosts/host-providers.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type BrokenRule, broken, errorsAt } from '../../platform/field-error.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure, fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { type EgressRules, urlErrorOf } from '../domain/egress-address.ts';
import { labelOfKey } from '../model/host-providers.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import { type Handler, MASK } from '../runtime/job.ts';

type Body = BodyOf<'saveHostProvider'>;
type Data = DataOf<'saveHostProvider'>;

export interface ProviderRules extends EgressRules {
  readonly seal: Seal;
  readonly directory: ModelDirectory;
}

export function makeSaveHostProvider(rules: ProviderRules): Handler<'saveHostProvider'> {
  return async job => {
    const { body } = job;
    if (body.deleted) return job.commit(scope => remove(scope, body.name));
    const nameError = await rules.directory.findNameError(body.name);
    const errors = {
      name: nameError,
      baseURL: findAddressError(body.baseURL, rules),
      apiKey: findKeyError(body.apiKey),
      embeddingModel: body.embeddingModel
        ? broken('not-allowed', 'must be empty: knowledge is embedded with the model of the installation')
        : undefined,
    };
    const fields = Object.entries(errors).flatMap(([path, error]) => errorsAt(path, error));
    if (fields.length > 0) return failure('body-invalid', { fields });
    return job.commit(scope => store(scope, body, rules.seal));
  };
}

export const listHostProviders: Handler<'listHostProviders'> = ({ read }) =>
  read(async scope => ({
    code: 200,
    data: (await listAll(scope.tx, scope.hostId)).map(providerDataOf),
  }));

async function remove(scope: HostScope, name: string): Promise<Outcome<Data>> {
  const earlier = await findHostProviderForUpdate(scope, name);
  if (!earlier) return failure('provider-not-found');
  await deleteHostProvider(scope, name);
  return { code: 200, data: { ...providerDataOf(earlier), deleted: true } };
}

async function store(scope: HostScope, body: Body, seal: Seal): Promise<Outcome<Data>> {
  const { hostId } = scope;
  const { name } = body;
  const earlier = await findHostProviderForUpdate(scope, name);
  const { baseURL = earlier?.baseURL, models = earlier?.models ?? [] } = body;
  const { insightModel = earlier?.insightModel ?? '' } = body;
  const { transcriptionModel = earlier?.transcriptionModel ?? '' } = body;
  const apiKey = body.apiKey === MASK ? undefined : body.apiKey;
  if (baseURL === undefined) return fieldFailure('baseURL', 'required');
  const isSameOrigin = earlier && new URL(earlier.baseURL).origin === new URL(baseURL).origin;
  if (apiKey === undefined && !isSameOrigin)
    return earlier
      ? fieldFailure('apiKey', 'send-again', 'is required for another origin')
      : fieldFailure('apiKey', 'required');
  const sealedKey =
    apiKey === undefined ? earlier?.sealedKey : await seal.seal(apiKey, labelOfKey({ hostId, name }));
  if (sealedKey === undefined) throw new Error('The provider has no key.');
  const saved = await upsertHostProvider(scope, {
    name,
    baseURL,
    sealedKey,
    models: [...new Set(models)],
    insightModel,
    transcriptionModel,
  });
  if (!earlier && !(await isWithinLimits(scope, 'host_providers'))) return failure('host-full');
  return { code: 200, data: providerDataOf(saved) };
}

function findAddressError(baseURL: string | undefined, rules: EgressRules): BrokenRule | undefined {
  if (baseURL === undefined) return undefined;
  const error = urlErrorOf(baseURL, rules);
  if (error) return error;
  const { search, hash } = new URL(baseURL);
  // The paths of the protocol are appended to the address.
  const message = 'must not have a query or a fragment';
  return search === '' && hash === '' ? undefined : broken('url-part', message);
}

/** A key with other characters cannot be sent, and the client's error would quote it. */
function findKeyError(apiKey: string | undefined): BrokenRule | undefined {
  const isSendable = apiKey === undefined || /^[\x21-\x7e]+$/.test(apiKey);
  return isSendable ? undefined : broken('characters', 'has characters that no key has');
}

function providerDataOf({ sealedKey: _, revision: _revision, ...provider }: HostProvider): Data {
  return provider;
}
