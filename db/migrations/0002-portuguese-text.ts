/*
 * The Portuguese stemmer leaves singular and plural of a noun apart (`ação` and `ações`, `papel` and `papéis`, `jovem` and
 * `jovens`), so both get one form first, when accents are removed already. Each step is one pass over the text, in this
 * order:
 *
 * 1. Words that a later step or the stemmer would confuse with another get a mark that nothing removes: `mês` is not
 *    `mesa`, `casa` not `caso`, `mil` not `mel`, `mais` not `mal`; `formando` is not a form of `formar`, as its plural is not.
 *    Short plurals in -is are listed here, too.
 * 2. -ões, -ães, -ãos become -ão.
 * 3. -ais, -óis, -uis become -al, -ol, -ul.
 * 4. -il, -éis, -eis, -is become -el: `fácil` and `fáceis` have no other letter in common there.
 * 5. -ns and -n become -m.
 * 6. What the stemmer misses: -eses, -aus, -eus, -ous, an s after a consonant, and words of three or four letters.
 *
 * A match costs as much as a hundred letters, so no step matches what it leaves unchanged.
 */
const steps: readonly (readonly [pattern: string, replacement: string])[] = [
  [
    String.raw`\m(?:(mas|mais|depois|vos|mae|rei|lei|boi|heroi|jur[ai]|mil|mala|tax[ai]|livr[eo]|(?:banc|barr|bols?|carg|` +
      String.raw`cas|col|cont|cop|mang|mat|mod|pont|port|prat|ram|sac|sol|vel)[ao]|(?:bacharel|doutor|educ|form|gradu|` +
      String.raw`licenci|mestr|orient|vestibul)ando)s?|(deus|gas|mes|res|pais)(?:es)?)\M`,
    String.raw`\1\2z`,
  ],
  [String.raw`(?:oes|aes|aos)\M`, 'ao'],
  [String.raw`([aou])is\M`, String.raw`\1l`],
  [String.raw`(?:ils?|eis|is)\M`, 'el'],
  [String.raw`([aeiou])ns?\M`, String.raw`\1m`],
  [String.raw`([^t]es)es\M|([aeo]u|[bdfgklmprtw])s\M|\m(\w{1,2}[aeo]|[aeiou]\w\wa)s\M`, String.raw`\1\2\3`],
];

const folded = steps.reduce(
  (given, [pattern, replacement]) => `regexp_replace(${given}, '${pattern}', '${replacement}', 'g')`,
  'fold_text(given)',
);

/** Knex treats a question mark as a placeholder. */
const forKnex = (sql: string) => sql.replaceAll('?', String.raw`\?`);

/** Stems of stop words without accents: the dictionary has them with accents only. */
const stopStems =
  'ate,depoisz,esta,estav,estiver,estivess,ha,hao,houver,houvera,houveri,houvess,ja,maisz,masz,nao,sao,' +
  'ser,sera,so,tamb,ter,tera,teri,tinh,tiver,tivess,voc,vosz';

export const portugueseText = `
  -- With a body that is parsed when it is created, the function works under any search path: in an index, and in a restore.
  create function fold_text(given text) returns text language sql immutable strict parallel safe
    return lower(unaccent('unaccent'::regdictionary, given));

  create function fold_words(given text) returns text language sql immutable strict parallel safe
    return ${forKnex(folded)};

  create function search_vector(given text) returns tsvector language sql immutable strict parallel safe
    return ts_delete(to_tsvector('portuguese'::regconfig, fold_words(given)), '{${stopStems}}'::text[]);
`;
