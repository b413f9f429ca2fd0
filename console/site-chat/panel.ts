import type { Answer, Message } from './calls.ts';
import { css } from './chat.css';
import { element, icon } from './element.ts';
import { appendLink, renderText } from './message-text.ts';
import type { Words } from './words.ts';

interface PanelParts {
  readonly words: Words;
  readonly title: string;
  readonly greeting: string;
  readonly colour: string;
  readonly theme: string | undefined;
  readonly addressOf: (path: string) => string;
  /** False if nothing can be asked now. */
  readonly onAsk: (text: string, choice?: string) => boolean;
  readonly onToggle: () => void;
}

const SPEECH = 'M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5z';
const CROSS = 'M5 5l14 14M19 5L5 19';
const ARROW = 'M4 12h15M13 6l6 6-6 6';
/** As in the contract of the service. */
const MAX_QUESTION = '4000';

/** The chat on the page, in a shadow root: what is shown, and nothing of what is asked. */
export class Panel {
  readonly #parts: PanelParts;
  readonly #panel = element('section', { class: 'panel', role: 'dialog', 'aria-labelledby': 'title' });
  readonly #launcher = element('button', { type: 'button', class: 'launcher', 'aria-expanded': 'false' });
  readonly #log: HTMLElement;
  readonly #status = element('p', { class: 'status', role: 'status' });
  readonly #input: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  /** The question that is being answered, and the answer as far as it is there. */
  #asked: HTMLElement | undefined;
  #askedText: string | undefined;
  #last: Message | undefined;
  #draft: HTMLElement | undefined;
  #choices: HTMLElement | undefined;

