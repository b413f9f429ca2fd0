/* What the steps of a flow add to the instructions of the model. */

export const WHEN_THIS_HAPPENS = 'Quando isto acontecer';
export const AS_SOON_AS_KNOWN =
  'Assim que conhecer todos os argumentos obrigatórios, pelo diálogo ou pelos dados da conversa, chame, sem esperar que a pessoa peça';
export const ONLY_WITH_OTHER_DATA = 'Já foi feito nesta conversa; chame de novo somente se os dados mudarem';
