import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { queueNames } from '../queues/contract/queues.ts';
import { architecturePage, drawingForm, drawRooms, floors, roomImports } from './support/draw-rooms.ts';
import { folderOf, importsIn, root, type SourceFile, sourceFiles } from './support/source-files.ts';

/*
 * The import rules, checked in the imports of all files:
 *   api -> queues <- workers -> db -> types of queues/contract,   workers -> workers/domain -> text <- offline-model,   queues/transport -> queues/contract
 *
 * All of them may use platform, which uses nothing of the project; db, text and workers/domain only its shared rules. Type
 * imports count, too, except from db and console of queues/contract: a row is read in the form in which it is answered.
 */

/** All files except this one, which contains the forbidden texts. */
const files = sourceFiles().filter(({ path }) => path !== 'test/architecture.test.ts');
/** Folders that may import everything, and that nobody imports. */
const outermost = ['commands', 'test', 'bench'];
/** The files of db that api may import. */
const apiDbFiles = [
  'assistants/site-chats',
  'conversations/attachments',
  'conversations/chat-histories',
  'conversations/file-objects',
  'conversations/files',
  'conversations/notice-channel',
  'conversations/site-chat-counts',
  'conversations/visitor-messages',
  'database-checks',
  'events/callback-webhook',
  'hosts/sessions',
  'hosts/token-text',
  'hosts/tokens',
  'intake/crm-sources',
  'knowledge/document-uploads',
  'process-metrics',
  'replies',
  'with-hosts',
].map(name => `db/${name}.ts`);

/** These connect to the database, or are given that connection. */
const connecting =
  'console/notices documents/read-file documents/store-uploads health/watch-health openai/chat-history replies/callback replies/refuse-outage site-chat/site-chats start'
    .split(' ')
    .map(name => `api/${name}.ts`);

const inPlatform = (name: string) => `platform/${name}.ts`;
/** Every folder shares these: rules for one value, which import nothing else. */
const sharedRules = [
  'allowed-address',
  'error-reason',
  'field-error',
  'json-object',
  'refused-login',
  'storable-text',
  'uuid',
].map(inPlatform);
/** The connections of db and queues share these. */
const ofConnections = ['silent-connections', 'listen-channel', 'start-attempts'].map(inPlatform);

