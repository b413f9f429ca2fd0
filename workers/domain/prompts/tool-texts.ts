/* Texts for the model about its tool calls: invalid arguments, failed calls, results. */

export const NOT_JSON = 'os argumentos não são JSON';
export const NOT_AN_OBJECT = 'os argumentos não são um objeto JSON';
export const TOO_DEEP = 'os argumentos têm níveis demais';
export const CUT_OFF = '(cortado)';
export const UNKNOWN_TOOL = 'não existe uma função com esse nome';
export const NO_RESULT = '(sem resultado)';
export const CALL_TIMED_OUT = 'a função não respondeu a tempo';
export const CALL_FAILED = 'a função falhou';

export function formatError(error: string): string {
  return `Erro: ${error}.`;
}

export function formatInvalidArguments(path: string, message: string): string {
  return `Erro: argumentos inválidos: ${path} ${message}`;
}

export function formatServerFailure(reason: string): string {
  return formatError(`a ferramenta não respondeu (${reason})`);
}
