/** Stands in place of a sentence that is withheld, because a figure of it has no source. */
export const NOT_FOUND = 'Não encontrei essa informação com segurança no meu material.';
