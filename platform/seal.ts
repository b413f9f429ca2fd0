import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';

const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE + TAG;
const WORTH_DEFLATING = 2_048;
/** Deflating more than this is left to a thread, so that the event loop goes on. */
const LARGE = 65_536;
const PLAIN = 0;
const DEFLATED = 1;
/** The lowest takes a third of the time of the default for text and gives a fifth more. */
const LEVEL = { level: 1 };
const deflateInThread = promisify<Buffer, typeof LEVEL, Buffer>(deflateRaw);
const inflateInThread = promisify<Buffer, Buffer>(inflateRaw);

/**
 * Job bodies and replies hold what people write to their university; in the queue's store they are deflated
 * (50 KB of text takes 14) and then encrypted. `label` binds a text to its job, so that it opens nowhere else.
 */
export interface Seal {
  seal(value: unknown, label: string): Promise<string>;
  /** Rejects when the text is not ours, was changed, or belongs to another label. */
  open(sealed: string, label: string): Promise<unknown>;
  /** Equal for equal values only, and useless to whoever reads it. */
  mac(value: unknown): string;
  /** Equal for equal values only, in hexadecimal digits; nobody without the key can tell what it will be. */
  nameOf(value: unknown): string;
  /** The same in all processes that were given the same key; too short to tell anything of it. */
  readonly fingerprint: string;
}

/** What is sealed for one purpose opens for no other; what has none is a job. */
export function makeSeal(secretKey: string, purpose: 'job' | 'mcp header' = 'job'): Seal {
  const deriveKey = (use: string) => Buffer.from(hkdfSync('sha256', secretKey, '', use, 32));
  const sealKey = deriveKey(`parley ${purpose} seal`);
  const macKey = deriveKey(`parley ${purpose === 'job' ? 'body' : purpose} mac`);
  const nameKey = deriveKey(`parley ${purpose} name`);
  const nonces = makeNonces();
  return {
    fingerprint: deriveKey(`parley ${purpose} key fingerprint`).toString('hex', 0, 4),
    seal: async (value, label) =>
      (await encryptText(JSON.stringify(value), sealKey, nonces(), label)).toString('base64'),
    open: async (text, label) =>
      JSON.parse((await decryptText(Buffer.from(text, 'base64'), sealKey, label)).toString()),
    mac: value => createHmac('sha256', macKey).update(JSON.stringify(value)).digest('base64url'),
    nameOf: value => createHmac('sha256', nameKey).update(JSON.stringify(value)).digest('hex'),
  };
}

/** flag, nonce, tag, body */
async function encryptText(json: string, key: Buffer, nonce: Buffer, label: string): Promise<Buffer> {
  const plain = Buffer.from(json);
  const isLong = plain.length >= WORTH_DEFLATING;
  const packed = isLong ? await deflate(plain) : plain;
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  const body = cipher.update(packed);
  cipher.final();
  return Buffer.concat([Buffer.of(isLong ? DEFLATED : PLAIN), nonce, cipher.getAuthTag(), body]);
}

async function deflate(plain: Buffer): Promise<Buffer> {
  return plain.length > LARGE ? deflateInThread(plain, LEVEL) : deflateRawSync(plain, LEVEL);
}

async function decryptText(bytes: Buffer, key: Buffer, label: string): Promise<Buffer> {
  const nonce = bytes.subarray(1, 1 + NONCE);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  decipher.setAuthTag(bytes.subarray(1 + NONCE, HEAD));
  const body = decipher.update(bytes.subarray(HEAD));
  decipher.final();
  if (bytes[0] !== DEFLATED) return body;
  return body.length > LARGE ? inflateInThread(body) : inflateRawSync(body);
}

/** Random bytes cost the same whether twelve are asked for or six thousand. */
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
