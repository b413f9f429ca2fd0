import type { UnreadableReason } from '../../queues/contract/operations/document-shape.ts';

/** The document is not imported, for a reason that its owner can understand. */
export class UnreadableError extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason) {
    super(`the document cannot be read: ${reason}`);
    this.name = 'UnreadableError';
    this.reason = reason;
  }
}
