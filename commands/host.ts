import { Command, InvalidArgumentError, Option } from 'commander';
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
import { checkBody } from '../queues/contract/check-body.ts';
import { hostSettings } from '../queues/contract/operations/host-shape.ts';
import { makeModelDirectory } from '../workers/model/model-directory.ts';
import { providersOf } from '../workers/model/models.ts';
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

interface SettingOption {
  readonly flags: string;
  readonly help: string;
  /** Reads the text of the option; the shape of the setting checks the limits. */
  readonly toValue?: (text: string) => unknown;
}

const settingOptions: { readonly [S in keyof HostSettings]: SettingOption } = {
  name: { flags: '--name <text>', help: 'the display name of the brand' },
  picture: { flags: '--picture <url>', help: 'URL of the logo' },
  timeZone: { flags: '--time-zone <zone>', help: 'for example America/Manaus' },
  businessHours: {
    flags: '--business-hours <json>',
    help: '[{"days":[1,2,3,4,5],"from":"08:00","to":"18:00"}]; Monday is 1',
    toValue: parseJson,
  },
  maxChunks: {
    flags: '--max-chunks <count>',
    help: 'maximum number of passages for a turn, 1 to 100',
    toValue: Number,
  },
  chunkSizeLimit: {
    flags: '--chunk-size-limit <characters>',
    help: 'maximum length of a passage, 1 to 1000000',
    toValue: Number,
  },
  share: {
    flags: '--share <weight>',
    help: 'weight where turns or CRM records of several hosts wait, 1 to 10: 2 gets twice as many as 1',
    toValue: Number,
  },
  modelFallbacks: {
    flags: '--model-fallbacks <models>',
    help: 'models that are asked when a model fails, comma-separated; empty: those of the installation',
    toValue: text => text.split(',').flatMap(part => part.trim() || []),
  },
  bursts: {
    flags: '--bursts <mode>',
    help: 'messages that a person sends in a row: each is answered (each), or the last one for all (last)',
  },
  mask: {
    flags: '--mask <on|off>',
    help: 'personal identifiers leave for models, embedders and MCP servers as tokens, such as [CPF_1]',
    toValue: parseSwitch,
  },
  maskImages: {
    flags: '--mask-images <refuse|allow>',
    help: 'where identifiers are masked: whether pictures leave, in which nothing is masked (allow), or are refused (refuse)',
  },
  monthlyBudget: {
    flags: '--monthly-budget <decimal>',
    help: 'the most that models may cost in a month, by MODEL_PRICES: 100.00; empty: no limit',
  },
  dailyBudget: { flags: '--daily-budget <decimal>', help: 'the same for a day' },
  disabled: {
    flags: '--disabled <on|off>',
    help: 'on: nothing is done for the host, and nothing of it is deleted',
    toValue: parseSwitch,
  },
};

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

/**
 * Refuses models that the providers of these settings do not list, if they list any. Providers of the host itself may have any
 * model.
 */
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

/** Adds all settings; with `needsName`, the name is required. */
function addSettingOptions(command: Command, needsName = false): Command {
  command.requiredOption('--slug <slug>', 'lowercase letters, digits and hyphens');
  for (const name of Object.keys(settingOptions) as (keyof HostSettings)[]) {
    const { flags, help } = settingOptions[name];
    const option = new Option(flags, help).argParser(makeSettingReader(name));
    command.addOption(option.makeOptionMandatory(needsName && name === 'name'));
  }
  return command;
}

/** Reads the text of an option as a value of the setting, with the limits of the API. */
function makeSettingReader(name: keyof HostSettings): (text: string) => unknown {
  const { toValue = (text: string) => text } = settingOptions[name];
  return text => {
    const { value, errors } = checkBody<unknown>(hostSettings[name], toValue(text));
    const [error] = errors;
    if (error)
      throw new InvalidArgumentError(`It ${error.path && `has a ${error.path} that `}${error.message}.`);
    return value;
  };
}

function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('Give on or off.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It is not JSON.');
  }
}

function priceOf(value: string): string {
  if (/^\d{1,10}(\.\d{1,4})?$/.test(value)) return value;
  throw new InvalidArgumentError('Give a decimal with a point and at most four places.');
}

function dateOf(value: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  if (isDate && new Date(value).toISOString().startsWith(value)) return value;
  throw new InvalidArgumentError('Give a date such as 2026-03-01.');
}

function wholeNumberOf(least: number, most: number): (value: string) => number {
  return value => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}