  constructor(parts: PanelParts) {
    const { words, title, greeting, colour, theme } = parts;
    this.#parts = parts;
    const said = { 'aria-label': words.question, placeholder: words.question };
    this.#input = element('textarea', { rows: '1', maxlength: MAX_QUESTION, ...said });
    this.#send = element('button', { type: 'submit', 'aria-label': words.send }, icon(ARROW));
    this.#log = element('div', { class: 'log', role: 'log', 'aria-label': words.log, tabindex: '0' });
    const close = element('button', { type: 'button', 'aria-label': words.close }, icon(CROSS));
    const form = element('form', {}, this.#input, this.#send);
    const header = element('header', {}, element('h2', { id: 'title' }, title), close);
    this.#panel.append(header, this.#log, this.#status, form);
    this.#panel.hidden = true;
    this.#launcher.append(icon(SPEECH));
    this.setUnread(0);
    if (greeting) this.#log.append(this.#messageOf('assistant', greeting));
    const look = theme === 'dark' || theme === 'light' ? theme : 'auto';
    const root = element('div', { class: `chat ${look}`, lang: words.lang }, this.#panel, this.#launcher);
    attach(root, colour);
    this.#listen(close, form);
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  /** Leaves the focus where it is. */
  show(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#launcher.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.#scroll();
    this.#parts.onToggle();
  }

  addMessages(messages: readonly Message[]): void {
    if (messages.some(({ from, text }) => from === 'visitor' && text === this.#askedText)) this.#hideAsked();
    const place = this.#asked ?? this.#draft ?? null;
    this.#last = messages.at(-1) ?? this.#last;
    for (const message of messages) {
      const shown = this.#messageOf(message.from, message.text, message.name);
      shown.append(...attachedTo(message, this.#parts));
      this.#log.insertBefore(shown, place);
    }
    if (messages.length > 0) this.#scroll();
  }

  /** Shows the question until it is among the messages; undefined: none is being answered. */
  setAsked(text: string | undefined): void {
    this.#hideAsked();
    // A page that is loaded again has it among the messages already.
    if (text === undefined || (this.#last?.from === 'visitor' && this.#last.text === text)) return;
    this.#askedText = text;
    this.#asked = this.#log.insertBefore(this.#messageOf('visitor', text), this.#draft ?? null);
    this.#scroll();
  }

  #hideAsked(): void {
    this.#asked?.remove();
    this.#asked = undefined;
    this.#askedText = undefined;
  }

  /** Shows the answer as far as it is there; undefined: none is being written. */
  setDraft(text: string | undefined): void {
    // Nobody wants to hear an answer word by word: it is read when it is whole.
    this.#log.setAttribute('aria-busy', String(text !== undefined));
    this.#send.disabled = text !== undefined;
    if (text === undefined) {
      this.#draft?.remove();
      this.#draft = undefined;
      return;
    }
    this.#draft ??= this.#log.appendChild(this.#messageOf('assistant', ''));
    renderText(this.#draft.lastElementChild as HTMLElement, text || this.#parts.words.writing);
    this.#scroll();
  }

  setChoices(offered: NonNullable<Answer['choices']>): void {
    this.#choices?.remove();
    const buttons = offered.map(({ id, title }) => {
      const button = element('button', { type: 'button' }, title);
      button.addEventListener('click', () => this.#submit(title, id) && this.#input.focus());
      return button;
    });
    this.#choices = this.#log.appendChild(element('div', { class: 'choices' }, ...buttons));
    this.#scroll();
  }

  /** Tells why there is no answer; with `again` it can be asked again. */
  setStatus(text: string, again?: () => void): void {
    this.#status.replaceChildren(text);
    if (!again) return;
    const button = element('button', { type: 'button', class: 'again' }, this.#parts.words.again);
    button.addEventListener('click', () => {
      this.#input.focus();
      again();
    });
    this.#status.append(' ', button);
  }

  setUnread(count: number): void {
    const { words, title } = this.#parts;
    this.#launcher.querySelector('.badge')?.remove();
    if (count > 0)
      this.#launcher.append(element('span', { class: 'badge', 'aria-hidden': 'true' }, String(count)));
    const news = count > 0 ? `, ${count} ${words.unread}` : '';
    this.#launcher.setAttribute('aria-label', `${words.open}: ${title}${news}`);
  }

  #listen(close: HTMLElement, form: HTMLFormElement): void {
    const toggle = (isOpen: boolean) => {
      this.show(isOpen);
      (isOpen ? this.#input : this.#launcher).focus();
    };
    this.#launcher.addEventListener('click', () => toggle(!this.isOpen));
    close.addEventListener('click', () => toggle(false));
    this.#panel.addEventListener('keydown', event => {
      if (event.key === 'Escape') toggle(false);
      // The page has shortcuts of its own.
      event.stopPropagation();
    });
    this.#input.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener('submit', event => {
      event.preventDefault();
      const text = this.#input.value.trim();
      if (text !== '' && this.#submit(text)) this.#input.value = '';
      // The button is of no use meanwhile, and would lose the focus to the page.
      this.#input.focus();
    });
  }

  #submit(text: string, choice?: string): boolean {
    if (!this.#parts.onAsk(text, choice)) return false;
    this.#choices?.remove();
    return true;
  }

  #messageOf(from: Message['from'], text: string, name?: string | null): HTMLElement {
    const { words } = this.#parts;
    const who = { visitor: words.you, assistant: words.assistant, staff: words.staff }[from];
    const content = element('div');
    renderText(content, text);
    return element(
      'div',
      { class: `message ${from}` },
      element('span', { class: 'who' }, name || who),
      content,
    );
  }

  #scroll(): void {
    this.#log.scrollTop = this.#log.scrollHeight;
  }
}

/** A site with a strict policy allows no style of a text; a style that a script has made needs no permission. */
function attach(root: HTMLElement, colour: string): void {
  const holder = document.createElement('parley-chat');
  const shadow = holder.attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  const safe = /^#[0-9a-f]{6}$/i.test(colour) ? colour : '#1a4fa3';
  style.replaceSync(`${css}.chat{--colour:${safe};--ink:${inkOn(safe)}}`);
  shadow.adoptedStyleSheets = [style];
  shadow.append(root);
  // Beside the body: a transform there would move what is fixed.
  document.documentElement.append(holder);
}

/** Black or white, whichever can be read better on the colour (WCAG). */
function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? '#000' : '#fff';
}

function attachedTo({ sources, files }: Message, { words, addressOf }: PanelParts): HTMLElement[] {
  const shown: HTMLElement[] = [];
  for (const { name, url } of files ?? []) {
    const file = element('span', { class: 'file' });
    appendLink(file, addressOf(url), name || url.split('?', 1)[0] || url);
    shown.push(file);
  }
  for (const { title, text, url } of sources ?? []) {
    const passage = element('div', { class: 'passage' });
    renderText(passage, text);
    const source = element('details', {}, element('summary', {}, `${words.source}: ${title}`), passage);
    if (url !== null && /^https?:\/\//.test(url)) appendLink(source, url, words.page);
    shown.push(source);
  }
  return shown;
}
