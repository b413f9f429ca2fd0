import MiniSearch from 'minisearch';
import { makeMasking, maskAlone } from '../workers/domain/masking/masking.ts';
import { joinQuery, retrievalQueryOf } from '../workers/domain/retrieval/retrieval-query.ts';
import type { QuestionSet } from './retrieval/question-set.bench.ts';
import { questionSets } from './retrieval/question-sets.bench.ts';

/*
 * Time of masking for 4 KB of several texts, as processor time, and what it does to retrieval. The search by words reads the
 * plain question, so only the embedder gets tokens. In its place a search by words stands here, over the same texts that
 * an embedder gets: plain, and masked.
 */

const LENGTH = 4_096;
const ROUNDS = 200;
const TRIES = 5;

const message =
  'Olá, sou a Ana da Silva, meu CPF é 529.982.247-25, o telefone (11) 98888-7777 e o e-mail ana@exemplo.com.br. ' +
  'Perdi o prazo da matrícula de 12/03/2026 e queria saber quanto custa, se ainda dá tempo e onde fica a secretaria. ';
const prose = message.replaceAll(/[0-9@]+/g, '');
const phones = Array.from({ length: 400 }, (_, at) => `11 9${81_234_567 + 977 * at}`).join(', ');
const texts: Readonly<Record<string, string>> = {
  'prose without numbers': prose,
  'messages of persons': message,
  'phone numbers only': phones,
  'digits apart': '1 9 4 2 '.repeat(600),
  'digits in groups': '52.9.982.'.repeat(500),
  'another script': 'Иван, тел. ９８８８８-７７７７ '.repeat(200),
};

console.log(`processor time for ${LENGTH} characters, the best of ${TRIES}`);
for (const [name, unit] of Object.entries(texts)) {
  const text = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
  const masked = maskAlone(text);
  const count = masked.match(/\[[A-Z]+_\d+\]/g)?.length ?? 0;
  const masking = makeMasking();
  masking.mask(text);
  const times = [timeOf(() => maskAlone(text)), timeOf(() => masking.unmask(masked))];
  const [mask, unmask] = times.map(time => `${time.toFixed(3)} ms`);
  console.log(`  ${name.padEnd(24)}mask ${mask}  unmask ${unmask}  (${count} identifiers)`);
}

for (const set of questionSets()) {
  const masked = set.passages.filter(passage => maskAlone(passage) !== passage).length;
  console.log(
    `\n${set.name}: ${set.questions.length} questions, ${masked} of ${set.passages.length} passages are masked`,
  );
  for (const [name, change] of [
    ['plain', (text: string) => text],
    ['masked', maskAlone],
  ] as const)
    console.log(`  ${name.padEnd(10)}${figuresOf(set, change)}`);
}

function timeOf(run: () => unknown): number {
  const times = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < ROUNDS; round++) run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / ROUNDS;
  });
  return Math.min(...times);
}

function figuresOf({ passages, questions }: QuestionSet, change: (text: string) => string): string {
  const index = new MiniSearch({ fields: ['text'] });
  index.addAll(passages.map((text, id) => ({ id, text: change(text) })));
  const places = questions.map(({ text, earlier, passage }) => {
    const query = change(joinQuery(retrievalQueryOf(text, earlier)));
    return index.search(query).findIndex(({ id }) => id === passage) + 1;
  });
  const share = (most: number) => places.filter(place => place > 0 && place <= most).length / places.length;
  return `hit@1 ${share(1).toFixed(3)}  hit@5 ${share(5).toFixed(3)}`;
}
