import { counted, make } from './elements.js';
import { ServiceError } from './service.js';

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
 * Field errors of the service that fields of this page can cause.
 * @type {readonly (readonly [RegExp, (figure: string) => string])[]}
 */
const kinds = [
  [/^is required|^is not allowed to be empty/, () => 'é preciso preencher'],
  [/(\d+) characters/, most => `só cabem ${counted(Number(most), 'caractere', 'caracteres')}`],
  [/at least (\d+) digits?/, least => `precisa de pelo menos ${counted(Number(least), 'dígito', 'dígitos')}`],
  [/must be a date/, () => 'não é uma data'],
  [/must be after startDate/, () => 'tem de vir depois do início'],
  [/at most (\d+) years?/, most => `pode vir até ${counted(Number(most), 'ano', 'anos')} depois do início`],
];
const labels = new Map([
  ['question', 'Mensagem'],
  ['userData.name', 'Nome'],
  ['userData.email', 'E-mail'],
  ['host_slug', 'Identificador da instituição'],
  ['query', 'Busca'],
  ['phone', 'Telefone'],
  ['startDate', 'De'],
  ['endDate', 'Até'],
]);

/**
 * The error in Portuguese, with the request id for the log of the service.
 * @param {unknown} error
 * @param {...HTMLElement} actions
 */
export function errorBox(error, ...actions) {
  const trouble = error instanceof ServiceError ? error : new ServiceError(-1, String(error));
  const meaning = meanings.get(trouble.status) ?? 'Algo deu errado';
  const fields = trouble.fields.map(field => make('li', {}, inPortuguese(field)));
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

/**
 * Without a Portuguese text only the name of the field is shown.
 * @param {{ path: string, message: string }} field
 */
function inPortuguese({ path, message }) {
  const label = labels.get(path) ?? path;
  for (const [form, say] of kinds) {
    const found = form.exec(message);
    if (found) return `${label}: ${say(found[1] ?? '')}`;
  }
  return label;
}

/** @param {unknown} error */
export function isWorthRetrying(error) {
  return (
    error instanceof ServiceError &&
    (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)
  );
}
