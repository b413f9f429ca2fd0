import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.ts';

const MAX_BYTES = 20 * 1024 * 1024;

const tooLarge: Refusal = {
  status: 413,
  message: `The request body is larger than ${MAX_BYTES} bytes.`,
  code: 'request_too_large',
};

/** Undefined when the body is too large; the rest is then read and discarded. */
function bytesOf(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    // A client that is still sending would see a reset instead of the 413 if the rest were not read.
    const refuse = () => {
      pieces.length = 0;
      resolve(undefined);
    };
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) refuse();
    request.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BYTES) refuse();
      else pieces.push(piece);
    });
    request.on('end', () => resolve(Buffer.concat(pieces)));
    request.on('error', reject);
  });
}

/** The parsed body, or the error response. */
export async function jsonBodyOf(request: IncomingMessage): Promise<{ json: unknown } | Refusal> {
  const bytes = await bytesOf(request);
  if (!bytes) return tooLarge;
  try {
    return { json: JSON.parse(bytes.toString('utf8')) as unknown };
  } catch {
    return { status: 400, message: 'The request body is not valid JSON.', code: 'invalid_json' };
  }
}
