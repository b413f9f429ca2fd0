import { DecoratorHandler, type Dispatcher } from 'undici';
import { makeChunkCounter } from '../../platform/small-chunks.ts';

/*
 * What a server can send without many bytes of a body: heads like `103 Early Hints` for ever before its response, and a
 * body in chunks of one byte.
 */

const MAX_EARLY_HEADS = 10;

type Handler = Required<Dispatcher.DispatchHandler>;

/** Aborts such responses next to the socket, before anything else handles them. */
export function withBoundedResponses(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => {
    const bounded = new DecoratorHandler(handler) as Dispatcher.DispatchHandler as Handler;
    const [onStart, onData] = [bounded.onResponseStart.bind(bounded), bounded.onResponseData.bind(bounded)];
    const comesInSmallChunks = makeChunkCounter();
    let earlyHeads = 0;
    bounded.onResponseStart = (controller, status, ...rest) => {
      if (status >= 200) return onStart(controller, status, ...rest);
      earlyHeads += 1;
      if (earlyHeads > MAX_EARLY_HEADS) controller.abort(new Error('the server sent too many early heads'));
    };
    bounded.onResponseData = (controller, chunk) => {
      if (comesInSmallChunks(chunk.length))
        controller.abort(new Error('the response came in very small chunks'));
      else onData(controller, chunk);
    };
    return dispatch(options, bounded);
  };
}
