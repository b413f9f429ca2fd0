import { formatCount } from './format.ts';
import { ServiceError } from './service.ts';
import { labels } from './words.ts';

/* Errors of the service in Portuguese. */

const statusTexts = new Map([
  [0, 'Sem conexão com o serviço'],
  [400, 'Algum campo está errado'],
  [401, 'O acesso está errado, venceu ou foi revogado'],
  [403, 'O seu acesso não permite isto'],
  [404, 'Nada foi encontrado'],
  [408, 'A resposta demorou demais'],
  [409, 'É preciso escolher uma instituição'],
  [429, 'Pedidos demais em pouco tempo'],
  [503, 'O serviço está sobrecarregado ou indisponível'],
]);

/** Texts for messages whose status does not say enough. */
const messageTexts = new Map([
  [
    'This sub_slug is already taken by another avatar of the host',
    'Este identificador já é de outro assistente',
  ],
  ['The last avatar of a host cannot be deleted', 'É o único assistente: crie outro antes de excluir este'],
  [
    'The flow was changed after expectedUpdatedAt',
    'Outra pessoa salvou este fluxo depois que você o abriu: recarregue a página. As suas mudanças ficam.',
  ],
  ['The host has reached its limit for such objects', 'A instituição chegou ao limite'],
  [
    'Stored evaluation cases would fail with this change',
    'Nada foi salvo: com estas mudanças, casos guardados deixariam de passar',
  ],
  [
    'The configuration was changed while the cases were rehearsed: save again',
    'Algo mudou enquanto os casos eram conferidos: salve de novo',
  ],
  ['Another person of the host has this email', 'Este e-mail já é de outra pessoa da equipe'],
  ['The person is disabled', 'Esta pessoa está desativada'],
  [
    'The last admin of a host cannot be disabled or get another role',
    'É a última pessoa que administra: dê antes esse papel a outra',
  ],
  ['The webhook is disabled', 'Este webhook está pausado'],
  ['The host is disabled', 'A instituição está desativada: nada foi apagado'],
  ['budget exceeded', 'O orçamento da instituição para os modelos acabou'],
]);

/** Field errors of the service that people can cause on these pages. */
const fieldTexts: readonly (readonly [RegExp, (figure: string) => string])[] = [
  [/^is required|^is not allowed to be empty/, () => 'é preciso preencher'],
  [/(\d{1,9}) characters/, most => `só cabem ${formatCount(Number(most), 'caractere', 'caracteres')}`],
  [
    /at least (\d+) digits?/,
    least => `precisa de pelo menos ${formatCount(Number(least), 'dígito', 'dígitos')}`,
  ],
  [/must be a string or a number/, () => 'precisa ser um texto ou um número'],
  [/must be a whole number/, () => 'precisa ser um número inteiro'],
  [
    /must be a URL|must begin with http/,
    () => 'precisa ser um endereço inteiro, como https://exemplo.com.br',
  ],
  [/must not lead to a private/, () => 'leva a uma rede privada, e quem instalou o Parley não permite esta'],
  [/is not among the commands/, () => 'não está entre os que quem instalou o Parley permite'],
  [/is there twice/, () => 'está duas vezes'],
  [/must not have a header twice/, () => 'um deles está duas vezes'],
  [/has an invalid header name/, () => 'o nome não é de um cabeçalho'],
  [/has characters that no header/, () => 'tem letras que um cabeçalho não pode ter'],
  [/must be sent again/, () => 'precisa ser escrito de novo: o endereço é de outro servidor'],
  [/has no value to keep/, () => 'não há valor guardado'],
  [/cannot be set/, () => 'não pode ser mudado'],
  [/is too long/, () => 'é longo demais'],
  [/must be a date/, () => 'não é uma data'],
  [/must be after startDate/, () => 'tem de vir depois do início'],
  [
    /at most (\d+) years?/,
    most => `pode vir até ${formatCount(Number(most), 'ano', 'anos')} depois do início`,
  ],
];

export interface ErrorText {
  readonly meaning: string;
  /** One text for each field of the form that is wrong. */
  readonly fields: readonly string[];
  /** Undefined if there was no answer. */
  readonly code: number | undefined;
  /** Operators find the request in the log by it. */
  readonly requestId: string;
}

export function describeError(error: unknown): ErrorText {
  const { message, status, fields, requestId } =
    error instanceof ServiceError ? error : new ServiceError(-1, String(error));
  const meaning = messageTexts.get(message) ?? statusTexts.get(status) ?? 'Algo deu errado';
  return { meaning, fields: fields.map(describeField), code: status > 0 ? status : undefined, requestId };
}

/** A problem without a Portuguese text gives only the name of the field. */
export function describeField({
  path,
  message,
}: {
  readonly path: string;
  readonly message: string;
}): string {
  const label = labels.get(path) ?? path.replace(/^config\.headers\./, 'Cabeçalho ');
  for (const [form, format] of fieldTexts) {
    const found = form.exec(message);
    if (found) return `${label}: ${format(found[1] ?? '')}`;
  }
  return label;
}

/** Whether the connection failed. */
export const isLost = (error: unknown): boolean => error instanceof ServiceError && error.status === 0;

export function isWorthRetrying(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)
  );
}
