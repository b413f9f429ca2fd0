import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.ts';

/** Far more than the prompt of a turn. */
const MAX_BYTES = 20 * 1024 * 1024;

/** The parsed body, or the error response. One that is too large is read to its end: else its sender gets a reset, and no answer. */
export async function readJsonBody(request: IncomingMessage): Promise<{ json: unknown } | Refusal> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length <= MAX_BYTES) pieces.push(piece);
  }
  if (length > MAX_BYTES) {
    const message = `The request body is larger than ${MAX_BYTES} bytes.`;
    return { status: 413, message, code: 'request_too_large' };
  }
  try {
    return { json: JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown };
  } catch {
    return { status: 400, message: 'The request body is not valid JSON.', code: 'invalid_json' };
  }
}
