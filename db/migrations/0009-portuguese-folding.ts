/*
 * Both numbers of a noun become one form before the stemmer sees them, for it leaves them apart: `ação` and `ações`,
 * `papel` and `papéis`, `jovem` and `jovens`. Words with accents and without are one already then. Each step is one
 * pass over the text, in this order:
 *
 * 1. Words that a later step or the stemmer would take for another get a mark that nothing takes off: `mês` is no
 *    `mesa`, `casa` no `caso`, `mil` no `mel`, `mais` no `mal`; `formando` is no form of `formar`, as its plural is none.
 *    Short plurals in -is are listed here too.
 * 2. -ões, -ães, -ãos become -ão.
 * 3. -ais, -óis, -uis become -al, -ol, -ul.
 * 4. -il, -éis, -eis, -is become -el: `fácil` and `fáceis` have no other letter in common there.
 * 5. -ns and -n become -m.
 * 6. What the stemmer forgets: -eses, -aus, -eus, -ous, an s after a consonant, and words of three or four letters.
 *
 * A match costs a hundred times a letter, so no step matches what it leaves as it is, and the stemmer gets the rest.
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

/** Knex would put a binding in the place of a question mark. */
const forKnex = (sql: string) => sql.replaceAll('?', String.raw`\?`);

/** The stems of the stop words whose accents are gone: the dictionary knows them with accents alone. */
const stopStems = [
  'ate',
  'depoisz',
  'esta',
  'estav',
  'estiver',
  'estivess',
  'ha',
  'hao',
  'houver',
  'houvera',
  'houveri',
  'houvess',
  'ja',
  'maisz',
  'masz',
  'nao',
  'sao',
  'ser',
  'sera',
  'so',
  'tamb',
  'ter',
  'tera',
  'teri',
  'tinh',
  'tiver',
  'tivess',
  'voc',
  'vosz',
];

export const portugueseFolding = `
  create function fold_words(given text) returns text language sql immutable strict parallel safe
    return ${forKnex(folded)};

  create or replace function search_vector(given text) returns tsvector language sql immutable strict parallel safe
    return ts_delete(to_tsvector('portuguese'::regconfig, fold_words(given)), '{${stopStems.join(',')}}'::text[]);

  -- Matches what holds all words of the text; nothing, where it has no word that anybody would look for.
  create function all_words_query(given text) returns tsquery language sql immutable strict parallel safe
    return (
      select coalesce(string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', '&'), '')
      from unnest(search_vector(given))
      -- Two dots that begin a text are taken for a file, and nowhere else.
      where lexeme ~ '[[:alnum:]]'
    )::tsquery;

  -- What the old function made is made anew: naming the column is what does it.
  update chunks set content = content;
`;
