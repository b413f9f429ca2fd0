import { createHash, createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const sumLength = 6;
const tokenText = /^(?:svc|lnk|ses)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export interface GeneratedToken {
  /** Shown once; never stored. */
  readonly text: string;
  readonly hash: Buffer;
}

/** `lnk` is the secret of a sign-in link, `ses` of a session of the console. */
export function makeToken(prefix: 'svc' | 'lnk' | 'ses' = 'svc'): GeneratedToken {
  return tokenOf(
    prefix,
    makeSecret(() => randomBytes(64)),
  );
}

function tokenOf(prefix: string, secret: string): GeneratedToken {
  const text = `${prefix}_${secret}${checksumOf(secret)}`;
  return { text, hash: sha256(text) };
}

/** Derives the session that a link opens for the browser of this key: always the same, and secret without both. */
export function sessionOf(link: string, key: string): GeneratedToken {
  let block = 0;
  return tokenOf(
    'ses',
    makeSecret(() => createHmac('sha512', key).update(`${link} ${block++}`).digest()),
  );
}

/** Returns the stored hash of a token, a link or a session; undefined for an invalid checksum, which needs no lookup. */
export function hashOf(text: string): Buffer | undefined {
  const [, secret, checksum] = tokenText.exec(text) ?? [];
  return secret !== undefined && checksum === checksumOf(secret) ? sha256(text) : undefined;
}

function makeSecret(takeBytes: () => Buffer): string {
  let secret = '';
  while (secret.length < secretLength) {
    // Bytes from 248 are skipped: the modulo would favour the first eight characters.
    for (const byte of takeBytes()) if (byte < 248) secret += alphabet[byte % 62];
  }
  return secret.slice(0, secretLength);
}

function checksumOf(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let digit = 0; digit < sumLength; digit++) {
    text = `${alphabet[rest % 62]}${text}`;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
