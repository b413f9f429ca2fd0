/** More than any answer needs, and little enough to hold a few of them. */
const LARGEST = 4 * 1_048_576;
/** What all events of one answer may be together, and of one stream in its whole life. */
const LARGEST_EVENTS = 2 * LARGEST;
const LONGEST_STREAM = 16 * LARGEST;

/** The response, which fails once it turns out to be too large; what is counted is unpacked already. */
export function cappedResponse(response: Response, { isStream }: { isStream: boolean }): Response {
  const { status, statusText, headers, body } = response;
  if (!body) return response;
  const hasEvents = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const largest = isStream ? LONGEST_STREAM : LARGEST_EVENTS;
  const cap = hasEvents ? sizeCap({ most: largest, mostAtOnce: LARGEST }) : sizeCap({ most: LARGEST });
  const capped = new Response(body.pipeThrough(cap), { status, statusText, headers });
  Object.defineProperty(capped, 'url', { value: response.url });
  return capped;
}

/** `mostAtOnce`: between two blank lines, which is what a reader of events has to hold. */
function sizeCap({ most, mostAtOnce = most }: { most: number; mostAtOnce?: number }) {
  let all = 0;
  let held = 0;
  let last = Buffer.alloc(0);
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      all += chunk.byteLength;
      held += chunk.byteLength;
      if (mostAtOnce < most) {
        const seen = Buffer.concat([last, chunk]);
        const end = endOfEvents(seen);
        if (end >= 0) held = seen.length - end;
        last = seen.subarray(-3);
      }
      if (all > most || held > mostAtOnce) controller.error(new Error('this answer is too large'));
      else controller.enqueue(chunk);
    },
  });
}

/** Behind the last blank line, in any of its three spellings; -1 where there is none. */
function endOfEvents(bytes: Buffer): number {
  const ends = ['\n\n', '\r\r', '\r\n\r\n'].map(blank => {
    const at = bytes.lastIndexOf(blank);
    return at < 0 ? -1 : at + blank.length;
  });
  return Math.max(...ends);
}
