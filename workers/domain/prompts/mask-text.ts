/** Tells the model what the tokens are; only where personal identifiers are masked. */
export const MASK_EXPLANATION = [
  'Dados pessoais aparecem como marcas, por exemplo [CPF_1], [TELEFONE_2] ou [EMAIL_1]: cada marca está no lugar de um dado verdadeiro, e o sistema o recoloca depois.',
  'Copie as marcas sem mudar nada, com os colchetes, também nos argumentos das funções, mesmo onde se espera outro formato.',
  'Não invente marcas nem diga que o dado está oculto: a pessoa vê o dado verdadeiro.',
].join('\n');
