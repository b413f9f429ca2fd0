import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Db } from '../../db/connection.ts';
import { findFile, readSealedSlices, type StoredFile } from '../../db/conversations/files.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { type FileSeal, openSlices, SEALED_SLICE, SLICE, sliceCountOf } from '../../platform/file-seal.ts';
import { type ObjectStore, objectNameOf } from '../../platform/object-store.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { isUuid } from '../../platform/uuid.ts';
import { failure } from '../../queues/contract/failure.ts';
import { FILES_PATH } from '../../queues/contract/operations/attachment-shape.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { ApiMiddleware, Ctx, State } from '../context.ts';
import {
  assertMayCall,
  enabledHostsOf,
  makeAuthentication,
  sessionOf,
  type TokenFinder,
  tokenOf,
} from '../guards/authenticate.ts';
import { holdBytes } from '../guards/held-bytes.ts';
import { RefusalError } from '../replies/envelope.ts';
import { makeRefuseOutage, refuseStoreOutage } from '../replies/refuse-outage.ts';
import type { RouteParts } from '../request.ts';
import type { FilePlaces } from './store-uploads.ts';

/*
 * Files of conversations, for two readers:
 *
 *   GET /files/{host}/{file}?expires=…&signature=… --> the channel, for seven days, without a token
 *   GET /files/{host}/{file} --> pages of the console, for sessions of that host
 *
 * A file of another host is like one that does not exist. It is read as it is sent, so that the slowest reader of the largest file
 * holds a quarter of a mebibyte.
 */

const SLICES_READ = 5;
const HELD_BYTES = 2 * SLICES_READ * SEALED_SLICE;

interface FileRef {
  readonly hostId: string;
  readonly id: string;
}

interface ByteRange {
  readonly from: number;
  /** The first byte after it. */
  readonly to: number;
}

export interface FileReader {
  isSigned: FileSeal['isSigned'];
  find(ref: FileRef): Promise<StoredFile | undefined>;
  /** Ends early with an error if the file is deleted meanwhile. */
  read(ref: FileRef, file: StoredFile, range: ByteRange): AsyncGenerator<Buffer>;
}

export function makeFileReader(db: Db, { files: seal, objects }: FilePlaces, outage: OutageLog): FileReader {
  const refuseOutage = makeRefuseOutage(outage);
  const inHost = <T>({ hostId }: FileRef, work: (scope: HostScope) => Promise<T>): Promise<T> =>
    withHost(db, hostId, work).catch(refuseOutage);
  return {
    isSigned: seal.isSigned,
    find: ref => inHost(ref, scope => findFile(scope, ref.id)),
    async *read(ref, { size, sealedKey, objectId }, { from, to }) {
      const key = await seal.openKey(sealedKey, ref.id);
      const last = sliceCountOf(to);
      for (let place = Math.floor(from / SLICE); place < last; place += SLICES_READ) {
        const count = Math.min(SLICES_READ, last - place);
        const slices = { from: place, count, sliceBytes: SEALED_SLICE };
        const sealed =
          objectId === null
            ? await inHost(ref, scope => readSealedSlices(scope, ref.id, slices))
            : await readObject(objects, objectNameOf({ ...ref, objectId }), slices);
        if (!sealed) throw new Error('the file was deleted while it was read');
        const start = place * SLICE;
        yield openSlices(sealed, { key, place, size }).subarray(Math.max(0, from - start), to - start);
      }
    },
  };
}

async function readObject(
  objects: ObjectStore | undefined,
  name: string,
  { from, count, sliceBytes }: { readonly from: number; readonly count: number; readonly sliceBytes: number },
): Promise<Buffer | undefined> {
  // The settings of the store are gone, and files are still there.
  if (!objects) throw new RefusalError(failure('files-unavailable'));
  return objects.read(name, from * sliceBytes, (from + count) * sliceBytes).catch(refuseStoreOutage);
}

/** A person who may list the messages may see their files. */
const listing = operationOf('listMessages');

type FileParts = Pick<RouteParts, 'findToken' | 'rateLimit' | 'heldBytes'> & {
  readonly readFile: FileReader;
};

