/**
 * The JSON of a value in UTF-8, in pieces that may be cut anywhere. It travels without being parsed or copied into one buffer,
 * because either would block the event loop for tens of milliseconds.
 */
export class RawJson {
  readonly pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  /** In bytes. */
  get length(): number {
    return lengthOfPieces(this.pieces);
  }

  parse(): unknown {
    return JSON.parse(joinPieces(this.pieces).toString());
  }

  /** Called when it is stored as a part of another value. */
  toJSON(): unknown {
    return this.parse();
  }
}

export function lengthOfPieces(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** A single piece is not copied. */
export function joinPieces(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first ? first : Buffer.concat(pieces);
}
