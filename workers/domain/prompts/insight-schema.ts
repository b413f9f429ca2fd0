const text = (description: string) => ({ type: 'string', description });
const number = (description: string) => ({ type: 'number', description });

/** The descriptions are part of the request: the model reads them. */
export const insightProperties = {
  dialogue_summary: text(
    'Resumo de toda a conversa em até quatro frases, juntando o resumo anterior ao que é novo.',
  ),
  user_name: text('Nome da pessoa, somente como ela mesma o disse; vazio se ela não o disse.'),
  main_topic: text('Assunto principal, em poucas palavras.'),
  tip: text('Uma sugestão para quem atende: o próximo passo.'),
  heat_score: number('Interesse da pessoa, de 0 (nenhum) a 100 (pronta para agir).'),
  heat_score_description: text('Por que esse interesse, em uma frase.'),
  sentiment_score: number('Sentimento da pessoa, de -1 (muito insatisfeita) a 1 (muito satisfeita).'),
  sentiment_score_explanation: text('Por que esse sentimento, em uma frase.'),
  categories: { type: 'array', items: { type: 'string' }, description: 'Até cinco categorias curtas.' },
};

/**
 * Strict mode: all properties required, no others allowed. Ranges are described in words, because some providers
 * reject them in schemas.
 */
export const insightSchema = {
  type: 'object',
  properties: insightProperties,
  required: Object.keys(insightProperties),
  additionalProperties: false,
} as const;
