import { DecoratorHandler, type Dispatcher } from 'undici';

/*
 * What a server can send without many bytes of a body: heads like `103 Early Hints` for ever before its response, a
 * body in chunks of one byte, each of which costs the process as much as a kilobyte, and packed bytes that unpack to
 * nothing.
 */

const MAX_EARLY_HEADS = 10;
const MAX_SMALL_CHUNKS = 2_000;
const MIN_MEAN_BYTES = 64;
/** Packed, in one response; servers are asked not to pack. */
const MAX_PACKED_BYTES = 4 * 1_048_576;

type Handler = Required<Dispatcher.DispatchHandler>;

/** Aborts such responses next to the socket, before anything else handles them. */
export function boundResponses(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => {
    const bounded = new DecoratorHandler(handler) as Dispatcher.DispatchHandler as Handler;
    const [onStart, onData] = [bounded.onResponseStart.bind(bounded), bounded.onResponseData.bind(bounded)];
    let [earlyHeads, chunks, bytes] = [0, 0, 0];
    let isPacked = false;
    bounded.onResponseStart = (controller, status, headers, ...rest) => {
      isPacked = headers['content-encoding'] !== undefined;
      if (status >= 200) return onStart(controller, status, headers, ...rest);
      earlyHeads += 1;
      if (earlyHeads > MAX_EARLY_HEADS) controller.abort(new Error('the server sent too many early heads'));
    };
    bounded.onResponseData = (controller, chunk) => {
      chunks += 1;
      bytes += chunk.length;
      const isInSmallChunks = chunks > MAX_SMALL_CHUNKS && bytes < chunks * MIN_MEAN_BYTES;
      if (isInSmallChunks) controller.abort(new Error('the response came in very small chunks'));
      else if (isPacked && bytes > MAX_PACKED_BYTES) controller.abort(new Error('the response is too large'));
      else onData(controller, chunk);
    };
    return dispatch(options, bounded);
  };
}
