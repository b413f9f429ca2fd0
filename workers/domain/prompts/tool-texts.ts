/* Texts for the model about the steps of a flow. */

const WHEN_TO_CALL = 'Chame quando isto acontecer';
const AS_SOON_AS_KNOWN =
  'Assim que conhecer todos os argumentos obrigatórios, pelo diálogo ou pelos dados da conversa, chame, sem esperar que a pessoa peça';
const ONLY_WITH_OTHER_DATA = 'Já foi feito nesta conversa; chame de novo somente se os dados mudarem';

const endings = {
  handoff: 'Passa o atendimento a uma pessoa da equipe.',
  end: 'Encerra o atendimento depois desta resposta.',
};

/** An instruction under a condition. */
export function formatTrigger(condition: string, description: string): string {
  return `Quando isto acontecer: ${condition}\n${description}`.trim();
}

/** Names the agents to call as soon as their arguments are known, and those to call again only with other data. */
export function formatCalls(waiting: readonly string[], called: readonly string[]): string[] {
  return [
    ...(waiting.length > 0 ? [`${AS_SOON_AS_KNOWN}: ${quoteNames(waiting)}.`] : []),
    ...(called.length > 0 ? [`${ONLY_WITH_OTHER_DATA}: ${quoteNames(called)}.`] : []),
  ];
}

function quoteNames(names: readonly string[]): string {
  return names.map(name => `"${name}"`).join(', ');
}

export function describeEnding(kind: keyof typeof endings, condition: string): string {
  return `${endings[kind]} ${WHEN_TO_CALL}: ${condition}`;
}

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

/* Texts for the model about the tools that every turn offers. */

export const HELP_DESCRIPTION =
  'Chama uma pessoa da equipe para continuar o atendimento. Use quando a pessoa pedir para falar com alguém ' +
  '(customer_request), quando a resposta não estiver no conhecimento e for importante (missing_knowledge), quando ' +
  'o pedido estiver fora do que você faz (unsupported_request), quando uma regra impedir (policy_restriction) ou ' +
  'quando uma função falhar (tool_failure). Depois avise a pessoa.';

/** Follows the description of a function that hands over, where the host has teams. */
export function describeTeams(
  teams: readonly { readonly name: string; readonly description: string }[],
): string {
  const lines = teams.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ''}`);
  return `\nSe o assunto for de uma destas equipes, diga qual em "team":\n${lines.join('\n')}`;
}

export const TEAM_CALLED = 'A equipe foi chamada: uma pessoa vai continuar este atendimento.';

export const TICKET_DESCRIPTION =
  'Abre um chamado para a equipe resolver depois. Use quando a pessoa pedir ou concordar, com o assunto em poucas ' +
  'palavras e a descrição com tudo o que ela disse sobre o pedido.';
export const TICKET_OPENED = 'O chamado foi registrado e a equipe vai dar retorno.';
export const TICKET_EXISTS = 'já há um chamado nesta resposta';

export const CLOSE_DESCRIPTION =
  'Encerra o atendimento depois desta resposta. Use só quando a pessoa se despedir ou pedir.';
export const CONVERSATION_CLOSES = 'O atendimento será encerrado depois desta resposta.';

/* Texts for the model about an agent that it may call. */

export const AGENT_DONE = 'Pronto, os dados foram registrados.';
export const ALREADY_DONE = formatError('isto já foi feito, e só se faz uma vez');
export const NO_MORE_CALLS = formatError('esta função não pode mais ser chamada');

/** A condition of many steps is repeated for each agent of each step: more than this says nothing to a model. */
const MAX_DESCRIPTION_LENGTH = 8_000;

/** Adds the conditions that have room, in order. */
export function describeAgent(description: string, conditions: readonly string[]): string {
  let text = description.slice(0, MAX_DESCRIPTION_LENGTH);
  for (const condition of conditions) {
    if (text.length >= MAX_DESCRIPTION_LENGTH) break;
    text += `\n${WHEN_TO_CALL}: ${condition.slice(0, MAX_DESCRIPTION_LENGTH - text.length)}`;
  }
  return text.toWellFormed();
}

export function formatRejectedArguments(errors: string, mayRetry: boolean): string {
  const advice = mayRetry ? 'Corrija e chame de novo, uma única vez.' : 'Não chame esta função de novo.';
  return `${formatError(`os argumentos não servem: ${errors}`)} ${advice}`;
}
