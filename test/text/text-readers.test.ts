import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { folderOf, root, sourceFiles } from '../support/source-files.ts';
import { READERS } from './text-readers.ts';

/** Rooms whose functions have input and output, with where their readers are tested; every other folder is looked at. */
const OTHER_ROOMS: Readonly<Record<string, string>> = {
  api: 'bounds of bodies and headers: test/api',
  bench: 'reads its own texts',
  commands: 'reads what an operator types',
  console: 'runs in the browser of the one who waits: test/console',
  db: 'SQL',
  'offline-model': 'a process of its own: test/offline-model',
  platform: 'settings, logs, batches: test/platform',
  queues: 'shapes and transport: test/queues',
  test: 'reads its own texts',
  workers: 'all but workers/domain reads and writes; its parsers: test/workers',
};

const roomOf = (path: string) => (path.startsWith('workers/domain/') ? 'workers/domain' : folderOf(path));

/** Has tests of its own in `test/long`, which begin at its parser and at what trusts a payment. */
const APART =
  /^workers\/domain\/(wpp-parsed|payments)\/|^text\/(alphanumerics|bare-url|char-kind|payment-codes|string-search)\.ts/;

/** These read numbers, times, and texts of ours or of one line. */
const EXEMPT = new Set(
  `pauseBeforeNext isPublicAddress bytesOf costOf costOfEach decimalOf contractOn isCpf isEmpty missingFieldErrorsOf fileOf fieldPlacesOf
  missingGroupsOf makeSupport adjustmentFor makeToolName fuseScores spaceOf vectorsIn formSchemaOf
  coverageOf indexScoreOf mergeByRank instantOfLocalTime localTimeAt dayAfter dateAt daysOf exceedsYears monthsOf clockLineOf clockFactsOf valueOfDigit languageTextsOf
  audioKindOf hasTextAt mp3SecondsOf mp4SecondsOf oggSecondsOf opusSecondsOf webmSecondsOf spokenLabelOf imageTypeOf mediaTypeOf shownLabelOf
  isOver observedOf`.split(/\s+/),
);

/** Together they lead to every function. */
const SAMPLES = [
  '{"a": 1}',
  '---\ncurso: Direito\nturnos: [manhã, "noite"]\nvagas:\n- 10\n---\nOi, 11.222.333/0001-81.',
  'Custa vinte e cinco reais até 1º de março de 2026, ou 3 de abril.',
  'As provas do 1º semestre de 2027 começam em March 3rd, 2027.',
  '---\ncurso :: Direito\n---\n',
  'Curso\n---\nAula\n---\n-- curso = Direito\n',
  'CNPJ 12.ABC.345/01DE-35, 12ABC34501DE35 e 1 1 2 2 2 3 3 3 0 0 0 1 8 1',
  `Sala ٩, boletos ${'3419 '.repeat(11)}500; ${'8467 '.repeat(12)}`,
  'a '.repeat(9_000),
];

describe('the readers of strangers’ texts, whose time must grow with the length only,', () => {
  it('are all functions that a file exports whose room has no input and output', async () => {
    const files = sourceFiles()
      .map(({ path }) => path)
      .filter(path => !(roomOf(path) in OTHER_ROOMS));
    expect(files.length).to.be.above(100);
    const exported = new Map<string, string[]>();
    for (const file of files) {
      const names = Object.entries((await import(pathToFileURL(join(root, file)).href)) as object);
      exported.set(
        file,
        names.flatMap(([name, value]) =>
          typeof value === 'function' && !String(value).startsWith('class') ? name : [],
        ),
      );
    }
    const texts = SAMPLES;
    const calls = await callsOf(() => {
      for (const read of Object.values(READERS)) for (const text of texts) read(text);
    });
    const isExempt = (file: string, name: string) => APART.test(file) || EXEMPT.has(name);
    const missing = [...exported].flatMap(([file, names]) => {
      const called = calls.get(pathToFileURL(join(root, file)).href) ?? new Set();
      return names.filter(name => !called.has(name) && !isExempt(file, name)).map(name => `${file}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });
});

/** Names of the functions of each file that were called. */
async function callsOf(run: () => void): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return new Map(
    result.map(({ url, functions }) => [
      url.split('?')[0] ?? '',
      new Set(functions.filter(({ ranges }) => ranges[0]?.count).map(({ functionName }) => functionName)),
    ]),
  );
}
