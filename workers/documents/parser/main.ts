/*
 * A process that reads documents of others, one at a time, for the worker that started it: a document that makes it hang or
 * grow costs this process only. It has no settings, no database and no network of its own, and ends with the worker.
 */

import type { UnreadableReason } from '../../../queues/contract/operations/document-shape.ts';
import { UnreadableError } from '../unreadable.ts';
import { type ReadRequest, readDocument } from './read-document.ts';
import { partsOf } from './result-parts.ts';

export type ParserMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'page'; readonly done: number; readonly total: number }
  | { readonly kind: 'part'; readonly part: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'unreadable'; readonly reason: UnreadableReason };

const send = (message: ParserMessage) => void process.send?.(message);

process.on('disconnect', () => process.exit(0));
process.on('message', (request: ReadRequest) => {
  readDocument(request, (done, total) => send({ kind: 'page', done, total })).then(
    result => {
      for (const part of partsOf(result)) send({ kind: 'part', part });
      send({ kind: 'end' });
    },
    error => send({ kind: 'unreadable', reason: error instanceof UnreadableError ? error.reason : 'broken' }),
  );
});
send({ kind: 'ready' });
