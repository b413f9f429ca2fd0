/** Why a document was not imported. What is in `docs/documents.md`, too. */
export const unreadableReasons = [
  'wrong-kind',
  'encrypted',
  'broken',
  'no-text',
  'too-large',
  'too-many-pages',
  'too-many-passages',
  'too-slow',
  'too-much-memory',
  'front-matter-invalid',
  'address-refused',
  'unreachable',
  'dataset-deleted',
  'interrupted',
] as const;
export type UnreadableReason = (typeof unreadableReasons)[number];

export class UnreadableError extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason) {
    super(`the document cannot be read: ${reason}`);
    this.name = 'UnreadableError';
    this.reason = reason;
  }
}
