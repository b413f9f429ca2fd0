import { type Command, InvalidArgumentError, Option } from 'commander';
import type { HostSettings } from '../db/hosts/hosts.ts';
import { checkBody } from '../queues/contract/check-body.ts';
import { hostSettings } from '../queues/contract/operations/host-shape.ts';

interface SettingOption {
  readonly flags: string;
  readonly help: string;
  /** Reads the text of the option; the shape of the setting has the limits. */
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

/** All settings; `needsName`: that one is required. */
export function addSettingOptions(command: Command, needsName = false): Command {
  command.requiredOption('--slug <slug>', 'lowercase letters, digits and hyphens');
  for (const name of Object.keys(settingOptions) as (keyof HostSettings)[]) {
    const { flags, help } = settingOptions[name];
    const option = new Option(flags, help).argParser(makeSettingReader(name));
    command.addOption(option.makeOptionMandatory(needsName && name === 'name'));
  }
  return command;
}

/** Reads the text of an option as a value of the setting, with the limits that the API has for it. */
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

export function priceOf(value: string): string {
  if (/^\d{1,10}(\.\d{1,4})?$/.test(value)) return value;
  throw new InvalidArgumentError('Give a decimal with a point and at most four places.');
}

export function dateOf(value: string): string {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
  if (isDate && new Date(value).toISOString().startsWith(value)) return value;
  throw new InvalidArgumentError('Give a date such as 2026-03-01.');
}

export function wholeNumberOf(least: number, most: number): (value: string) => number {
  return value => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}
