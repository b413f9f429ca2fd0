import { make } from './elements.js';
import { Trouble } from './service.js';

const meanings = new Map([
  [0, 'Sem conexão com o serviço'],
  [400, 'Algum campo está errado'],
  [401, 'O token está errado, venceu ou foi revogado'],
  [403, 'Este token não tem permissão para isto'],
  [404, 'Nada foi encontrado'],
  [408, 'A resposta demorou demais'],
  [409, 'É preciso escolher uma instituição'],
  [429, 'Pedidos demais em pouco tempo'],
  [503, 'O serviço está sobrecarregado ou indisponível'],
]);

/**
 * What went wrong, in the page's own language, with the id under which the service's log has it.
 * @param {unknown} error
 * @param {...HTMLElement} actions
 */
export function troubleBox(error, ...actions) {
  const trouble = error instanceof Trouble ? error : new Trouble(-1, String(error));
  const meaning = meanings.get(trouble.status) ?? 'Algo deu errado';
  const fields = trouble.fields.map(({ path }) => make('li', {}, make('code', {}, path)));
  return make(
    'div',
    { className: 'trouble', role: 'alert' },
    make('strong', {}, meaning),
    trouble.status > 0 ? make('p', { className: 'small' }, `Código ${trouble.status}`) : undefined,
    fields.length > 0 ? make('ul', {}, ...fields) : undefined,
    trouble.requestId
      ? make('p', { className: 'small' }, 'Pedido ', make('code', {}, trouble.requestId))
      : undefined,
    ...actions,
  );
}

/** @param {unknown} error */
export function isWorthRetrying(error) {
  return (
    error instanceof Trouble &&
    (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)
  );
}
