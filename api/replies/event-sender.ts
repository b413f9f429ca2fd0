import type { ServerResponse } from 'node:http';

/** Proxies close silent connections. */
const COMMENT_EVERY_MS = 10_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  // nginx and similar proxies must not buffer this.
  'X-Accel-Buffering': 'no',
};

/** Server-sent events on a response; the status and the headers are sent with the first. */
export class EventSender {
  readonly #response: ServerResponse;
  readonly #comments: NodeJS.Timeout;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#comments = setInterval(() => this.#sendComment(), COMMENT_EVERY_MS).unref();
    response.once('close', () => this.stopWaiting());
  }

  get isOpen(): boolean {
    return this.#response.headersSent;
  }

  /** True if the client has not read what was sent. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  send({ event, data }: { readonly event?: string; readonly data: unknown }): void {
    this.sendLine(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}`);
  }

  sendLine(line: string): void {
    this.#write(`${line}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  stopWaiting(): void {
    clearInterval(this.#comments);
  }

  #sendComment(): void {
    if (!this.isFull) this.sendLine(': waiting');
  }

  #write(text: string): void {
    // Writing after the reply would end the process.
    if (this.#response.writableEnded) return;
    if (!this.isOpen) this.#response.writeHead(200, HEADERS);
    // A disconnected client gets nothing more.
    this.#response.write(text);
  }
}
