import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.ts';

/** Far more than the prompt of a turn. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

const tooLargeRefusal: Refusal = {
  status: 413,
  message: `The request body is larger than ${MAX_BODY_BYTES} bytes.`,
  code: 'request_too_large',
};

/** Undefined when the body is too large; the rest is then read and discarded. */
function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    // The rest is read and discarded: without that, a client that is still sending gets a reset instead of the 413.
    const discardBody = () => {
      pieces.length = 0;
      resolve(undefined);
    };
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) discardBody();
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BODY_BYTES) discardBody();
      else pieces.push(piece);
    });
    request.on('end', () => resolve(Buffer.concat(pieces)));
    request.on('error', reject);
  });
}

/** The parsed body, or the error response. */
export async function readJsonBody(request: IncomingMessage): Promise<{ json: unknown } | Refusal> {
  const bytes = await readBytes(request);
  if (!bytes) return tooLargeRefusal;
  try {
    return { json: JSON.parse(bytes.toString('utf8')) as unknown };
  } catch {
    return { status: 400, message: 'The request body is not valid JSON.', code: 'invalid_json' };
  }
}
