import { describeError } from '../errors.ts';
import { make } from './elements.js';

/**
 * The error in Portuguese, with the request id for the log of the service.
 * @param {unknown} error
 * @param {...HTMLElement} actions
 */
export function makeErrorBox(error, ...actions) {
  const { meaning, fields, code, requestId } = describeError(error);
  return make(
    'div',
    { className: 'trouble', role: 'alert' },
    make('strong', {}, meaning),
    code === undefined ? undefined : make('p', { className: 'small' }, `Código ${code}`),
    fields.length > 0 ? make('ul', {}, ...fields.map(text => make('li', {}, text))) : undefined,
    requestId ? make('p', { className: 'small' }, 'Pedido ', make('code', {}, requestId)) : undefined,
    ...actions,
  );
}
