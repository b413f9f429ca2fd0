import { gzipSync } from 'node:zlib';
import type { Ctx } from './context.ts';

export interface ZippedContent {
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

export function zip(plain: Buffer): ZippedContent {
  return { plain, zipped: gzipSync(plain, { level: 9 }) };
}

/** Sends it compressed if the client accepts that and it is smaller. */
export function sendZipped(ctx: Ctx, { plain, zipped }: ZippedContent): void {
  ctx.vary('Accept-Encoding');
  const isZipped = zipped.length < plain.length && ctx.acceptsEncodings('gzip') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isZipped ? zipped : plain;
}
