import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { secretLabelOf } from '../../db/intake/crm-sources.ts';
import { makeFileKeySeal } from '../../platform/file-seal.ts';
import { makeSeal } from '../../platform/seal.ts';
import { labelOfKey, makeProviderSeal } from '../../workers/model/host-providers.ts';
import { makeRestSeal } from '../../workers/tools/rest/rest.ts';
import { openValues, sealValues } from '../../workers/tools/sealed-values.ts';
import { addSecret, makeWebhookSeal, openSecrets } from '../../workers/tools/webhook-secrets.ts';
import type { BuiltHost } from '../support/build-host.ts';

/** The numbers of webhooks, MCP servers, REST tools, sources, providers of models and files. */
export type Counts = readonly [
  webhooks: number,
  servers: number,
  tools: number,
  sources: number,
  providers: number,
  files: number,
];

/** Stores `count` of each, all but providers and files with two secrets, sealed with this key. */
export async function storeSealed(db: Db, host: BuiltHost, key: string, count: number): Promise<void> {
  const each = async <Row>(make: (own: { host_id: string; id: string }) => Promise<Row>) =>
    Promise.all(Array.from({ length: count }, () => make({ host_id: host.hostId, id: randomUUID() })));
  const webhookSeal = makeWebhookSeal(key);
  const webhooks = await each(async own => {
    const secrets = await addSecret(
      webhookSeal,
      own.id,
      'now',
      await addSecret(webhookSeal, own.id, 'before', []),
    );
    const rest = { name: 'CRM', url: 'https://crm.example/in', origin: 'https://crm.example', events: [] };
    return { ...own, ...rest, secrets: JSON.stringify(secrets) };
  });
  const headers = { Authorization: 'Bearer now', 'X-Key': 'before' };
  const headerSeal = makeSeal(key, 'mcp header');
  const servers = await each(async own => {
    const sealed = await sealValues(
      headerSeal,
      { id: own.id, url: '', values: headers, pathOf: () => '' },
      undefined,
    );
    const rest = {
      avatar_id: host.avatarId,
      name: own.id,
      transport_type: 'streamable',
      config: {},
      version: '1',
    };
    return { ...own, ...rest, sealed_headers: JSON.stringify(sealed) };
  });
  const restSeal = makeRestSeal(key);
  const tools = await each(async own => {
    const sent = { id: own.id, url: '', values: { secret: 'now before' }, pathOf: () => '' };
    const sealed_secrets = JSON.stringify(await sealValues(restSeal, sent, undefined));
    return { ...own, avatar_id: host.avatarId, name: own.id, config: {}, functions: '[]', sealed_secrets };
  });
  const sourceSeal = makeSeal(key, 'source secret');
  const sources = await each(async own => {
    const sealed = (text: string) => sourceSeal.seal(text, secretLabelOf(own.id));
    const rest = { name: own.id, address: own.id, kind: 'deals', scheme: 'standard', settings: {} };
    return {
      ...own,
      ...rest,
      sealed_secret: await sealed('now'),
      sealed_earlier_secret: await sealed('before'),
    };
  });
  const providerSeal = makeProviderSeal(key);
  const providers = await each(async ({ host_id, id: name }) => ({
    host_id,
    name,
    base_url: 'https://models.example/v1',
    sealed_key: await providerSeal.seal('now before', labelOfKey({ hostId: host_id, name })),
  }));
  const fileSeal = makeFileKeySeal(key);
  const conversation = { host_id: host.hostId, id: randomUUID() };
  await db('conversations').insert({ ...conversation, platform: 'api' });
  const files = await each(async own => ({
    ...own,
    conversation_id: conversation.id,
    place: 0,
    size: 1,
    content: '',
    sealed_key: await fileSeal.seal('now before', own.id),
  }));
  await db.batchInsert('files', files, 500);
  await db.batchInsert('host_providers', providers, 500);
  await db.batchInsert('webhooks', webhooks, 500);
  await db.batchInsert('mcp_configs', servers, 500);
  await db.batchInsert('rest_tools', tools, 500);
  await db.batchInsert('crm_sources', sources, 500);
}

/** How many of each this key opens whole, both secrets. */
export async function countOpened(db: Db, key: string): Promise<Counts> {
  const count = async (opening: readonly Promise<boolean>[]) =>
    (await Promise.all(opening.map(each => each.catch(() => false)))).filter(Boolean).length;
  const webhookSeal = makeWebhookSeal(key);
  const webhooks = await db('webhooks').select('id', 'secrets');
  const headerSeal = makeSeal(key, 'mcp header');
  const servers = await db('mcp_configs').select('id', 'sealed_headers as sealed');
  const restSeal = makeRestSeal(key);
  const tools = await db('rest_tools').select('id', 'sealed_secrets as sealed');
  const sourceSeal = makeSeal(key, 'source secret');
  const sources = await db('crm_sources').select(
    'id',
    'sealed_secret as now',
    'sealed_earlier_secret as before',
  );
  const providerSeal = makeProviderSeal(key);
  const providers = await db('host_providers').select('host_id as hostId', 'name', 'sealed_key as sealed');
  const fileSeal = makeFileKeySeal(key);
  const files = await db('files').select('id', 'sealed_key as sealed');
  return [
    await count(
      webhooks.map(async ({ id, secrets }) =>
        isBoth(await openSecrets(webhookSeal, id, secrets, Date.now())),
      ),
    ),
    await count(
      servers.map(async server => {
        const { Authorization, 'X-Key': before } = await openValues(headerSeal, server);
        return isBoth([String(Authorization).slice('Bearer '.length), String(before)]);
      }),
    ),
    await count(tools.map(async tool => isBoth([String((await openValues(restSeal, tool)).secret)]))),
    await count(
      sources.map(async ({ id, now, before }) =>
        isBoth(
          await Promise.all(
            [now, before].map(async text => String(await sourceSeal.open(text, secretLabelOf(id)))),
          ),
        ),
      ),
    ),
    await count(
      providers.map(async ({ hostId, name, sealed }) =>
        isBoth([String(await providerSeal.open(sealed, labelOfKey({ hostId, name })))]),
      ),
    ),
    await count(files.map(async ({ id, sealed }) => isBoth([String(await fileSeal.open(sealed, id))]))),
  ];
}

function isBoth(opened: readonly string[]): boolean {
  return opened.join(' ') === 'now before';
}
