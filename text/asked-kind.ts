import { foldTyped } from './typed-words.ts';

/** The kind of answer that a question expects; a sentence that has it is preferred. */
export type AskedKind = 'money' | 'time' | 'contact' | 'number' | 'definition';

const asked: readonly (readonly [AskedKind, RegExp])[] = [
  [
    'money',
    /\b(?:cust(?:a|am|o|os|ava|aria)|preco|precos|valor|valores|cobra|cobram|pag(?:o|a|amos)|mensalidade|taxa|remuneracao|salarios?|vencimentos|quanto (?:e|fica|ficam|sai|saem|sao|da|seria|foi|vou))\b/,
  ],
  [
    'time',
    /\b(?:que horas?|horarios?|abre|abrem|fecha|fecham|(?<!como )funciona(?:m|mento)?|ate que horas|quando|periodos?|datas?|(?:que|qual) (?:e o )?dia)\b/,
  ],
  [
    'definition',
    // "O que é necessário" asks for no definition.
    /\b(?:o que (?:e|sao|era|significa|quer dizer)|quem (?:e|sao|foi|era)|qual (?:e )?[ao] (?:definicao|significado|conceito)) (?!necessari|precis[oa]|indispensave|obrigatori|importante|possivel|melhor|exigid|pedid|cobrad|avaliad|considerad|oferecid|feit[oa]|permitid|proibid|esperad)/,
  ],
  ['contact', /\b(?:telefone|telefones|ligar|ligo|whatsapp|zap|e-mail|email|contato|site|falar com)\b/],
  [
    'number',
    /\b(?:quant(?:[oa]s|a)|quanto tempo|qua(?:l|is) (?:e |foi |era |sera |sao )?(?:o |a |os |as )?(?:prazo|nota|idade|renda)s?|(?:que|qual) (?:ano|mes|epoca|idade|seculo)|prazo)\b/,
  ],
];

/** The kind of answer that the question expects, if it names one. */
export function askedKindOf(query: string): AskedKind | undefined {
  const normalized = foldTyped(query);
  const found = asked.flatMap(([kind, words]) => {
    const at = normalized.search(words);
    return at < 0 ? [] : { kind, at };
  });
  return (
    found.toSorted((a, b) => a.at - b.at)[0]?.kind ?? (/\bquanto\b/.test(normalized) ? 'number' : undefined)
  );
}

const offered: Readonly<Record<AskedKind, RegExp>> = {
  money: /r\$|\breais\b|\bgratuit|\bgratis\b|\bde graca\b|\bisent|\bsem custo\b/,
  time: /\d ?h\b|\bdias? \d|\d:\d\d|\dh\d|\bhoras\b|\d de (?:jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez)|\d\/\d|\b(?:19|20)\d\d\b|\b(?:segunda|terca|quarta|quinta|sexta|sabado|domingo)s?\b/,
  // Masked addresses and numbers count, too, by their tokens.
  contact: /@|\[(?:email|telefone)_\d|\b0800\b|\d{4}-\d{4}|\bwww\.|https?:|\bwhatsapp\b|\bramal\b/,
  number: /\d/,
  // The subject of the question has to begin it: see the ranking.
  // Without its accent the verb is also "and", but then no article follows.
  definition:
    /^(?:[^\s.;:]+ ){1,8}?(?:(?:e|foi|era) (?:um|uma|os?|as?|qualquer|tod[oa]s?|aquel[ea]s?)|sao|consistem?|significa|compreende|refere-se|define-se|constitui-se|entende-se|e entendid[oa]|e definid[oa]) |^(?:entende-se|considera-se|pode-se definir) |^[^:.;]{2,60}: \S/,
};

/** The kinds of answer that a normalized sentence offers. */
export function offeredKindsOf(sentence: string): readonly AskedKind[] {
  return (Object.keys(offered) as AskedKind[]).filter(kind => offered[kind].test(sentence));
}
