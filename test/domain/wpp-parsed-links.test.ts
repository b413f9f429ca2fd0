import { expect } from 'chai';
import { parseWpp, type WppItem } from '../../workers/domain/wpp-parsed/wpp-parsed.ts';

const text = (content: string): WppItem => ({ type: 'text', content });
type Opened = Exclude<WppItem['type'], 'text'>;
const opened =
  (type: Opened) =>
  (description: string, url: string): WppItem => ({ type, content: url, url, description });
const [site, image, audio] = [opened('site'), opened('image'), opened('audio')];

function describeCases(
  name: string,
  cases: readonly (readonly [sentence: string, answer: string, items: readonly WppItem[]])[],
): void {
  describe(`What can be opened in an answer ${name}`, () => {
    for (const [sentence, answer, items] of cases)
      it(sentence, () => {
        expect(parseWpp(answer)).to.deep.equal({ items, warnings: [] });
      });
  });
}

// biome-ignore format: a table
describeCases('by a link', [
  ['makes a site of a link', '[Portal](https://a.br)', [site('Portal', 'https://a.br')]],
  ['keeps the words on both sides, in order', 'veja o [Portal](https://a.br/x) hoje',
    [text('veja o Portal'), site('Portal', 'https://a.br/x'), text('hoje')]],
  ['keeps brackets that are part of the address', '[a](https://a.br/x_(y)_z)',
    [site('a', 'https://a.br/x_(y)_z')]],
  ['reads no address as a formula', '\\[https://x.br/a_1?c=d\\] ou \\(ana_1@x.br = secretaria\\)',
    [site('', 'https://x.br/a_1?c=d'), text('ou (ana_1@x.br = secretaria)')]],
  ['completes www.', '[a](www.a.br)', [site('a', 'https://www.a.br')]],
  ['takes an address in angle brackets, and encodes spaces',
    '[a](<https://a.br/b c.pdf>) [d](https://a.br/e f.pdf)',
    [site('a', 'https://a.br/b%20c.pdf'), site('d', 'https://a.br/e%20f.pdf')]],
  ['takes escapes and entities out of an address', '[a](https://a.br/b\\_c?d=1&amp;e=2)',
    [site('a', 'https://a.br/b_c?d=1&e=2')]],
  ['keeps the words of a title', '[a](https://a.br "b c") [](https://d.br \'e\')',
    [site('a (b c)', 'https://a.br'), site('e', 'https://d.br')]],
  ['takes an empty title for none', '[a](https://a.br "")', [site('a', 'https://a.br')]],
  ['takes marks out of a description, not signs', '[**zero** _dois_ 2*3](https://a.br)',
    [site('zero dois 2*3', 'https://a.br')]],
  ['takes an address as its own description', '[https://a.br](https://a.br)',
    [site('https://a.br', 'https://a.br')]],
  ['makes one line of a description', '[zero\ndois](https://a.br)', [site('zero dois', 'https://a.br')]],
  ['leaves no marks of bold around a link', '**[a](https://a.br)**, fim',
    [site('a', 'https://a.br'), text('fim')]],
  ['leaves no marks that a link’s words cannot fill', '** [a](https://a.br) **', [site('a', 'https://a.br')]],
  ['closes bold before a link and opens it after', '**zero [a](https://a.br) dois**',
    [text('*zero a*'), site('a', 'https://a.br'), text('*dois*')]],
  ['drops a bullet or number that only a link follows',
    '- [a](https://a.br)\n- [b](https://b.br)\n1. [c](https://c.br)',
    [site('a', 'https://a.br'), site('b', 'https://b.br'), site('c', 'https://c.br')]],
  ['keeps an item’s words around its link', '- zero [a](https://a.br) dois\n- três',
    [text('- zero a'), site('a', 'https://a.br'), text('dois\n- três')]],
  ['starts a list that goes on behind a link at the margin',
    '- zero [a](https://a.br)\n  - dois\n  - três\n    - quatro',
    [text('- zero a'), site('a', 'https://a.br'), text('- dois\n- três\n  - quatro')]],
  ['marks the words behind a link as quoted too', '> zero [a](https://a.br) dois',
    [text('> zero a'), site('a', 'https://a.br'), text('> dois')]],
  ['leaves no bar beside a cell that is a link', '|a|b|c|\n|-|-|-|\n|1|[x](https://a.br)|2|',
    [text('a | b | c\n1'), site('x', 'https://a.br'), text('2')]],
  ['reads a link in a heading', '## Veja [a](https://a.br) já',
    [text('*Veja a*'), site('a', 'https://a.br'), text('*já*')]],
  ['keeps a number that ends a sentence before a link', 'Custa\n25. [a](https://a.br)',
    [text('Custa\n25.'), site('a', 'https://a.br')]],
  ['ends a target with its line', '[a](https://a.br\nb)',
    [text('[a](https://a.br'), site('', 'https://a.br'), text('b)')]],
  ['makes a site of a link to a picture', '[foto](https://a.br/f.jpg)', [site('foto', 'https://a.br/f.jpg')]],
  ['keeps a link to mail, telephone or a relative place as text',
    '[a](mailto:b@c.br?subject=M%C3%A3o), [d](tel:+5511) e [**f**](/g/h)',
    [text('a (b@c.br), d (+5511) e *f* (/g/h)')]],
  ['says an address of mail or a phone once',
    '[B@c.br](mailto:b@c.br) [(11) 3333-4444](tel:+551133334444) [](tel:+5511)',
    [text('B@c.br (11) 3333-4444 +5511')]],
  ['reads the tags of HTML as their Markdown',
    'zero <a class="x" href="https://a.br?b=1&amp;c=2">[PDF] <b>um</b></a> <img alt=\'d\' src=\'https://a.br/e.png\'>',
    [text('zero [PDF] um'), site('[PDF] um', 'https://a.br?b=1&c=2'), image('d', 'https://a.br/e.png')]],
  ['reads a sign within a value of a tag as a part of it',
    '<a title="a > b" href="https://a.br">um</a> <img alt="d > e" src="https://a.br/e.png"> <b title=a\'b>dois</b>',
    [site('um', 'https://a.br'), image('d > e', 'https://a.br/e.png'), text('*dois*')]],
  ['leaves a tag that is not closed, or is code, as it is', '<b>zero `<b>` </i> <a name="b">um</a>',
    [text('<b>zero `<b>` </i> <a name="b">um</a>')]],
  ['keeps what no browser opens as text', '[a](javascript:b) [c]()', [text('a (javascript:b) c')]],
  ['takes prose in brackets for no link', '[nota](ver página 3) [ ] [x] (y)',
    [text('[nota](ver página 3) [ ] [x] (y)')]],
  ['lets an escape or code make no link', '\\[a](b) `[c](https://d.br)`',
    [text('[a](b) `[c](https://d.br)`')]],
  ['reads the innermost of links in links', '[d [b](https://b.br) c](https://c.br)',
    [text('[d b'), site('b', 'https://b.br'), text('c](https://c.br)'), site('', 'https://c.br')]],
]);

