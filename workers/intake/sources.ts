import { randomBytes, randomUUID } from 'node:crypto';
import {
  changeSource,
  deleteSource,
  findSourceForUpdate,
  insertSource,
  type ListedSource,
  listSources as listStored,
  type SigningSettings,
  secretLabelOf,
} from '../../db/intake/crm-sources.ts';
import { type FieldError, fieldError, missingErrorsOf } from '../../platform/field-error.ts';
import { makeSeal, type SecretKeys } from '../../platform/seal.ts';
import { failure, fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { BODY, SIGNED_PATH, STANDARD_PREFIX, TIMESTAMP } from '../../queues/contract/operations/sources.ts';
import { type Handler, MASK, showOnce } from '../runtime/job.ts';

/* Sources: systems that send signed records without a token. */

type Body = BodyOf<'saveSource'>;
type Data = DataOf<'saveSource'>;
type Scheme = Data['scheme'];

const ADDRESS_BYTES = 24;
/** The length of a generated secret; Standard Webhooks allows 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** The stored reply has the mask in place of a new secret. */
export function makeSaveSource(keys: SecretKeys): Handler<'saveSource'> {
  const seal = makeSeal(keys, 'source secret');
  return async job => {
    let made: string | undefined;
    let own: Outcome<Data> | undefined;
    const outcome = await job.commit(async scope => {
      const { body, hostId } = job;
      const stored = await findSourceForUpdate(scope, body.name);
      if (body.deleted) {
        if (!stored) return failure('source-not-found');
        await deleteSource(scope, stored.id);
        return { code: 200, data: { ...itemOf(hostId, stored), enabled: false, deleted: true } };
      }
      const scheme = stored?.scheme ?? body.scheme;
      const kind = body.kind ?? stored?.kind;
      if (!scheme || !kind) return failure('body-invalid', { fields: missingErrorsOf({ scheme, kind }) });
      const settings = { ...stored?.settings, ...signingOf(body) };
      const errors = [...sourceErrorsOf(body, scheme, stored), ...signingErrorsOf(scheme, settings)];
      if (errors.length > 0) return failure('body-invalid', { fields: errors });
      const id = stored?.id ?? randomUUID();
      const sealNew = () => seal.seal(body.secret ?? (made = makeSecret(scheme)), secretLabelOf(id));
      const source = {
        kind,
        settings: settledOf(scheme, settings),
        ack: body.ack ?? stored?.ack ?? 'late',
        enabled: body.enabled ?? stored?.enabled ?? true,
      };
      const address = randomBytes(ADDRESS_BYTES).toString('hex');
      const saved = stored
        ? await changeSource(scope, id, {
            ...source,
            sealedSecret: body.rotateSecret ? await sealNew() : undefined,
          })
        : await insertSource(scope, {
            ...source,
            id,
            name: body.name,
            address,
            scheme,
            sealedSecret: await sealNew(),
          });
      // Another request has just created it.
      if (!saved) return fieldFailure('name', 'taken');
      own = { code: 200, data: itemOf(hostId, saved) };
      return own;
    });
    return made === undefined ? outcome : showOnce(outcome, own, { secret: made });
  };
}

export const listSources: Handler<'listSources'> = ({ hostId, body, read }) =>
  read(async scope => {
    const stored = await listStored(scope, body.name);
    return { code: 200, data: stored.map(source => itemOf(hostId, source)) };
  });

function itemOf(hostId: string, source: ListedSource): Data {
  const { name, scheme, kind, ack, enabled, settings, address, secretSetAt, earlierValidUntil } = source;
  return {
    hostId,
    name,
    scheme,
    kind,
    ack,
    enabled,
    ...settings,
    url: `${settings.baseUrl ?? ''}${SIGNED_PATH.replace(':address', address)}`,
    secret: MASK,
    secretSetAt: secretSetAt.toISOString(),
    earlierValidUntil: earlierValidUntil?.toISOString() ?? null,
  };
}

function signingOf({ baseUrl, header, algorithm, encoding, prefix, timestampHeader, signed }: Body) {
  const given = {
    baseUrl: baseUrl?.replace(/\/$/, ''),
    header: header?.toLowerCase(),
    algorithm,
    encoding,
    prefix,
    timestampHeader: timestampHeader?.toLowerCase(),
    signed,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as SigningSettings;
}

function settledOf(scheme: Scheme, settings: SigningSettings): SigningSettings {
  if (scheme !== 'hmac') return settings;
  return { ...settings, signed: signedOf(settings) };
}

function signedOf({ signed, timestampHeader }: SigningSettings): string {
  return signed ?? (timestampHeader === undefined ? BODY : `${TIMESTAMP}.${BODY}`);
}

function sourceErrorsOf(
  { scheme: sent, secret, rotateSecret }: Body,
  scheme: Scheme,
  stored: ListedSource | undefined,
): FieldError[] {
  const isNewSecret = !stored || rotateSecret;
  return [
    ...(sent !== undefined && sent !== scheme
      ? [fieldError('scheme', 'not-allowed', 'cannot be changed: delete the source to create it anew')]
      : []),
    ...(secret !== undefined && !isNewSecret
      ? [fieldError('secret', 'only-with', { values: ['rotateSecret'] })]
      : []),
    ...(isNewSecret && secret === undefined && scheme === 'hubspot'
      ? [fieldError('secret', 'required', 'must be the client secret of the HubSpot app')]
      : []),
    ...(secret === undefined ? [] : secretErrorsOf(scheme, secret)),
  ];
}

function secretErrorsOf(scheme: Scheme, text: string): FieldError[] {
  if (scheme !== 'standard')
    return text.length < MIN_SECRET ? [fieldError('secret', 'min-length', { limit: MIN_SECRET })] : [];
  const bytes = Buffer.from(text.slice(STANDARD_PREFIX.length), 'base64').length;
  const isSecret = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && bytes >= 24 && bytes <= 64;
  return isSecret
    ? []
    : [fieldError('secret', 'format', `must be ${STANDARD_PREFIX} and 24 to 64 bytes in base64`)];
}

const MIN_SECRET = 16;

const hmacSettings = ['header', 'algorithm', 'encoding', 'prefix', 'timestampHeader', 'signed'] as const;

/** The settings must fit the scheme and one another. */
function signingErrorsOf(scheme: Scheme, settings: SigningSettings): FieldError[] {
  const { baseUrl, header, timestampHeader } = settings;
  const others = scheme === 'hmac' ? [] : hmacSettings.filter(name => settings[name] !== undefined);
  const signed = signedOf(settings);
  // An unsigned time can be changed, so it protects against nothing.
  const isTimeSigned = signed.includes(TIMESTAMP) === (timestampHeader !== undefined);
  return [
    ...others.map(name => fieldError(name, 'not-allowed', 'is for the scheme hmac only')),
    ...(baseUrl !== undefined && !isBaseUrl(baseUrl)
      ? [fieldError('baseUrl', 'url', 'must be an address such as https://crm.example.com')]
      : []),
    ...(scheme === 'hubspot' && baseUrl === undefined ? missingErrorsOf({ baseUrl }) : []),
    ...(scheme === 'hmac' && header === undefined ? missingErrorsOf({ header }) : []),
    ...(scheme === 'hmac' && (signed.split(BODY).length !== 2 || !isTimeSigned)
      ? [
          fieldError(
            'signed',
            'format',
            `must hold ${BODY} once, and ${TIMESTAMP} if a header has the time, and only then`,
          ),
        ]
      : []),
  ];
}

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    !url.username
  );
}

function makeSecret(scheme: Scheme): string {
  const bytes = randomBytes(SECRET_BYTES);
  return scheme === 'standard' ? `${STANDARD_PREFIX}${bytes.toString('base64')}` : bytes.toString('hex');
}
