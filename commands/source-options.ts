import { type Command, InvalidArgumentError, Option } from 'commander';
import { BODY, TIMESTAMP } from '../api/signed-intake/signed-content.ts';
import {
  ackTimes,
  type SignatureScheme,
  type SigningSettings,
  signatureSchemes,
} from '../db/intake/crm-sources.ts';
import { type RecordKind, recordKinds } from '../workers/domain/crm/mapping.ts';

export interface SourceOptions extends SigningSettings {
  readonly host: string;
  readonly name: string;
  readonly kind?: RecordKind;
  readonly scheme?: SignatureScheme;
  readonly ack?: (typeof ackTimes)[number];
  readonly enabled?: 'on' | 'off';
  readonly secretFile?: string;
}

export function addSourceOptions(command: Command): Command {
  return command
    .addOption(new Option('--kind <kind>', 'kind of its records').choices(recordKinds))
    .addOption(new Option('--scheme <scheme>', 'how it signs; cannot be changed').choices(signatureSchemes))
    .addOption(new Option('--ack <when>', 'early: answer once a record is stored').choices(ackTimes))
    .addOption(new Option('--enabled <on|off>', 'off: its records are refused').choices(['on', 'off']))
    .option(
      '--base-url <url>',
      'address of Parley as the source calls it: https://crm.example.com',
      baseUrlOf,
    )
    .option('--header <name>', 'hmac: header with the signature', headerOf)
    .addOption(new Option('--algorithm <name>', 'hmac: default sha256').choices(['sha256', 'sha1']))
    .addOption(new Option('--encoding <name>', 'hmac: default hex').choices(['hex', 'base64']))
    .option('--prefix <text>', 'hmac: text before the signature: sha256=', textOf(50))
    .option('--timestamp-header <name>', 'hmac: header with the time of signing', headerOf)
    .option('--signed <text>', `hmac: what is signed; default ${BODY}, or ${TIMESTAMP}.${BODY}`, textOf(200));
}

const hmacSettings = ['header', 'algorithm', 'encoding', 'prefix', 'timestampHeader', 'signed'] as const;

/** Merges the given settings into the stored ones; throws if they do not fit together. */
export function settingsOf(
  scheme: SignatureScheme,
  stored: SigningSettings,
  options: SourceOptions,
): SigningSettings {
  const names = ['baseUrl', ...hmacSettings] as const;
  const given = names.flatMap(name => (options[name] === undefined ? [] : [[name, options[name]]]));
  const settings: SigningSettings = { ...stored, ...Object.fromEntries(given) };
  if (scheme === 'hubspot' && !settings.baseUrl) throw new Error('HubSpot signs the URL: give --base-url.');
  if (scheme === 'hmac') return checkHmac(settings);
  const wrong = hmacSettings.find(name => settings[name] !== undefined);
  if (wrong)
    throw new Error(`The scheme ${scheme} says itself what is signed: ${wrong} is for the scheme hmac.`);
  return settings;
}

function checkHmac(settings: SigningSettings): SigningSettings {
  const { header, timestampHeader } = settings;
  if (header === undefined) throw new Error('Give --header: the header with the signature.');
  const signed = settings.signed ?? (timestampHeader === undefined ? BODY : `${TIMESTAMP}.${BODY}`);
  if (signed.split(BODY).length !== 2) throw new Error(`--signed contains ${BODY} once.`);
  // An unsigned time can be changed, so it protects against nothing.
  if (signed.includes(TIMESTAMP) !== (timestampHeader !== undefined))
    throw new Error(`--signed contains ${TIMESTAMP} if there is a --timestamp-header, and only then.`);
  return { ...settings, signed };
}

function headerOf(value: string): string {
  if (/^[A-Za-z0-9][\w-]{0,99}$/.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('Give the name of a header, such as X-Signature.');
}

function textOf(maxLength: number): (value: string) => string {
  return value => {
    if (value.length <= maxLength) return value;
    throw new InvalidArgumentError(`It has at most ${maxLength} characters.`);
  };
}

function baseUrlOf(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isBase =
    url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && !url.username;
  if (!isBase) throw new InvalidArgumentError('Give an address such as https://crm.example.com.');
  return value.replace(/\/+$/, '');
}
