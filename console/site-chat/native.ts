const isNative = (made: unknown) =>
  typeof made === 'function' && Function.prototype.toString.call(made).includes('[native code]');

/**
 * The browser's own functions. Old pages have a `fetch`, a `URL` or a `JSON` of theirs: beside one, those of an empty frame, which no
 * script of the page has touched. Without an origin there is none such.
 */
export const native: typeof globalThis = findNative();

function findNative(): typeof globalThis {
  const { fetch, URL, Promise, TextDecoderStream, JSON } = globalThis;
  const used = [fetch, URL, Promise, TextDecoderStream, JSON.parse, JSON.stringify];
  if (used.every(isNative)) return globalThis;
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.documentElement.append(frame);
  try {
    const inFrame = frame.contentWindow as (Window & typeof globalThis) | null;
    return inFrame && isNative(inFrame.fetch) ? inFrame : globalThis;
  } catch {
    return globalThis;
  }
}
