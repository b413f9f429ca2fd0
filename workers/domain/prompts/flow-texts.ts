/* Texts for the model about the steps of a flow. */

export const WHEN_THIS_HAPPENS = 'Quando isto acontecer';
export const WHEN_TO_CALL = 'Chame quando isto acontecer';
export const AS_SOON_AS_KNOWN =
  'Assim que conhecer todos os argumentos obrigatórios, pelo diálogo ou pelos dados da conversa, chame, sem esperar que a pessoa peça';
export const ONLY_WITH_OTHER_DATA = 'Já foi feito nesta conversa; chame de novo somente se os dados mudarem';

const endings = {
  handoff: 'Passa o atendimento a uma pessoa da equipe.',
  end: 'Encerra o atendimento depois desta resposta.',
};

export function describeEnding(kind: keyof typeof endings, condition: string): string {
  return `${endings[kind]} ${WHEN_TO_CALL}: ${condition}`;
}
