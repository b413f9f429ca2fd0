import { readFileSync } from 'node:fs';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { findContradictions } from '../../workers/domain/contradictions/find-contradictions.ts';

/** How many of the pairs of `pairs.md` are found, by their kind, and which others are flagged among all of them. */
export async function showPairs(): Promise<void> {
  const text = readFileSync(new URL('pairs.md', import.meta.url), 'utf8');
  const pairs = text
    .split(/^# /m)
    .slice(1)
    .flatMap(section => {
      const [kind = '', ...lines] = section.split('\n');
      return lines.filter(line => line.includes(' / ')).map(line => ({ kind, sides: line.split(' / ') }));
    });
  const passages = pairs.flatMap(({ sides }, pair) =>
    sides.map((side, at) => ({ id: `${pair} ${at}`, content: side.replaceAll('\\n', '\n') })),
  );
  const found = await runInSlices(findContradictions(passages));
  const flagged = found.map(({ kind, places }) => ({
    kind,
    of: places.map(({ id }) => id.split(' ')[0]),
    places,
  }));
  for (const kind of new Set(pairs.map(each => each.kind))) {
    const own = [...pairs.entries()].filter(([, each]) => each.kind === kind);
    const isFound = (pair: number) => flagged.some(({ of }) => of.every(each => each === String(pair)));
    const right = own.filter(([pair]) => isFound(pair) !== kind.startsWith('='));
    console.log(`${kind}: ${right.length} of ${own.length}`);
    if (process.argv.includes('-v'))
      for (const [pair, { sides }] of own)
        if (isFound(pair) === kind.startsWith('=')) console.log(`  ${sides.join(' / ')}`);
  }
  const others = flagged.filter(({ of: [one, other] }) => one !== other);
  console.log(`other pairs flagged: ${others.length}`);
  for (const { kind, places } of others) {
    console.log(`  ${kind}:`);
    for (const { id } of places) console.log(`    ${passages.find(each => each.id === id)?.content}`);
  }
}
