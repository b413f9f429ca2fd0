import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { runInSlices } from './run-in-slices.ts';
import { makeSeal, type Seal, type SecretKeys } from './seal.ts';

/*
 * A file is sealed with a key of its own, which is sealed with the secret of the installation: a change of the secret seals keys
 * anew, not files. The bytes are sealed in slices, each bound to its place and to the size of the file, so that a slice is
 * readable alone, and none can be moved or left out.
 */

const TAG = 16;
/** The limit of a row, as in `db/stored-bytes.ts`. */
export const SEALED_SLICE = 49_152;
export const SLICE = SEALED_SLICE - TAG;

export interface SealedFile {
  readonly size: number;
  readonly sealedKey: string;
  readonly content: Buffer;
}

/** What a signature is for. */
interface Signed {
  readonly hostId: string;
  readonly id: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

export interface FileSeal {
  seal(bytes: Buffer, id: string): Promise<SealedFile>;
  /** Rejects if the key of the installation is another one. */
  openKey(sealedKey: string, id: string): Promise<Buffer>;
  sign(signed: Signed): string;
  isSigned(signed: Signed, signature: string): boolean;
}

export function makeFileKeySeal(keys: SecretKeys | string): Seal {
  return makeSeal(keys, 'file');
}

export function makeFileSeal(keys: SecretKeys | string): FileSeal {
  const seal = makeFileKeySeal(keys);
  return {
    async seal(bytes, id) {
      const key = randomBytes(32);
      const sealedKey = await seal.seal(key.toString('base64'), id);
      return { size: bytes.length, sealedKey, content: await runInSlices(sealSlices(bytes, key)) };
    },
    async openKey(sealedKey, id) {
      return Buffer.from(String(await seal.open(sealedKey, id)), 'base64');
    },
    sign: signed => seal.mac(toSign(signed)),
    isSigned: (signed, signature) => seal.isMac(signature, toSign(signed)),
  };
}

function toSign({ hostId, id, expires }: Signed): readonly (string | number)[] {
  return [hostId.toLowerCase(), id.toLowerCase(), expires];
}

function* sealSlices(bytes: Buffer, key: Buffer): Generator<void, Buffer> {
  const count = sliceCountOf(bytes.length);
  const content = Buffer.allocUnsafe(bytes.length + count * TAG);
  for (let place = 0, at = 0; place < count; place += 1) {
    yield;
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(place)).setAAD(sizeAsData(bytes.length));
    at += cipher.update(bytes.subarray(place * SLICE, (place + 1) * SLICE)).copy(content, at);
    cipher.final();
    at += cipher.getAuthTag().copy(content, at);
  }
  return content;
}

/** Opens slices that follow each other, the first of which has this place. Throws if they were changed. */
export function openSlices(
  sealed: Buffer,
  { key, place, size }: { readonly key: Buffer; readonly place: number; readonly size: number },
): Buffer {
  const opened: Buffer[] = [];
  for (let at = 0; at < sealed.length; at += SEALED_SLICE) {
    const slice = sealed.subarray(at, at + SEALED_SLICE);
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(place + opened.length));
    decipher.setAAD(sizeAsData(size)).setAuthTag(slice.subarray(-TAG));
    opened.push(decipher.update(slice.subarray(0, -TAG)));
    decipher.final();
  }
  return Buffer.concat(opened);
}

export function sliceCountOf(size: number): number {
  return Math.ceil(size / SLICE);
}

/** The key seals one file, so a place stands for one nonce. */
function nonceOf(place: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(place, 8);
  return nonce;
}

function sizeAsData(size: number): Buffer {
  return Buffer.from(String(size));
}
