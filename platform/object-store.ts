import { AwsV4Signer } from 'aws4fetch';
import { Agent, request } from 'undici';
import { messageOf } from './error-reason.ts';
import type { OutageLog } from './outage-log.ts';

/*
 * A bucket of S3, or of what speaks its protocol, for the sealed bytes of files. It is addressed by its path, as every such server
 * takes it. `aws4fetch` signs: it is 6 KB without a dependency, where the client of MinIO has 13 and its own connections.
 */

export interface ObjectStoreSettings {
  /** The address of the server with the bucket; undefined: files lie in PostgreSQL. */
  readonly filesS3Url?: string | undefined;
  readonly filesS3Region?: string | undefined;
  readonly filesS3KeyId?: string | undefined;
  readonly filesS3Secret?: string | undefined;
}

/** Each rejects with an `ObjectStoreError` while the store is away. */
export interface ObjectStore {
  put(name: string, bytes: Buffer): Promise<void>;
  /** Returns the bytes from one to before another, fewer at the end of the object; undefined if there is no such object. */
  read(name: string, from: number, to: number): Promise<Buffer | undefined>;
  /** One that is not there is deleted, too. */
  delete(name: string): Promise<void>;
}

export class ObjectStoreError extends Error {}

/** A server that takes connections and says nothing costs a request this much at most. */
const ANSWER_WITHIN_MS = 15_000;

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

export function makeObjectStore(
  { filesS3Url, filesS3Region: region, filesS3KeyId, filesS3Secret }: ObjectStoreSettings,
  outage: OutageLog,
): ObjectStore | undefined {
  if (!filesS3Url || !region || !filesS3KeyId || !filesS3Secret) return undefined;
  const keys = { accessKeyId: filesS3KeyId, secretAccessKey: filesS3Secret, region, service: 's3' };
  const bucket = filesS3Url.endsWith('/') ? filesS3Url : `${filesS3Url}/`;
  const dispatcher = new Agent({ connect: { timeout: 5_000 } });
  const send = async (method: 'GET' | 'PUT' | 'DELETE', name: string, range = '', body?: Buffer) => {
    const sent = { method, url: bucket + name, headers: range === '' ? {} : { range } };
    const { url, headers } = await new AwsV4Signer({ ...sent, ...keys }).sign();
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const options = { method, headers: Object.fromEntries(headers), body: body ?? null, signal, dispatcher };
    const answer = await request(url, options);
    return { status: answer.statusCode, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  const call = async (...args: Parameters<typeof send>): Promise<Answer> => {
    try {
      const answer = await send(...args);
      const code = answer.status < 300 ? undefined : codeOf(answer);
      // A bucket that is not there says nothing of its objects: they lie in another one.
      const isMissing = answer.status === 404 && args[0] !== 'PUT' && code !== 'NoSuchBucket';
      if (answer.status >= 300 && !isMissing)
        throw new Error(['refused with', answer.status, code].filter(Boolean).join(' '));
      outage.noteSuccess();
      return answer;
    } catch (error) {
      outage.noteFailure(error);
      throw new ObjectStoreError(messageOf(error), { cause: error });
    }
  };
  return {
    async put(name, bytes) {
      await call('PUT', name, '', bytes);
    },
    async read(name, from, to) {
      const { status, bytes } = await call('GET', name, `bytes=${from}-${to - 1}`);
      return status === 404 ? undefined : bytes;
    },
    async delete(name) {
      await call('DELETE', name);
    },
  };
}

/** The name that the protocol has for a refusal: `SignatureDoesNotMatch`, or a clock that is off. */
function codeOf({ bytes }: Answer): string | undefined {
  return /<Code>([A-Za-z]{1,60})<\/Code>/.exec(bytes.toString('latin1', 0, 2_000))?.[1];
}

/** The name of an object is not that of its file: a file that is sent again is sealed with another key. */
export function objectNameOf({
  hostId,
  objectId,
}: {
  readonly hostId: string;
  readonly objectId: string;
}): string {
  return `${hostId}/${objectId}`;
}