export function makeFileRoutes({ findToken, rateLimit, heldBytes, readFile }: FileParts): Router<State> {
  const router = new Router<State>();
  const assertSession = makeSessionGuard(findToken, rateLimit);
  const serve: ApiMiddleware = async ctx => {
    const { hostId = '', id = '' } = ctx['params'] as Partial<FileRef>;
    const ref = { hostId, id };
    if (!isUuid(hostId) || !isUuid(id)) throw new RefusalError(failure('file-not-found'));
    const isForChannel = ctx.query['signature'] !== undefined;
    if (isForChannel) assertSigned(ctx, ref, readFile);
    else await assertSession(ctx, ref);
    const file = await readFile.find(ref);
    if (!file) throw new RefusalError(failure('file-not-found'));
    const range = rangeOf(ctx.get('range'), file.size);
    holdBytes(ctx, heldBytes, HELD_BYTES);
    const bytes = range.from < range.to ? await begin(readFile.read(ref, file, range)) : undefined;
    setHeaders(ctx, file, range, { mayShow: !isForChannel });
    if (!bytes) return;
    // Koa pipes a stream with more listeners than Node expects of a response.
    ctx.res.setMaxListeners(20);
    ctx.body = Readable.from(bytes, { objectMode: false });
  };
  router.register(`${FILES_PATH}/:hostId/:id`, ['GET'], [serve] as never);
  return router;
}

/** Reads the first bytes: where they cannot be read, that is the answer, and not one that breaks off. */
async function begin(bytes: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer>> {
  const first = await bytes.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* bytes;
  })();
}

function assertSigned(ctx: Ctx, { hostId, id }: FileRef, { isSigned }: FileReader): void {
  const { signature, expires } = ctx.query;
  const seconds = typeof expires === 'string' && /^\d{1,12}$/.test(expires) ? Number(expires) : 0;
  if (typeof signature !== 'string' || !isSigned({ hostId, id, expires: seconds }, signature))
    throw new RefusalError(failure('file-not-found'));
  if (seconds * 1_000 <= Date.now()) throw new RefusalError(failure('address-expired'));
}

/** Refuses also a token: it may list messages, and an address in a page works for who is signed in. */
function makeSessionGuard(findToken: TokenFinder, rateLimit: ApiMiddleware) {
  const authenticate = makeAuthentication(findToken);
  return async (ctx: Ctx, { hostId }: FileRef): Promise<void> => {
    if (sessionOf(ctx) === undefined) throw new RefusalError(failure('unauthorized'));
    await authenticate(ctx, async () => rateLimit(ctx, async () => undefined));
    const token = tokenOf(ctx);
    assertMayCall(token, listing);
    const isTheirs = enabledHostsOf(token, listing).some(each => each.host_id === hostId.toLowerCase());
    if (!isTheirs) throw new RefusalError(failure('file-not-found'));
  };
}

/** Types of pictures and sounds, which are found in the bytes; an SVG is none of them. */
const shown = /^(?:image|audio)\//;

function setHeaders(
  ctx: Ctx,
  { name, mediaType, size }: StoredFile,
  range: ByteRange,
  { mayShow }: { readonly mayShow: boolean },
): void {
  ctx.attachment(name ?? undefined, { type: mayShow && shown.test(mediaType) ? 'inline' : 'attachment' });
  ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Accept-Ranges', 'bytes');
  ctx.type = mediaType;
  if (range.from >= range.to) {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${size}`);
    return;
  }
  const isPart = range.to - range.from < size;
  ctx.status = isPart ? 206 : 200;
  if (isPart) ctx.set('Content-Range', `bytes ${range.from}-${range.to - 1}/${size}`);
  ctx.length = range.to - range.from;
}

/** Players of sounds ask for one range, with a beginning; any other is answered with the whole. */
function rangeOf(header: string, size: number): ByteRange {
  const [, from = '0', last = ''] = /^bytes=(\d{1,12})-(\d{0,12})$/.exec(header) ?? [];
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  return { from: Number(from), to };
}
