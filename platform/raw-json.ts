/** A value as its JSON, in UTF-8. Passed on without parsing: reading and writing 4 MB block the event loop for 0.1 s. */
export class RawJson {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