// biome-ignore format: a table
describeCases('by a reference', [
  ['looks up a reference, and drops the line that defines it',
    '[zero][1] e [2]\n\n[1]: https://a.br\n[2]: <https://b.br> "c"',
    [site('zero', 'https://a.br'), text('e 2 (c)'), site('2 (c)', 'https://b.br')]],
  ['compares labels without case', '[zero][Ab]\n\n[aB]: https://a.br', [site('zero', 'https://a.br')]],
  ['reads a reference to a picture', '![zero][1]\n\n[1]: https://a.br/b.png',
    [image('zero', 'https://a.br/b.png')]],
  ['keeps a definition that nothing uses', 'zero\n\n[1]: https://a.br',
    [text('zero\n\n[1]:'), site('', 'https://a.br')]],
  ['keeps a second definition of one label', '[zero][1]\n\n[1]: https://a.br\n[1]: https://b.br',
    [site('zero', 'https://a.br'), text('[1]:'), site('', 'https://b.br')]],
  ['keeps a definition that is said again', '[zero][1]\n\n[1]: https://a.br\n[1]: https://a.br',
    [site('zero', 'https://a.br'), text('[1]:'), site('', 'https://a.br')]],
  ['takes no line of code for a definition', '[zero][1]\n\n```\n[1]: https://a.br\n```',
    [text('[zero][1]\n\n```\n[1]: https://a.br\n```')]],
  ['keeps what a definition stands between together', 'zero\n[1]: https://a.br\ndois [1]',
    [text('zero\ndois 1'), site('1', 'https://a.br')]],
  ['keeps a reference to nothing', '[zero][2]', [text('[zero][2]')]],
]);

