import type { Seal } from '../../platform/seal.ts';
import type { TurnPiece } from '../contract/answer-piece.ts';

/** Returns a function that decrypts the pieces of a job, and passes them on in their order. */
export function openPieces(
  seal: Seal,
  jobId: string,
  onPiece: (piece: TurnPiece) => void,
): (sealed: string) => void {
  let last = Promise.resolve();
  return sealed => {
    const opened = seal.open(sealed, jobId) as Promise<TurnPiece>;
    // One that cannot be decrypted is missing, like one that never came.
    last = last.then(async () => onPiece(await opened)).catch(() => undefined);
  };
}
