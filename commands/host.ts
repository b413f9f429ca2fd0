import { Command } from 'commander';
import type { Db } from '../db/connection.ts';
import { setContract } from '../db/hosts/contracts.ts';
import { listHostProviders } from '../db/hosts/host-providers.ts';
import {
  createHost,
  findHostBySlug,
  type Host,
  type HostSettings,
  listHosts,
  type NewHost,
  setHost,
} from '../db/hosts/hosts.ts';
import { readConfig } from '../platform/config.ts';
import { makeModelDirectory } from '../workers/model/model-directory.ts';
import { providersOf } from '../workers/model/models.ts';
import { addSettingOptions, dateOf, priceOf, wholeNumberOf } from './host-options.ts';
import { withDatabase, withTransaction } from './with-database.ts';

interface HostOptions extends Partial<HostSettings> {
  readonly slug: string;
}

interface ContractOptions {
  readonly host: string;
  readonly price: string;
  readonly services: number;
  readonly from: string;
}

const HEADER = [
  'id',
  'slug',
  'name',
  'time zone',
  'business hours',
  'chunks a turn',
  'characters a chunk',
  'share',
  'model fallbacks',
  'bursts',
  'mask',
  'mask images',
  'monthly budget',
  'daily budget',
  'disabled',
].join('\t');

const program = new Command('host').description('Hosts: the tenants, one for each customer brand.');

addSettingOptions(program.command('create').description('Creates a host.'), true).action(
  async (host: NewHost) => {
    await refuseUnknownModels(host);
    await withTransaction('host create', tx => create(tx, host));
  },
);

addSettingOptions(program.command('set').description('Changes the given settings of a host.')).action(
  async ({ slug, ...settings }: HostOptions) => {
    await withTransaction('host set', async tx => {
      await refuseUnknownModels(settings, await listProviderNames(tx, slug));
      return change(tx, slug, settings);
    });
  },
);

program
  .command('contract')
  .description('Sets the price of a service and the number of services a month, from a day on.')
  .requiredOption('--host <slug>', 'slug of the host')
  .requiredOption('--price <decimal>', 'price of one service: 1.80', priceOf)
  .requiredOption('--services <count>', 'services a month', wholeNumberOf(0, 2_147_483_647))
  .requiredOption('--from <date>', 'first day, in the time zone of the host: 2026-03-01', dateOf)
  .action(({ host, price, services, from }: ContractOptions) =>
    withTransaction('host contract', async tx => {
      const isSet = await setContract(tx, host, { startsOn: from, price, services });
      if (!isSet) throw new Error(`There is no host "${host}".`);
      return `Contract of host "${host}" set: from ${from} ${price} a service, ${services} services a month.`;
    }),
  );

program
  .command('list')
  .description('Lists all hosts with their settings.')
  .action(() =>
    withDatabase(async db => console.log([HEADER, ...(await listHosts(db)).map(lineOf)].join('\n'))),
  );

await program.parseAsync();

/** As far as the providers of these settings tell their models. Those of the host's own may have any. */
async function refuseUnknownModels(
  { modelFallbacks = [] }: Partial<HostSettings>,
  ownProviders: readonly string[] = [],
): Promise<void> {
  const config = readConfig();
  const directory = makeModelDirectory(providersOf(config), config.openaiModel);
  for (const model of modelFallbacks) {
    if (ownProviders.some(name => model.startsWith(`${name}/`))) continue;
    const error = await directory.findModelError(model);
    if (error !== undefined) program.error(`--model-fallbacks: "${model}" ${error}`);
  }
}

async function listProviderNames(tx: Db, slug: string): Promise<string[]> {
  const host = await findHostBySlug(tx, slug);
  return host ? (await listHostProviders(tx, host.id)).map(({ name }) => name) : [];
}

async function create(tx: Db, host: NewHost): Promise<string> {
  const { slug } = host;
  if (!/^[a-z0-9][a-z0-9-]{1,62}$/.test(slug))
    throw new Error('A slug is 2 to 63 lowercase letters, digits and hyphens.');
  const created = await createHost(tx, host);
  if (!created) throw new Error(`There is a host "${slug}" already.`);
  return `Host "${slug}" created.\n${HEADER}\n${lineOf(created)}`;
}

async function change(tx: Db, slug: string, settings: Partial<HostSettings>): Promise<string> {
  const host = await setHost(tx, slug, settings);
  if (!host) throw new Error(`There is no host "${slug}".`);
  return `Host "${slug}" changed.\n${HEADER}\n${lineOf(host)}`;
}

function lineOf(host: Host): string {
  const {
    id,
    slug,
    name,
    timeZone,
    businessHours,
    maxChunks,
    chunkSizeLimit,
    share,
    modelFallbacks,
    bursts,
    mask,
    maskImages,
    monthlyBudget,
    dailyBudget,
    disabled,
  } = host;
  const hours = businessHours.map(({ days, from, to }) => `${days.join('')} ${from}-${to}`).join(', ');
  const fallbacks = modelFallbacks.join(',');
  return [
    id,
    slug,
    name,
    timeZone,
    hours,
    maxChunks,
    chunkSizeLimit,
    share,
    fallbacks,
    bursts,
    mask ? 'on' : 'off',
    maskImages,
    monthlyBudget,
    dailyBudget,
    disabled ? 'disabled' : '',
  ].join('\t');
}