const contractTypes = /\bimport type [^;]*?from '[^']*\/queues\/contract\/[^']+'/g;
/** The files without what they import of the types of queues/contract. */
const withoutContractTypes = (of: readonly SourceFile[]) =>
  of.map(file => ({ ...file, ...importsIn(file.path, file.text.replaceAll(contractTypes, '')) }));

const inFolder = (...folders: string[]) => files.filter(({ path }) => folders.includes(folderOf(path)));
const inner = files.filter(({ path }) => !outermost.includes(folderOf(path)));

/** The imports, as `from -> to`, that a rule does not allow. */
function breaches(of: readonly SourceFile[], isAllowed: (to: string, from: string) => boolean): string[] {
  return of.flatMap(({ path, imports }) =>
    imports.filter(to => !isAllowed(to, path)).map(to => `${path} -> ${to}`),
  );
}

describe('the import reader of these tests', () => {
  it('finds every way of importing, and nothing in comments', () => {
    const text = `
      import a from './a.ts';
      import { type B,
        c } from "../b.ts";
      import type { D } from './d.ts';
      export { e } from './e.ts';
      export * from './f.ts';
      import './g.ts';
      const h = await import('./h.ts');
      type I = import('./i.ts').I;
      import { readFile } from 'node:fs/promises';
      // import x from './comment.ts';
      /* import y from './comment.ts'; */
      const url = 'https://example.com'; import { j } from './j.ts';
    `;
    const { imports, packages } = importsIn('x/y/z.ts', text);
    const beside = 'a d e f g h i j'.split(' ').map(name => `x/y/${name}.ts`);
    expect(imports).to.have.members([...beside, 'x/b.ts']);
    expect(packages).to.deep.equal(['node:fs/promises']);
  });

  it('reads the whole project, and every import names an existing file', () => {
    expect(files.map(({ path }) => path)).to.include.members([
      'api/app.ts',
      'workers/domain/prompts/prompt.ts',
      'platform/config.ts',
    ]);
    const known = new Set(files.map(({ path }) => path));
    const isThere = (to: string) => known.has(to) || existsSync(join(root, to));
    // A few tests contain programs as text, whose imports do not count.
    expect(breaches(inner, isThere)).to.deep.equal([]);
  });
});

describe('the import rules', () => {
  it('lets api import platform, queues and the listed files of db', () => {
    const isAllowed = (to: string, from: string) =>
      ['platform', 'api', 'queues'].includes(folderOf(to)) ||
      apiDbFiles.includes(to) ||
      (connecting.includes(from) && to === 'db/connection.ts');
    expect(breaches(inFolder('api'), isAllowed)).to.deep.equal([]);
  });

  it('lets workers import platform, text, queues and db', () => {
    const isAllowed = (to: string) => ['platform', 'text', 'workers', 'queues', 'db'].includes(folderOf(to));
    expect(breaches(inFolder('workers'), isAllowed)).to.deep.equal([]);
  });

  it('lets platform import nothing, text only shared rules, db also types of queues/contract and what its connections share with queues, and queues only platform', () => {
    for (const [folder, shared] of [
      ['platform', sharedRules],
      ['db', [...sharedRules, ...ofConnections]],
      ['text', sharedRules],
    ] as const) {
      const own = folder === 'db' ? withoutContractTypes(inFolder(folder)) : inFolder(folder);
      expect(breaches(own, to => folderOf(to) === folder || shared.includes(to))).to.deep.equal([]);
    }
    expect(breaches(inFolder('queues'), to => ['queues', 'platform'].includes(folderOf(to)))).to.deep.equal(
      [],
    );
  });

  it('lets queues/contract import nothing of queues/transport', () => {
    const contract = files.filter(({ path }) => path.startsWith('queues/contract/'));
    expect(contract).to.not.be.empty;
    expect(breaches(contract, to => !to.startsWith('queues/transport/'))).to.deep.equal([]);
  });

  it('lets workers/domain import only itself, text and shared types, and neither of them use input, output or clock', () => {
    const domain = files.filter(({ path }) => path.startsWith('workers/domain/'));
    const shared = files.filter(({ path }) => sharedRules.includes(path));
    expect(domain).to.not.be.empty;
    expect(shared).to.have.length(sharedRules.length);
    const isAllowed = (to: string) =>
      to.startsWith('workers/domain/') || folderOf(to) === 'text' || sharedRules.includes(to);
    expect(breaches(domain, isAllowed)).to.deep.equal([]);
    expect(breaches(shared, to => sharedRules.includes(to))).to.deep.equal([]);
    const impure =
      /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bMath\.random\b|\bset(?:Timeout|Interval)\b|\bfetch\(/;
    const wrong = [...domain, ...inFolder('text'), ...shared].filter(
      ({ code, packages }) => impure.test(code) || packages.some(isNode),
    );
    expect(wrong.map(({ path }) => path)).to.deep.equal([]);
  });

  it('lets a feature of workers import runtime, bodies, tools, retrieval, model and domain, and no other feature', () => {
    const shared = ['runtime', 'bodies', 'tools', 'retrieval', 'model', 'domain'];
    const featureOf = (path: string) => /^workers\/([^/]+)\//.exec(path)?.[1];
    const isAllowed = (to: string, from: string) => {
      if (folderOf(to) !== 'workers') return true;
      const feature = featureOf(to);
      return feature === featureOf(from) || (feature !== undefined && shared.includes(feature));
    };
    // The lists of handlers and of background tasks.
    const wiring = ['handlers', 'background', 'start', 'main'].map(name => `workers/${name}.ts`);
    const others = inFolder('workers').filter(({ path }) => !wiring.includes(path));
    expect(breaches(others, isAllowed)).to.deep.equal([]);
  });

  it('lets offline-model import only itself and text, and nothing import it', () => {
    const isAllowed = (to: string) => ['offline-model', 'text'].includes(folderOf(to));
    expect(breaches(inFolder('offline-model'), isAllowed)).to.deep.equal([]);
    const others = inner.filter(({ path }) => folderOf(path) !== 'offline-model');
    expect(
      breaches([...others, ...inFolder('commands')], to => folderOf(to) !== 'offline-model'),
    ).to.deep.equal([]);
  });

  it('lets console import itself, text, and of queues/contract types only', () => {
    // The build runs this file: the page gets its result, not what it imports.
    const console = inFolder('console').filter(({ path }) => path !== 'console/shapes.ts');
    expect(console).to.not.be.empty;
    expect(
      breaches(withoutContractTypes(console), to => ['console', 'text'].includes(folderOf(to))),
    ).to.deep.equal([]);
  });

  it('lets nothing import commands, tests and benchmarks, and test/support no test', () => {
    expect(breaches(inner, to => !outermost.includes(folderOf(to)))).to.deep.equal([]);
    const support = files.filter(({ path }) => path.startsWith('test/support/'));
    expect(breaches(support, to => !to.endsWith('.test.ts'))).to.deep.equal([]);
  });

  it('lets only the main files of processes read the settings', () => {
    const asking = files
      .filter(({ imports }) => imports.includes('platform/config.ts'))
      .map(({ path }) => path);
    const wrong = asking.filter(
      path => path !== 'platform/run-process.ts' && !outermost.includes(folderOf(path)),
    );
    expect(wrong).to.deep.equal([]);
    const starting = files
      .filter(({ imports }) => imports.includes('platform/run-process.ts'))
      .map(({ path }) => path);
    expect(starting.filter(path => !/(^|\/)main\.ts$/.test(path))).to.deep.equal([]);
  });

  it('lets a room import only rooms on the floors below it', () => {
    const floorOf = (room: string) => floors.findIndex(floor => floor.some(each => each === room));
    const wrong = [...roomImports(files)].flatMap(([from, imported]) =>
      imported.filter(to => floorOf(to) <= floorOf(from)).map(to => `${from} -> ${to}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('lets what runs jobs and reads their bodies know neither models, tools nor retrieval', () => {
    const below = files.filter(({ path }) => /^workers\/(?:runtime|bodies)\//.test(path));
    expect(below).to.not.be.empty;
    expect(breaches(below, to => !/^workers\/(?:tools|retrieval|model)\//.test(to))).to.deep.equal([]);
  });

  it('has no import cycles', () => {
    expect(importCycles()).to.deep.equal([]);
  });
});

describe('the code', () => {
  it('reads the environment in platform/config.ts only, but for tests', () => {
    const reads =
      /\bprocess\s*(?:\.\s*env\b|\[\s*['"]env)|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b|\{[^}]*\benv\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/;
    const reading = files.filter(({ code }) => reads.test(outsideTemplates(code))).map(({ path }) => path);
    expect(reading.filter(path => !path.startsWith('test/'))).to.deep.equal(['platform/config.ts']);
  });

  it('measures no duration with the wall clock', () => {
    const comparesTimes = /\bDate\.now\(\)\s*[-<>]|[-<>]\s*Date\.now\(\)|-\s*\w+\.getTime\(\)/;
    const running = inFolder('api', 'queues', 'workers').filter(
      ({ path }) => !path.startsWith('workers/domain/'),
    );
    expect(running.filter(({ code }) => comparesTimes.test(code)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('imports BullMQ in few files only', () => {
    const knowing = inner.filter(({ packages }) => packages.some(name => /^bullmq(\/|$)/.test(name)));
    const named = [
      'backend',
      'consumer',
      'parley-backend',
      'parts',
      'taking-backend',
      'postgres/backend',
      'postgres/calls',
      'redis/backend',
      'redis/calls',
    ].map(name => `queues/transport/${name}.ts`);
    expect(knowing.map(({ path }) => path)).to.have.members(named);
    // It is extended: no method of an object of the library is replaced.
    expect(knowing.filter(({ code }) => /\bObject\.assign\(/.test(code)).map(({ path }) => path)).to.be.empty;
  });

  it('imports the package of OpenAI in one file only', () => {
    const knowing = inner.filter(({ packages }) => packages.some(name => /^openai(\/|$)/.test(name)));
    expect(knowing.map(({ path }) => path)).to.deep.equal(['workers/model/openai.ts']);
  });

  it('asks the table of the queues in what they differ, and not for the name of one', () => {
    const one = `'(?:${queueNames.join('|')})'`;
    const asks = new RegExp(`[!=]==\\s*\\(?${one}|\\.includes\\(${one}|\\bcase ${one}:`);
    // The console asks for scopes, one of which is called `search` as well.
    const asking = inner.filter(({ path, code }) => folderOf(path) !== 'console' && asks.test(code));
    expect(asking.map(({ path }) => path)).to.deep.equal([]);
  });

  it('locks rows up to a limit in an array or a step, since a subquery of in may run again for each row, and lock others', () => {
    const functions = join(root, 'db', 'functions');
    const statements = [
      ...inner.map(({ path, code }) => ({ path, code })),
      ...readdirSync(functions).map(path => ({ path, code: readFileSync(join(functions, path), 'utf8') })),
    ];
    expect(
      locksWithoutLimit(
        'where (a, b) in (\n select a, (b) from t order by a limit ${n} for update of t skip locked)',
      ),
    ).to.be.true;
    expect(locksWithoutLimit('where a = any (select a from t limit 1 for no key update)')).to.be.true;
    expect(locksWithoutLimit('where a = any (array(select a from t limit 1 for update))')).to.be.false;
    expect(locksWithoutLimit('where a in (select a from t) order by a limit 1 for update')).to.be.false;
    expect(statements.filter(({ code }) => locksWithoutLimit(code)).map(({ path }) => path)).to.deep.equal(
      [],
    );
  });

  it('never calls waitUntilFinished of BullMQ, which loses replies', () => {
    const waiting = files.filter(
      ({ path, code }) => folderOf(path) !== 'bench' && /\.waitUntilFinished\b/.test(code),
    );
    expect(waiting.map(({ path }) => path)).to.deep.equal([]);
  });

  it('has one barrel, the list of operations, and no default exports', () => {
    const barrels = files.filter(
      ({ path, code }) => path.endsWith('/index.ts') || /\bexport\s*\*/.test(code),
    );
    expect(barrels.map(({ path }) => path)).to.deep.equal(['queues/contract/operations/index.ts']);
    const passing = files.filter(({ code }) =>
      /\bexport\s*\{[^}]*\}\s*from\b|\bexport\s+type\s*\{[^}]*\}\s*from\b/.test(code),
    );
    expect(passing.map(({ path }) => path)).to.deep.equal([]);
    const defaults = files.filter(({ code }) =>
      /\bexport\s+default\b|\bas\s+default\b/.test(outsideTemplates(code)),
    );
    expect(defaults.map(({ path }) => path)).to.deep.equal([]);
  });
});

/** Whether a subquery of `in` or `any` has a limit and locks its rows. */
function locksWithoutLimit(code: string): boolean {
  return [...code.matchAll(/\b(?:in|any)\s*\(\s*(?=select\b)/gi)].some(({ 0: opening, index }) => {
    const subquery = untilClosed(code.slice(index + opening.length));
    return /\blimit\b/i.test(subquery) && /\bfor (?:no key )?update\b/i.test(subquery);
  });
}

/** The text up to the parenthesis that closes one before it. */
function untilClosed(text: string): string {
  let depth = 1;
  const end = Array.from(text).findIndex(char => {
    depth += Number(char === '(') - Number(char === ')');
    return depth === 0;
  });
  return end < 0 ? text : text.slice(0, end);
}

describe('docs/architecture.md', () => {
  const page = () => readFileSync(architecturePage, 'utf8');

  it('begins with the drawing of the rooms, as the imports are (npx tsx test/support/draw-rooms.ts)', () => {
    expect(drawingForm.exec(page())?.[0]).to.equal(drawRooms(files));
  });

  it('names every folder at the top, and every folder of workers, queues and db', () => {
    const top = [...new Set(files.map(({ path }) => folderOf(path)).filter(Boolean))];
    const inside = files.flatMap(({ path }) => /^(?:workers|queues|db)\/([^/]+)\//.exec(path)?.[1] ?? []);
    const named = new Set(page().match(/[\w-]+\//g));
    expect([...top, ...inside].filter(name => !named.has(`${name}/`))).to.deep.equal([]);
  });

  it('names only files that exist', () => {
    const there = new Set(files.map(({ path }) => path.replace(/^.*\//, '')));
    const named = page().match(/[\w-]+\.(?:ts|mjs)\b/g) ?? [];
    expect(named).to.not.be.empty;
    expect(named.filter(name => !there.has(name))).to.deep.equal([]);
  });
});

function isNode(name: string): boolean {
  return name.startsWith('node:');
}

/** A few tests contain programs as text. */
function outsideTemplates(code: string): string {
  return code.replaceAll(/`(?:\\.|[^`\\])*`/g, '``');
}

function importCycles(): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      found.add([...way.slice(way.indexOf(path)), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const to of importsOf.get(path) ?? []) visit(to, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return [...found];
}

describe('the lock file', () => {
  it('says of each package where it comes from and what it has to be', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string; inBundle?: boolean; link?: boolean }>;
    };
    const fetched = Object.entries(packages).filter(([at, { inBundle, link }]) => at && !inBundle && !link);
    expect(fetched.length).to.be.above(100);
    expect(fetched.filter(([, { resolved, integrity }]) => !resolved || !integrity)).to.deep.equal([]);
  });
});
