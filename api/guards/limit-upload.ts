import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { makeTokenBucket, type TokenBucket } from '../../platform/token-bucket.ts';
import { MAX_BODY_BYTES } from '../../queues/contract/body-limit.ts';
import type { Refusal } from '../../queues/contract/failure.ts';

/*
 * Bodies that cost more than their size: Node calls back for each chunk of a chunked body, however small, so bytes sent
 * one by one take the process a hundred times as long as the same bytes at once. And a body may have no end: the rest of
 * one that was refused is read, so that the client reads the response, and a gzip stream may unpack to nothing.
 */

/** A connection has few small chunks of its own, and takes further ones from what all connections share. */
const OWN_SMALL_CHUNKS = 50;
/** The limit is that of one connection: several requests may be sent over it at once. */
const MAX_SMALL_CHUNKS = 1_000;
const SMALL_CHUNKS_PER_SECOND = 100;
const SHARED_SMALL_CHUNKS = 4_000;
const SHARED_SMALL_CHUNKS_PER_SECOND = 2_000;
const SMALL_BYTES = 64;
/** Above what a document may take. */
const MAX_UPLOAD_BYTES = 24 * MAX_BODY_BYTES;

/** The count is that of one connection. */
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
 * callback each, and offers no way to end that. So the callback is removed until this read ends; where there is none, nothing is skipped.
 */
function skipParsedChunks(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Record<number, unknown> | null };
  const onBody = parser?.[ON_BODY];
  if (!parser || typeof onBody !== 'function') return;
  parser[ON_BODY] = null;
  // Before the parser can be given to another connection: that happens when this socket is closed.
  setImmediate(() => {
    parser[ON_BODY] = onBody;
  });
}

/** Calls back once when the body comes in very small chunks, or without end. */
export function limitUpload(request: IncomingMessage, refuse: (reason: Refusal) => void): void {
  let [chunks, bytes] = [0, 0];
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    chunks += 1;
    bytes += chunk?.length ?? 0;
    // A whole body may be small.
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