// biome-ignore format: a table
describeCases('by a bare address', [
  ['makes a site of a bare address', 'veja https://a.br/b?c=d#e hoje',
    [text('veja https://a.br/b?c=d#e'), site('', 'https://a.br/b?c=d#e'), text('hoje')]],
  ['completes a bare www.', 'www.a.br', [site('', 'https://www.a.br')]],
  ['keeps trailing punctuation out of it', 'https://a.br/b. https://c.br, e https://d.br!',
    [site('', 'https://a.br/b'), site('', 'https://c.br'), text('e https://d.br!'),
    site('', 'https://d.br')]],
  ['keeps balanced brackets in it, others out', '(https://a.br/b_(c)).', [site('', 'https://a.br/b_(c)')]],
  ['keeps marks around it out', '**https://a.br/x_y_z** "https://b.br"',
    [site('', 'https://a.br/x_y_z'), site('', 'https://b.br')]],
  ['ends it at a dash, curly quote, emoji or invisible character',
    'https://a.br—https://b.br” https://c.br👍https://d.br\u200b', [site('', 'https://a.br'),
    site('', 'https://b.br'), site('', 'https://c.br'), text('👍'), site('', 'https://d.br')]],
  ['takes accents into it', 'https://a.br/inscrição', [site('', 'https://a.br/inscrição')]],
  ['reads one in angle brackets', '<https://a.br/b>, <www.c.br>',
    [site('', 'https://a.br/b'), site('', 'https://www.c.br')]],
  ['reads one that no space parts from the word before', 'Site:https://a.br',
    [text('Site:'), site('', 'https://a.br')]],
  ['takes no e-mail, host without scheme or cut address for one',
    'x@www.a.br b@c.br d.br https:// www. http://. <e@f.br>',
    [text('x@www.a.br b@c.br d.br https:// www. http://. e@f.br')]],
]);

// biome-ignore format: a table
describeCases('as picture or sound', [
  ['makes an image of each of the five endings, in any case',
    '![a](https://a.br/1.jpg)![b](https://a.br/2.JPEG)![c](https://a.br/3.png)![d](https://a.br/4.Gif)![e](https://a.br/5.webp)',
    [image('a', 'https://a.br/1.jpg'), image('b', 'https://a.br/2.JPEG'), image('c', 'https://a.br/3.png'),
    image('d', 'https://a.br/4.Gif'), image('e', 'https://a.br/5.webp')]],
  ['looks at the path, not at the query', '![a](https://a.br/b.png?c=d.pdf#e) ![f](https://a.br/g?h=i.png)',
    [image('a', 'https://a.br/b.png?c=d.pdf#e'), site('f', 'https://a.br/g?h=i.png')]],
  ['takes a host for no file', 'https://a.png ![b](https://c.gif)',
    [site('', 'https://a.png'), site('b', 'https://c.gif')]],
  ['makes a site of a picture that is none', '![a](https://a.br/b.pdf)', [site('a', 'https://a.br/b.pdf')]],
  ['keeps a picture at a relative place as text', '![a](b.png)', [text('a (b.png)')]],
  ['makes an image of a bare address', 'veja https://a.br/b.png.',
    [text('veja https://a.br/b.png.'), image('', 'https://a.br/b.png')]],
  ['parts a sentence at a picture', 'zero ![a](https://a.br/b.png) dois',
    [text('zero'), image('a', 'https://a.br/b.png'), text('dois')]],
  ['shows a picture inside a link first, and says its words once',
    '[![a](https://a.br/b.png)](https://c.br) [![d](https://a.br/e.png) f](https://g.br)',
    [image('a', 'https://a.br/b.png'), site('', 'https://c.br'), image('d', 'https://a.br/e.png'),
    site('f', 'https://g.br')]],
  ['makes an audio of a link or bare address by its ending',
    '[a](https://a.br/b.mp3) https://a.br/c.WAV?d=1 [e](https://a.br/f.ogg)',
    [audio('a', 'https://a.br/b.mp3'), audio('', 'https://a.br/c.WAV?d=1'),
    audio('e', 'https://a.br/f.ogg')]],
]);

