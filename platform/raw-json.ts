/** A value as its JSON, in UTF-8. It is passed on without parsing, which would block the event loop for tens of milliseconds. */
export class RawJson {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Where it is stored as a part of another value. */
  toJSON(): unknown {
    return JSON.parse(this.bytes.toString());
  }
}
