import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { root } from './support/source-files.ts';

const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.data']);
const pages = listPages(root);
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
    expect(textOf(join(root, 'docs', 'architecture.md')).split('\n').length).to.be.below(91);
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

function listPages(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listPages(path);
    return entry.name.endsWith('.md') || entry.name === 'llms.txt' ? [path] : [];
  });
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
