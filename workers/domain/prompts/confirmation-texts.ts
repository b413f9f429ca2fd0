/* Texts for the model about calls that wait for the yes of the person. */

import { formatError } from './tool-texts.ts';

export const ARGUMENTS_TOO_LONG = formatError('os argumentos são longos demais');
/** Nobody knows whether the system has the call. */
export const ARRIVAL_UNKNOWN = `${formatError(
  'não se sabe se este pedido chegou ao sistema',
)} Não o repita. Diga isso à pessoa, e chame a equipe, que precisa verificar.`;
export const REHEARSED =
  'Isto é um ensaio: a chamada não foi feita. Responda como se a pessoa fosse perguntada agora se ela pode ser feita.';

/** The arguments are the model's own, as JSON on one line. */
export function formatAsk(args: string): string {
  return [
    `Ainda não foi feito, porque antes a pessoa precisa dizer sim. Os dados: ${args}`,
    'Diga à pessoa exatamente o que será feito, com estes dados, e peça um sim. Não diga que já foi feito.',
    'Quando ela disser sim na próxima mensagem, chame esta função de novo, com exatamente os mesmos argumentos.',
  ].join('\n');
}

interface NamedCall {
  readonly tool: string;
  readonly arguments: string;
}

export interface CallsToTell {
  readonly waiting: readonly NamedCall[];
  readonly called: readonly NamedCall[];
  readonly answered: readonly NamedCall[];
}

/** Says in the prompt which calls wait for a yes, and how others ended that the person may not know of; '' for none. */
export function formatKnownCalls({ waiting, called, answered }: CallsToTell): string {
  return [
    ...partOf(
      waiting,
      'Estas chamadas ainda não foram feitas, e a pessoa foi perguntada:',
      'Se a última mensagem da pessoa diz sim a isso, chame a função com exatamente estes argumentos. Se ela diz não, muda de assunto ou diz sim a outra coisa, não chame.',
    ),
    ...partOf(
      answered,
      'Estas chamadas já foram feitas, e talvez a pessoa ainda não saiba:',
      'Chamar de novo com os mesmos argumentos não repete nada: devolve a resposta que veio.',
    ),
    ...partOf(
      called,
      'Não se sabe se estas chamadas chegaram ao sistema:',
      'Não as repita. Se a pessoa perguntar, diga isso, e que a equipe precisa verificar.',
    ),
  ].join('\n');
}

function partOf(calls: readonly NamedCall[], before: string, after: string): string[] {
  if (calls.length === 0) return [];
  return [before, ...calls.map(({ tool, arguments: args }) => `- ${tool} ${args}`), after];
}
