/** Tells the model what the tokens are; only where personal identifiers are masked. */
export const MASK_EXPLANATION = [
  'Dados pessoais aparecem como marcas, como [CPF_0] ou [EMAIL_0], mas com números a partir de 1: cada marca está no lugar de um dado verdadeiro, e o sistema o recoloca depois.',
  'Copie as marcas sem mudar nada, com os colchetes, também nos argumentos das funções, mesmo onde se espera outro formato.',
  'Não invente marcas nem diga que o dado está oculto: a pessoa vê o dado verdadeiro.',
].join('\n');
