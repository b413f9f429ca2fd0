/* Texts for the model about the steps of a flow. */

export const WHEN_TO_CALL = 'Chame quando isto acontecer';
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

/** The agents to call as soon as their arguments are known, and those to call again only with other data. */
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