// biome-ignore format: a table
describeCases('at a host', [
  ['shows the true host, not what stands before the @',
    'http://bank.br@evil.br/ [a](https://bank.br:x@c%40d@evil.br/b) <https://bank.br\\@evil.br>',
    [site('', 'http://evil.br/'), site('a', 'https://evil.br/b'), site('', 'https://evil.br')]],
  ['shows the true host of pictures and sounds',
    '![a](https://bank.br@evil.br/b.png) www.bank.br@evil.br/c.mp3',
    [image('a', 'https://evil.br/b.png'), audio('', 'https://evil.br/c.mp3')]],
  ['keeps an @ that is part of the path', 'https://a.br/@b?c=d@e', [site('', 'https://a.br/@b?c=d@e')]],
  ['shows the true host in a description', '[https://bank.br@evil.br](https://evil.br)',
    [site('https://evil.br', 'https://evil.br')]],
  ['encodes quotes, angles and what cannot be seen', `[a](https://a.br/"b'<c>\u202ed)`,
    [site('a', 'https://a.br/%22b%27%3Cc%3E%E2%80%AEd')]],
  ['reads a backslash behind the host as a slash, as browsers do', '[a](https://bank.br\\evil)',
    [site('a', 'https://bank.br/evil')]],
  ['keeps letters of any script in the host', '[a](https://bаnk.br/ç)', [site('a', 'https://bаnk.br/ç')]],
  ['makes no item of what a browser would run or read',
    '[a](javascript:b) [c](data:text/html,d) [e](https:///f)',
    [text('a (javascript:b) c (data:text/html,d) e (https:///f)')]],
]);

// biome-ignore format: a table
describeCases('with the punctuation around it', [
  ['joins a full stop to the text before the link', 'Veja o [a](https://a.br). A central abre **hoje**.',
    [text('Veja o a.'), site('a', 'https://a.br'), text('A central abre *hoje*.')]],
  ['names each link of a sentence that has several, and none of the next one',
    'Traga [a](https://a.br), [b](https://b.br) e [c](https://c.br). [d](https://d.br)', [text('Traga a,'),
    site('a', 'https://a.br'), text('b'), site('b', 'https://b.br'), text('e c.'), site('c', 'https://c.br'),
    site('d', 'https://d.br')]],
  ['joins what closes behind several links', 'zero https://a.br https://b.br?!',
    [text('zero https://a.br?!'), site('', 'https://a.br'), site('', 'https://b.br')]],
  ['says no second stop', 'Acesse: https://a.br. Fim',
    [text('Acesse:'), site('', 'https://a.br'), text('Fim')]],
  ['keeps brackets and quotes around the name of a link', 'zero ("https://a.br"). dois',
    [text('zero ("https://a.br").'), site('', 'https://a.br'), text('dois')]],
  ['keeps brackets that hold words', 'zero (em https://a.br) dois',
    [text('zero (em https://a.br)'), site('', 'https://a.br'), text('dois')]],
  ['keeps a quote that opens', 'zero https://a.br "dois"',
    [text('zero https://a.br'), site('', 'https://a.br'), text('"dois"')]],
  ['keeps an answer of nothing else', '...!', [text('...!')]],
  ['keeps an emoji alone', 'https://a.br 👍', [site('', 'https://a.br'), text('👍')]],
]);
