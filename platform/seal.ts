import {
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Transform } from 'node:stream';
import { createDeflateRaw, createInflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { joinPieces, lengthOfPieces } from './raw-json.ts';
import { runInSlices } from './run-in-slices.ts';

const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE + TAG;
const WORTH_DEFLATING = 2_048;
/** Larger bodies are compressed in a thread, so that the event loop is not blocked. */
const LARGE = 65_536;
const PLAIN = 0;
const DEFLATED = 1;
/** For text, the lowest level takes a third of the time of the default and the result is a fifth larger. */
const LEVEL = { level: 1 };
/** Each piece from the thread costs a step of the event loop, and the default is 16 KiB. */
const PIECES = { chunkSize: 262_144 };

/** New values are sealed with `secretKey`; the previous keys still open old ones, while keys are being changed. */
export interface SecretKeys {
  readonly secretKey: string;
  readonly secretKeyPrevious?: readonly string[] | undefined;
}

/** Equal in all processes with the same key; too short to reveal it. */
export interface KeyFingerprints {
  readonly key: string;
  readonly previousKeys: readonly string[];
}

/**
 * Job bodies and replies hold personal data, so they are compressed (50 KB of text to 14) and encrypted in the queue store.
 * `label` is authenticated data that binds a sealed text to its job.
 */
export interface Seal {
  seal(value: unknown, label: string): Promise<string>;
  /** Like `seal`, for a value that is JSON already. */
  sealPieces(json: readonly Buffer[], label: string): Promise<string>;
  /** Rejects if the key or the label differs, or if the text was modified. */
  open(sealed: string, label: string): Promise<unknown>;
  /** Seals the same value with the current key; returns the same text if that was used already. Rejects like `open`. */
  sealAnew(sealed: string, label: string): Promise<string>;
  /** Like `open`; returns the JSON of the value, which may be cut anywhere. */
  openPieces(sealed: string, label: string): Promise<Buffer[]>;
  /** HMAC: equal only for equal values, and reveals nothing about the value. */
  mac(value: unknown): string;
  /** Whether it is the HMAC of the value, also under a previous key. */
  isMac(mac: string, value: unknown): boolean;
  /** HMAC in hexadecimal digits: equal only for equal values, and not predictable without the key. */
  nameOf(value: unknown): string;
  readonly fingerprints: KeyFingerprints;
}

/** Each purpose gets its own keys. */
export function makeSeal(
  keys: SecretKeys | string,
  purpose:
    | 'job'
    | 'file'
    | 'mcp header'
    | 'provider key'
    | 'rest secret'
    | 'source secret'
    | 'visitor'
    | 'webhook secret' = 'job',
): Seal {
  const { secretKey, secretKeyPrevious = [] } = typeof keys === 'string' ? { secretKey: keys } : keys;
  const deriveKey = (use: string, from = secretKey) => Buffer.from(hkdfSync('sha256', from, '', use, 32));
  const sealKey = deriveKey(`parley ${purpose} seal`);
  const previousSealKeys = secretKeyPrevious.map(key => deriveKey(`parley ${purpose} seal`, key));
  const macOf = (value: unknown, from = secretKey) => {
    const macKey = deriveKey(`parley ${purpose === 'job' ? 'body' : purpose} mac`, from);
    return createHmac('sha256', macKey).update(JSON.stringify(value)).digest('base64url');
  };
  const nameKey = deriveKey(`parley ${purpose} name`);
  const nonces = makeNonces();
  const sealPieces = (json: readonly Buffer[], label: string) =>
    encryptPieces(json, sealKey, nonces(), label);
  const openPieces = async (text: string, label: string) => {
    const bytes = Buffer.from(text, 'base64');
    const opened = decryptPieces(bytes, sealKey, label);
    return previousSealKeys.reduce(
      (tried, key) => tried.catch(() => decryptPieces(bytes, key, label)),
      opened,
    );
  };
  const fingerprintOf = (key: string) =>
    deriveKey(`parley ${purpose} key fingerprint`, key).toString('hex', 0, 4);
  return {
    fingerprints: { key: fingerprintOf(secretKey), previousKeys: secretKeyPrevious.map(fingerprintOf) },
    seal: (value, label) => sealPieces([Buffer.from(JSON.stringify(value))], label),
    sealPieces,
    open: async (text, label) => JSON.parse(joinPieces(await openPieces(text, label)).toString()),
    openPieces,
    async sealAnew(text, label) {
      const isCurrent = decryptPieces(Buffer.from(text, 'base64'), sealKey, label).then(
        () => true,
        () => false,
      );
      return (await isCurrent) ? text : sealPieces(await openPieces(text, label), label);
    },
    mac: value => macOf(value),
    isMac: (mac, value) => [secretKey, ...secretKeyPrevious].some(key => isSame(mac, macOf(value, key))),
    nameOf: value => createHmac('sha256', nameKey).update(JSON.stringify(value)).digest('hex'),
  };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Format: flag, nonce, tag, body; in base64. */
async function encryptPieces(
  json: readonly Buffer[],
  key: Buffer,
  nonce: Buffer,
  label: string,
): Promise<string> {
  const length = lengthOfPieces(json);
  const isLong = length >= WORTH_DEFLATING;
  const packed = isLong ? await deflate(json, length) : json;
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  return runInSlices(encryptSteps(cipher, [Buffer.of(isLong ? DEFLATED : PLAIN), nonce], packed));
}

/** Compresses large values in a thread; small ones when the first piece is read, as a step of the slices. */
async function deflate(json: readonly Buffer[], length: number): Promise<Iterable<Buffer>> {
  return length > LARGE ? pipeThrough(createDeflateRaw({ ...LEVEL, ...PIECES }), json) : deflateOnce(json);
}

function* deflateOnce(json: readonly Buffer[]): Generator<Buffer, void> {
  yield deflateRawSync(joinPieces(json), LEVEL);
}

function* encryptSteps(
  cipher: CipherGCM,
  head: readonly Buffer[],
  pieces: Iterable<Buffer>,
): Generator<void, string> {
  const body: Buffer[] = [];
  for (const piece of pieces) {
    body.push(cipher.update(piece));
    yield;
  }
  cipher.final();
  const sealed = Buffer.concat([...head, cipher.getAuthTag(), ...body]);
  yield;
  return sealed.toString('base64');
}

async function decryptPieces(bytes: Buffer, key: Buffer, label: string): Promise<Buffer[]> {
  const body = await runInSlices(decryptSteps(bytes, key, label));
  if (bytes[0] !== DEFLATED) return [body];
  return body.length > LARGE ? pipeThrough(createInflateRaw(PIECES), [body]) : [inflateRawSync(body)];
}

function* decryptSteps(bytes: Buffer, key: Buffer, label: string): Generator<void, Buffer> {
  const nonce = bytes.subarray(1, 1 + NONCE);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  decipher.setAuthTag(bytes.subarray(1 + NONCE, HEAD));
  const body = decipher.update(bytes.subarray(HEAD));
  yield;
  decipher.final();
  return body;
}

/** Compresses or decompresses in a thread of the pool. */
async function pipeThrough(codec: Transform, pieces: readonly Buffer[]): Promise<Buffer[]> {
  for (const piece of pieces) codec.write(piece);
  codec.end();
  return codec.toArray() as Promise<Buffer[]>;
}

/** Generates many nonces at once: `randomBytes` costs the same for 12 bytes as for 6,000. */
function makeNonces(): () => Buffer {
  const atOnce = 512;
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length < NONCE) pool = randomBytes(NONCE * atOnce);
    const nonce = pool.subarray(0, NONCE);
    pool = pool.subarray(NONCE);
    return nonce;
  };
}
