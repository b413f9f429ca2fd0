import { Command, InvalidArgumentError, Option } from 'commander';
import { burstSettings, type HostSettings } from '../db/hosts.ts';
import { MAX_FALLBACKS, MAX_MODEL_LENGTH } from '../platform/config.ts';

type OpeningHours = HostSettings['businessHours'][number];

export function addSettingOptions(command: Command): Command {
  return command
    .requiredOption('--slug <slug>', 'lowercase letters, digits and hyphens')
    .option('--picture <url>', 'URL of the logo')
    .option('--time-zone <zone>', 'for example America/Manaus', timeZoneOf)
    .option(
      '--business-hours <json>',
      '[{"days":[1,2,3,4,5],"from":"08:00","to":"18:00"}]; Monday is 1',
      hoursOf,
    )
    .option('--max-chunks <count>', 'maximum number of passages for a turn, 1 to 100', wholeNumberOf(1, 100))
    .option(
      '--chunk-size-limit <characters>',
      'maximum length of a passage, 1 to 1000000',
      wholeNumberOf(1, 1_000_000),
    )
    .option(
      '--share <weight>',
      'weight where turns or CRM records of several hosts wait, 1 to 10: 2 gets twice as many as 1',
      wholeNumberOf(1, 10),
    )
    .option(
      '--model-fallbacks <models>',
      'models that are asked when the model of a turn fails, comma-separated; empty: those of the installation',
      modelListOf,
    )
    .addOption(
      new Option(
        '--bursts <mode>',
        'messages that a person sends in a row: each is answered (each), or the last one for all (last)',
      ).choices(burstSettings),
    )
    .addOption(
      new Option(
        '--mask <on|off>',
        'personal identifiers leave for models, embedders and MCP servers as tokens, such as [CPF_1]',
      ).argParser(switchOf),
    );
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

function timeZoneOf(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    throw new InvalidArgumentError('No such time zone.');
  }
}

function hoursOf(value: string): OpeningHours[] {
  const clock = /^([01]\d|2[0-3]):[0-5]\d$/;
  const isEnd = (to: string) => to === '24:00' || clock.test(to);
  const isRight = ({ days, from, to }: OpeningHours) =>
    days.length > 0 &&
    days.every(day => Number.isInteger(day) && day >= 1 && day <= 7) &&
    clock.test(from) &&
    isEnd(to);
  try {
    const hours = JSON.parse(value) as OpeningHours[];
    if (hours.every(isRight)) return hours;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('Give a JSON array of {days, from, to}.');
}

function switchOf(value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on';
  throw new InvalidArgumentError('Give on or off.');
}

function modelListOf(value: string): string[] {
  const models = value.split(',').flatMap(part => part.trim() || []);
  const isRight = models.length <= MAX_FALLBACKS && models.every(model => model.length <= MAX_MODEL_LENGTH);
  if (isRight) return models;
  throw new InvalidArgumentError(
    `Give up to ${MAX_FALLBACKS} names of up to ${MAX_MODEL_LENGTH} characters.`,
  );
}

export function wholeNumberOf(least: number, most: number): (value: string) => number {
  return value => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}
