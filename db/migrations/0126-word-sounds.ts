/**
 * A word as it sounds, so that one written by ear is looked up instead of compared with every word: `istorico` sounds like
 * `historico`, `trankar` like `trancar`, `colasao` like `colacao`. In this order: letters that may sound alike become one, s and c too,
 * because words have lost their cedillas; doubled letters; l and r after a
 * consonant; l and u before one; -am and -ao; the vowel before `st` and its like.
 */
export const wordSounds = String.raw`
  create function sound_of(word text) returns text language sql immutable strict parallel safe
    return regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
      translate(replace(replace(word, 'que', 'ce'), 'qui', 'ci'), 'kqszxjyweonh', 'cccccgiuium'),
      '(.)\1+', '\1', 'g'), '([bcfgptv])l', '\1r', 'g'), 'l([^aiu]|$)', 'u\1', 'g'), 'a(u|um|m)$', 'au'), '^ic([^aiu])', 'c\1');

  alter table chunk_words add column sound text collate "C" generated always as (sound_of(word)) stored;
  create index on chunk_words (host_id, sound);
`;
