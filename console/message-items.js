import { copyText } from './clipboard.js';
import { isWebAddress, make } from './elements.js';
import { whatsappText } from './whatsapp-text.js';

/** @typedef {{ type: string, content: string, url?: string, description?: string }} Item */

/** @type {Record<string, (item: Item) => HTMLElement>} */
const shown = { text, image, site, audio, boleto, pix };

/**
 * One message of the assistant, as a customer sees it.
 * @param {Item} item
 */
export function messageItem(item) {
  const isLink = item.type === 'image' || item.type === 'site' || item.type === 'audio';
  const isSafe = !isLink || isWebAddress(item.url ?? '');
  const element = (isSafe ? shown[item.type] : undefined)?.(item) ?? text(item);
  element.classList.add('item', `item-${isSafe ? item.type : 'text'}`);
  return element;
}

/** @param {Item} item */
function text({ content }) {
  return make('div', {}, whatsappText(content));
}

/**
 * Images are on other hosts, so they are loaded only on request.
 * @param {Item} item
 */
function image({ url = '', description = '' }) {
  const caption = description || 'Imagem';
  const button = make('button', { type: 'button', className: 'show-image' }, 'Mostrar imagem');
  const figure = make(
    'figure',
    {},
    button,
    make('figcaption', {}, caption, make('span', { className: 'small' }, hostOf(url))),
  );
  button.addEventListener('click', () => {
    const picture = make('img', { alt: description, referrerPolicy: 'no-referrer', src: url });
    picture.addEventListener('error', () => {
      picture.replaceWith(make('p', { className: 'small' }, 'A imagem não pôde ser carregada.'));
    });
    button.replaceWith(link(url, picture));
  });
  return figure;
}

/** @param {Item} item */
function site({ url = '', description = '' }) {
  const card = link(
    url,
    make('strong', {}, description || hostOf(url)),
    make('span', { className: 'small' }, hostOf(url)),
  );
  return make('div', {}, card);
}

/** @param {Item} item */
function audio({ url = '', description = '' }) {
  const name = description || 'Áudio';
  return make(
    'div',
    {},
    make('span', {}, name),
    make('audio', { controls: true, preload: 'none', src: url, 'aria-label': name }),
    link(url, make('span', { className: 'small' }, hostOf(url))),
  );
}

/** @param {Item} item */
function boleto({ content }) {
  return payment('Boleto', 'Copiar linha digitável', content, inGroups(content));
}

/** @param {Item} item */
function pix({ content }) {
  return payment('Pix copia e cola', 'Copiar código Pix', content, content);
}

/**
 * @param {string} title
 * @param {string} action
 * @param {string} code
 * @param {string} readable
 */
function payment(title, action, code, readable) {
  const told = make('span', { className: 'small', role: 'status' });
  const button = make('button', { type: 'button' }, action);
  button.addEventListener('click', () => {
    void copyText(code).then(isCopied => {
      told.textContent = isCopied ? 'Copiado' : 'O navegador não deixou copiar: selecione o código acima';
    });
  });
  return make('div', {}, make('strong', {}, title), make('code', {}, readable), button, told);
}

/**
 * Grouped as on paper.
 * @param {string} digits
 */
function inGroups(digits) {
  const form =
    digits.length === 48
      ? /^(.{12})(.{12})(.{12})(.{12})$/
      : /^(.{5})(.{5})(.{5})(.{6})(.{5})(.{6})(.)(.{14})$/;
  return form.exec(digits)?.slice(1).join(' ') ?? digits;
}

/**
 * @param {string} url
 * @param {...Node} children
 */
function link(url, ...children) {
  return make('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

/** @param {string} url */
function hostOf(url) {
  return new URL(url).host;
}
