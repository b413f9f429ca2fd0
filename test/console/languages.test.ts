import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type ConsoleText,
  keyIn,
  languages,
  listTexts,
  readEntries,
  translateCode,
} from '../../commands/console-texts.mjs';
import { listProject, root } from '../support/source-files.ts';

/** Literals that look like texts for people, by why they have no entries. */
const exceptions = {
  'a name, the same everywhere': [
    'Parley',
    '{0}{1}Parley',
    'WhatsApp',
    'API',
    'RD Station',
    'Pipedrive',
    'HubSpot',
    'HTTP',
    'CPF',
    'PDF',
    'Português',
    'English',
    'Español',
  ],
  'a unit or currency': ['KB', 'MB', 's', 'ms', 'BRL'],
  'a key of the keyboard': ['Escape', 'Esc', 'Enter', 'ArrowDown', 'Ctrl-K', 'Ctrl-Enter'],
  'of HTTP': ['GET', 'POST', 'DELETE', 'Bearer {0}', 'Authorization: Bearer …'],
  'a part of a cookie': ['Path=/; Max-Age={0}; SameSite=Lax{1}', '; Secure'],
  'of the browser': [
    '(min-width: 68.75rem)',
    '(any-pointer: fine)',
    'input, textarea, select',
    'Notification',
    'NFD',
    'SHA-256',
    'bubble {0} by-{1}',
  ],
  'how the service names a fault of a server': [
    'not allowed',
    'the address is not allowed',
    'secrets must be saved again',
    'no valid TLS',
    'answer too large',
    'no answer in time',
    'the server reported an error',
    'the tool reported an error',
    'unreadable answer',
    'no connection',
    'redirected to another address',
    'the arguments cannot be sent',
  ],
  'a tag for pages of other sites': ['<script src="{0}/site-chat/chat.js" data-key="{1}" async></script>'],
  'a mark in stored messages': ['áudio'],
  'a part of paths': ['{0}/{1}Helper'],
  'Portuguese words that the marking of passages skips': [
    'a ao aos as com como da das de do dos e em eu é isso la me meu minha na nas no nos o os ou para pela pelo por qual quais quando quanto que se sem ser sua seu tem um uma voces voce onde quem',
  ],
};
const isException = new Set(Object.values(exceptions).flat());

/** What stands in these attributes nobody reads. */
const unread = ['class', 'key', 'rel', 'viewBox'];

/** The chat for other sites has languages of its own; `/docs` is in English. */
const isTranslated = (path: string) =>
  /^console\/.*\.(tsx?|html)$/.test(path) && !/\/site-chat\/|docs-page/.test(path);

const texts = listProject()
  .filter(isTranslated)
  .flatMap(path => textsOf(path));

function textsOf(path: string): (ConsoleText & { readonly path: string })[] {
  const all = listTexts(path, readFileSync(join(root, path), 'utf8'));
  const counts = all.filter(({ kind }) => kind === 'count');
  const isCounted = ({ kind, start, end }: ConsoleText) =>
    kind !== 'count' && counts.some(count => start >= count.start && end <= count.end);
  return all.filter(text => !isCounted(text)).map(text => ({ ...text, path }));
}

/** In an attribute or literal: a letter beyond ASCII, a capital first, or a word beside another or a number. */
function isForPeople({ kind, key, attribute = '' }: ConsoleText): boolean {
  if (unread.includes(attribute) || isException.has(key)) return false;
  if (kind === 'jsx' || kind === 'page' || kind === 'count') return /\p{L}/u.test(key);
  return /^\P{L}*\p{Lu}|[^\P{L}a-zA-Z]|\p{L}\P{L}* \P{L}*\p{L}|[\d}] \p{L}|\p{L}[,.:;]? \{/u.test(key);
}

const blanksOf = (text: string) => [text.startsWith(' '), text.endsWith(' ')];
const placeholdersOf = (text: string) => [...text.matchAll(/\{\d\}/g)].map(String).toSorted();

describe('the texts of the console', () => {
  for (const language of languages)
    it(`all have an entry in ${language}.json, with the same placeholders, and each entry has a text`, () => {
      const entries = readEntries(language);
      const missing = texts.filter(text => isForPeople(text) && keyIn(entries, text) === undefined);
      expect(missing.map(({ path, key }) => `${path}: ${key}`)).to.deep.equal([]);
      const used = new Set(texts.map(text => keyIn(entries, text)));
      expect(Object.keys(entries).filter(key => !used.has(key))).to.deep.equal([]);
      for (const [key, entry] of Object.entries(entries)) {
        expect(placeholdersOf(entry), key).to.deep.equal(placeholdersOf(key));
        expect(entry.split('|').length, key).to.equal(key.split('|').length);
        // What is joined to another text keeps its blank.
        expect(blanksOf(entry), key).to.deep.equal(blanksOf(key));
      }
    });

  it('each look like one, or are named as none, so that no exception outlives its literal', () => {
    const keys = new Set(texts.map(({ key }) => key));
    expect([...isException].filter(key => !keys.has(key))).to.deep.equal([]);
  });

  it('become those of the language where they stand, and data stays', () => {
    const code = [
      "const kind = 'imagem';",
      "const said = `${who} passou ${count === 1 ? 'uma' : `${count} conversas`} a ${whom}`;",
      "const line = <p title=\"Sim\">{kind === 'imagem' && <b> De </b>} de {formatCount(2, 'vez', 'vezes')}</p>;",
    ].join('\n');
    const entries = {
      '{0} passou {1} a {2}': '{2} got {1} from {0} `$`',
      uma: 'one',
      '{0} conversas': '{0} conversations',
      Sim: 'Yes',
      De: 'nowhere',
      'De (x.tsx)': 'From "here"',
      de: 'of',
      'vez|vezes': 'time|times',
    };
    expect(translateCode('console/x.tsx', code, entries).split('\n')).to.deep.equal([
      "const kind = 'imagem';",
      'const said = `${whom} got ${count === 1 ? "one" : `${count} conversations`} from ${who} \\`$\\``;',
      `const line = <p title={"Yes"}>{kind === 'imagem' && <b>{" From \\"here\\" "}</b>}{" of "}{formatCount(2, "time", "times")}</p>;`,
    ]);
  });
});
