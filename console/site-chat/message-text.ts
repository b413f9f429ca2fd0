import { listEmphases } from '../emphasis.ts';

/*
 * The text of a message as elements. Nothing of it is ever read as HTML: every character that is not a known mark becomes a text
 * node, and a link has an address of the web, a telephone or an e-mail.
 */

const tags = { '*': 'strong', _: 'em', '~': 's' } as const;
/** Code, a link of Markdown, or an address; each bounded, because a stranger may have written it. */
const special =
  /`([^`\n]{1,500})`|\[([^\]\n]{1,300})\]\(((?:https?:\/\/|mailto:|tel:)[^\s)]{1,2000})\)|https?:\/\/[^\s<>"']{1,2000}/g;
const doubled = /\*\*([^*\n]+)\*\*/g;
const heading = /^#{1,6} +/;
const bullet = /^( {0,6})[-*+] +/;
const ENDS_SENTENCE = '.,;:!?)]}*_~';

export function renderText(parent: HTMLElement, text: string): void {
  parent.replaceChildren();
  for (const line of text.split('\n')) {
    if (parent.hasChildNodes()) parent.append(document.createElement('br'));
    const isHeading = heading.test(line);
    const target = isHeading ? parent.appendChild(document.createElement('strong')) : parent;
    renderLine(target, line.replace(heading, '').replace(bullet, '$1• ').replace(doubled, '*$1*'));
  }
}

function renderLine(parent: HTMLElement, line: string): void {
  let from = 0;
  for (const match of line.matchAll(special)) {
    const [all, code, label, address] = match;
    // A mark may begin before an address and end after it.
    renderEmphasis(parent, line.slice(from, match.index));
    from = match.index + all.length;
    if (code !== undefined) parent.appendChild(document.createElement('code')).textContent = code;
    else if (address !== undefined) appendLink(parent, address, label ?? address);
    else {
      const url = withoutEnd(all);
      appendLink(parent, url, url);
      from = match.index + url.length;
    }
  }
  renderEmphasis(parent, line.slice(from));
}

function renderEmphasis(parent: HTMLElement, text: string): void {
  let from = 0;
  for (const { mark, start, end } of listEmphases(text)) {
    parent.append(text.slice(from, start));
    renderEmphasis(parent.appendChild(document.createElement(tags[mark])), text.slice(start + 1, end));
    from = end + 1;
  }
  parent.append(text.slice(from));
}

export function appendLink(parent: HTMLElement, address: string, label: string): void {
  const link = parent.appendChild(document.createElement('a'));
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.textContent = label;
}

/** What ends the sentence around an address is no part of it. */
function withoutEnd(url: string): string {
  let end = url.length;
  while (end > 0 && ENDS_SENTENCE.includes(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}
