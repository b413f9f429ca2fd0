import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { openApiDocument } from '../api/openapi/openapi.ts';
import { parseProcfile } from '../commands/launcher/launch.ts';
import { checkBody } from '../queues/contract/check-body.ts';
import type { Operation } from '../queues/contract/operation.ts';
import { HOST_ID } from '../queues/contract/operations/example-ids.ts';
import { operationNames, operationOf } from '../queues/contract/operations/index.ts';
import { drawCalls } from './support/draw-calls.ts';
import { architecturePage, drawingForm } from './support/draw-rooms.ts';
import { blocksOf } from './support/guide.ts';
import { listProject, root } from './support/source-files.ts';

const pages = listProject()
  .filter(path => path.endsWith('.md') || basename(path) === 'llms.txt')
  .map(path => join(root, path));
const textOf = (page: string) => readFileSync(page, 'utf8');

describe('the pages of the project', () => {
  it('link only to files and headings that exist', () => {
    const linked = pages.flatMap(page => linksOf(page).map(link => ({ page, link })));
    expect(linked.length).to.be.above(100);
    const broken = linked.filter(({ page, link }) => !isThere(page, link));
    expect(broken.map(({ page, link }) => `${relative(root, page)}: ${link}`)).to.deep.equal([]);
  });

  it('begin with a README that is read in one go', () => {
    expect(textOf(join(root, 'README.md')).trimEnd().split('\n').length).to.be.at.most(130);
    expect(pages.filter(page => basename(page) === 'README.md').length).to.be.at.most(15);
    expect(textOf(architecturePage).replace(drawingForm, '').trimEnd().split('\n').length).to.be.at.most(92);
  });

  it('are all reached from the README or from llms.txt', () => {
    const reached = new Set<string>();
    const visit = (page: string): void => {
      if (reached.has(page) || !existsSync(page)) return;
      reached.add(page);
      if (page.endsWith('.md') || page.endsWith('.txt'))
        for (const link of linksOf(page)) visit(resolve(dirname(page), link.replace(/#.*/, '')));
    };
    visit(join(root, 'README.md'));
    visit(join(root, 'llms.txt'));
    const ours = pages.filter(page => /^docs\/(?!decisions\/)/.test(relative(root, page)));
    expect(ours.filter(page => !reached.has(page)).map(page => relative(root, page))).to.deep.equal([]);
  });
});

describe('docs/calls.md', () => {
  it('has on its pages every operation as its example is sent by the tests (npx tsx test/support/draw-calls.ts writes them)', () => {
    const drawn = drawCalls();
    for (const [path, text] of drawn) expect(textOf(join(root, path)), path).to.equal(text);
    const headings = drawn.flatMap(([, text]) => [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title));
    const missing = operationNames.filter(name => !headings.includes(operationOf(name).summary));
    expect(missing).to.deep.equal([]);
  });
});

describe('docs/guides/n8n-and-chatwoot.md', () => {
  it('has as code only calls, bodies and fields of the contract', () => {
    const known = JSON.stringify(openApiDocument('1.0.0', { hasTestRun: false }));
    const unknown: string[] = [];
    let called: Operation | undefined;
    const codes = [...textOf(join(root, 'docs', 'guides', 'n8n-and-chatwoot.md')).matchAll(/`([^`]+)`/g)];
    for (const [, code = ''] of codes) {
      const address = /^(?:POST )?https:\/\/parley\.example(\/\S+)$/.exec(code)?.[1];
      if (code.startsWith('POST '))
        called = operationNames.map(operationOf).find(({ path }) => path === address);
      const isKnown = code.startsWith('{')
        ? isBodyOf(called, code)
        : [`"${address}`, `"${code}"`, `/${code}"`].some(text => known.includes(text));
      if (!isKnown) unknown.push(code);
    }
    expect(codes).to.have.length.above(15);
    expect(unknown).to.deep.equal([]);
  });
});

describe('docs/operations.md', () => {
  it('has YAML that is read without an error, and so are docker-compose.yml and docs/deploy/kubernetes.yaml', () => {
    const files = ['docker-compose.yml', 'docs/deploy/kubernetes.yaml'].map(path => textOf(join(root, path)));
    const texts = [...blocksOf('docs/operations.md', 'yaml'), ...files];
    expect(texts).to.have.length.above(2);
    const read = texts.flatMap(text => parseAllDocuments(text, { merge: true }));
    expect(read.flatMap(document => ('errors' in document ? document.errors : []))).to.deep.equal([]);
  });

  it('starts the programs of the Procfile, in scripts that a shell reads', () => {
    const scripts = blocksOf('docs/operations.md', 'bash');
    for (const script of scripts) execFileSync('sh', ['-n'], { input: script });
    const programs = parseProcfile(textOf(join(root, 'Procfile'))).map(({ command }) => command.at(-1) ?? '');
    expect(programs.filter(program => !scripts.join('').includes(program))).to.deep.equal([]);
  });

  it('has proxies with balanced blocks, which publish the same paths', () => {
    const textOfProxy = (file: string) => textOf(join(root, 'docs/deploy', file));
    const [caddy, nginx] = [textOfProxy('Caddyfile'), textOfProxy('nginx.conf')];
    for (const text of [caddy, nginx])
      expect(text.match(/\{/g)?.length, text).to.equal(text.match(/\}/g)?.length).and.be.above(2);
    const pattern = new RegExp(/location ~ (\S+) \{/.exec(nginx)?.[1] ?? 'none');
    const published = /@published path (.*)/.exec(caddy)?.[1]?.split(' ') ?? [];
    expect(published).to.not.be.empty;
    expect(published.filter(path => !pattern.test(path.replace('*', '')))).to.deep.equal([]);
    for (const redirect of [/^\tredir \/ \/console$/m, /location = \/ \{\s+return 302 \/console;/])
      expect(`${caddy}${nginx}`).to.match(redirect);
    for (const path of ['/metrics', '/admin/queues', '/health/ready', '/search-index/admin/stats'])
      expect(pattern.test(path), path).to.equal(false);
  });

  it('publishes the containers to this machine only, and starts the offline model by its profile', () => {
    const { services } = parse(textOf(join(root, 'docker-compose.yml')), { merge: true });
    expect(services.proxy.ports).to.deep.equal([`\${PUBLISH_TO:-127.0.0.1}:\${PORT:-3000}:3000`]);
    expect(services.model.profiles).to.deep.equal(['offline']);
    const published = Object.keys(services).filter(name => services[name].ports);
    expect(published).to.deep.equal(['proxy']);
  });
});

describe('docs/guarantees.md', () => {
  const [, ...promises] = textOf(join(root, 'docs', 'guarantees.md')).split(/^## /m);

  it('names for each promise a test that there is, what is not promised, and what is left to the caller', () => {
    expect(promises.length).to.be.at.least(10);
    const weak = promises.filter(
      promise =>
        !/^- Proof: \[[^]*?\]\(\.\.\/test\/[\w/-]+\.test\.ts\)/m.test(promise) ||
        !/^- Not promised: /m.test(promise) ||
        !/^- You: /m.test(promise),
    );
    expect(weak.map(promise => promise.split('\n')[0])).to.deep.equal([]);
  });
});

/** Whether the operation takes this body, and ignores nothing of it; an id is written as `…`. */
function isBodyOf(operation: Operation | undefined, json: string): boolean {
  const body = JSON.parse(json.replaceAll('…', HOST_ID)) as object;
  if (!operation) return false;
  const { value, errors } = checkBody(operation.body, body);
  return errors.length === 0 && Object.keys(value as object).length === Object.keys(body).length;
}

/** The links and pictures of a page that lead to the project itself. */
function linksOf(page: string): string[] {
  const prose = textOf(page).replaceAll(/^ *```[^]*?^ *```/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter(link => !/^[a-z]+:/.test(link));
}

function isThere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : resolve(dirname(page), path);
  if (!existsSync(target)) return false;
  return heading === undefined || anchorsOf(target).includes(heading);
}

/** The names that the headings of a page get on GitHub. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
