import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE + TAG;
const WORTH_DEFLATING = 2_048;
const PLAIN = 0;
const DEFLATED = 1;

/**
 * Job bodies and replies hold what people write to their university; in the queue's store they are deflated
 * (50 KB of text takes 12) and then encrypted. `label` binds a text to its job, so that it opens nowhere else.
 */
export interface Seal {
  seal(value: unknown, label: string): string;
  /** Throws when the text is not ours, was changed, or belongs to another label. */
  open(sealed: string, label: string): unknown;
  /** Equal for equal values only, and useless to whoever reads it. */
  mac(value: unknown): string;
  /** Equal for equal values only, in hexadecimal digits; nobody without the key can tell what it will be. */
  nameOf(value: unknown): string;
  /** The same in all processes that were given the same key; too short to tell anything of it. */
  readonly fingerprint: string;
}

/** What is sealed for one purpose opens for no other; what has none is a job. */
export function makeSeal(secretKey: string, purpose: 'job' | 'mcp header' = 'job'): Seal {
  const derived = (use: string) => Buffer.from(hkdfSync('sha256', secretKey, '', use, 32));
  const sealKey = derived(`parley ${purpose} seal`);
  const macKey = derived(`parley ${purpose === 'job' ? 'body' : purpose} mac`);
  const nameKey = derived(`parley ${purpose} name`);
  const nonces = makeNonces();
  return {
    fingerprint: derived(`parley ${purpose} key fingerprint`).toString('hex', 0, 4),
    seal: (value, label) => sealed(JSON.stringify(value), sealKey, nonces(), label).toString('base64'),
    open: (text, label) => JSON.parse(opened(Buffer.from(text, 'base64'), sealKey, label).toString()),
    mac: value => createHmac('sha256', macKey).update(JSON.stringify(value)).digest('base64url'),
    nameOf: value => createHmac('sha256', nameKey).update(JSON.stringify(value)).digest('hex'),
  };
}

/** flag, nonce, tag, body */
function sealed(json: string, key: Buffer, nonce: Buffer, label: string): Buffer {
  const plain = Buffer.from(json);
  const isLong = plain.length >= WORTH_DEFLATING;
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  const body = cipher.update(isLong ? deflateRawSync(plain) : plain);
  cipher.final();
  return Buffer.concat([Buffer.of(isLong ? DEFLATED : PLAIN), nonce, cipher.getAuthTag(), body]);
}

function opened(bytes: Buffer, key: Buffer, label: string): Buffer {
  const nonce = bytes.subarray(1, 1 + NONCE);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(label));
  decipher.setAuthTag(bytes.subarray(1 + NONCE, HEAD));
  const body = decipher.update(bytes.subarray(HEAD));
  decipher.final();
  return bytes[0] === DEFLATED ? inflateRawSync(body) : body;
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
