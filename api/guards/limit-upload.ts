import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { makeTokenBucket, type TokenBucket } from '../../platform/token-bucket.ts';
import { MAX_BODY_BYTES } from '../../queues/contract/body-limit.ts';
import type { Refusal } from '../../queues/contract/failure.ts';

/*
 * Some bodies cost more than their size: Node calls back for each chunk of a chunked body, however small, so bytes sent one by
 * one take the process a hundred times as long as the same bytes at once. And a body may have no end: the rest of a refused body
 * is read, so that the client reads the response, and a gzip stream may unpack to nothing.
 */

/** Each connection may send this many small chunks, and more from a budget that all share. */
const OWN_SMALL_CHUNKS = 50;
/** The limit per connection: several requests may come over one. */
const MAX_SMALL_CHUNKS = 1_000;
const SMALL_CHUNKS_PER_SECOND = 100;
const SHARED_SMALL_CHUNKS = 4_000;
const SHARED_SMALL_CHUNKS_PER_SECOND = 2_000;
const SMALL_BYTES = 64;
/** Larger than any document. */
const MAX_UPLOAD_BYTES = 24 * MAX_BODY_BYTES;

/** Counted per connection. */
interface SmallChunks {
  readonly own: TokenBucket;
  readonly total: TokenBucket;
}

const perConnection = new WeakMap<Socket, SmallChunks>();
const shared = makeTokenBucket(SHARED_SMALL_CHUNKS, SHARED_SMALL_CHUNKS_PER_SECOND);

function takeSmallChunk(socket: Socket): boolean {
  const known = perConnection.get(socket);
  const { own, total } = known ?? {
    own: makeTokenBucket(OWN_SMALL_CHUNKS, SMALL_CHUNKS_PER_SECOND),
    total: makeTokenBucket(MAX_SMALL_CHUNKS, SMALL_CHUNKS_PER_SECOND),
  };
  if (!known) perConnection.set(socket, { own, total });
  return total.take(1) && (own.take(1) || shared.take(1));
}

/** The key at which Node's HTTP parser has its callback for a piece of a body (`HTTPParser.kOnBody`). */
const ON_BODY = 3;

/**
 * 300 connections that each sent 100,000 chunks of one byte held the event loop for 0.7 to 4.5 s, also where their sockets were
 * destroyed at once, and hold it for 60 to 190 ms with this: Node parses what it has read to the end, up to 11,000 chunks with a
 * callback each, and offers no way to end that. So the callback is removed until this read ends; if there is
 * none, nothing is skipped.
 */
function skipParsedChunks(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Record<number, unknown> | null };
  const onBody = parser?.[ON_BODY];
  if (!parser || typeof onBody !== 'function') return;
  parser[ON_BODY] = null;
  // This runs before the parser can go to another connection, which happens when this socket is closed.
  setImmediate(() => {
    parser[ON_BODY] = onBody;
  });
}

/** Calls back once if the body comes in very small chunks, or without end. */
export function limitUpload(request: IncomingMessage, refuse: (reason: Refusal) => void): void {
  let [chunks, bytes] = [0, 0];
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    chunks += 1;
    bytes += chunk?.length ?? 0;
    // A body that is one small chunk is fine.
    const isSmall = chunks > 1 && chunk !== null && chunk.length < SMALL_BYTES;
    const isInSmallChunks = isSmall && !takeSmallChunk(request.socket);
    if (isInSmallChunks || bytes > MAX_UPLOAD_BYTES) {
      request.push = chunk => {
        skipParsedChunks(request.socket);
        return chunk === null && push(null);
      };
      refuse(isInSmallChunks ? 'body-in-small-chunks' : 'body-too-large');
      return false;
    }
    return push(chunk, encoding);
  };
}
