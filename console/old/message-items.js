import { copyText } from './clipboard.js';
import { isWebAddress, make } from './elements.js';
import { renderWhatsappText } from './whatsapp-text.js';

/** @typedef {{ type: string, content: string, url?: string, description?: string }} Item */

/** @type {Record<string, (item: Item) => HTMLElement>} */
const makersByType = {
  text: makeText,
  image: makeImage,
  site: makeSite,
  audio: makeAudio,
  boleto: makeBoleto,
  pix: makePix,
};

/**
 * One message of the assistant, as a customer sees it.
 * @param {Item} item
 */
export function makeMessageItem(item) {
  const isLink = item.type === 'image' || item.type === 'site' || item.type === 'audio';
  const isSafe = !isLink || isWebAddress(item.url ?? '');
  const element = (isSafe ? makersByType[item.type] : undefined)?.(item) ?? makeText(item);
  element.classList.add('item', `item-${isSafe ? item.type : 'text'}`);
  return element;
}

/** @param {Item} item */
function makeText({ content }) {
  return make('div', {}, renderWhatsappText(content));
}

/**
 * Images are on other hosts, so they are loaded only on request.
 * @param {Item} item
 */
function makeImage({ url = '', description = '' }) {
  const caption = description || 'Imagem';
  const button = make('button', { type: 'button', className: 'show-image' }, 'Mostrar imagem');
  const figure = make(
    'figure',
    {},
    button,
    make('figcaption', {}, caption, make('span', { className: 'small' }, readHost(url))),
  );
  button.addEventListener('click', () => {
    const picture = make('img', { alt: description, referrerPolicy: 'no-referrer', src: url });
    picture.addEventListener('error', () => {
      picture.replaceWith(make('p', { className: 'small' }, 'A imagem não pôde ser carregada.'));
    });
    button.replaceWith(makeLink(url, picture));
  });
  return figure;
}

/** @param {Item} item */
function makeSite({ url = '', description = '' }) {
  const card = makeLink(
    url,
    make('strong', {}, description || readHost(url)),
    make('span', { className: 'small' }, readHost(url)),
  );
  return make('div', {}, card);
}

/** @param {Item} item */
function makeAudio({ url = '', description = '' }) {
  const name = description || 'Áudio';
  return make(
    'div',
    {},
    make('span', {}, name),
    make('audio', { controls: true, preload: 'none', src: url, 'aria-label': name }),
    makeLink(url, make('span', { className: 'small' }, readHost(url))),
  );
}

/** @param {Item} item */
function makeBoleto({ content }) {
  return makePayment('Boleto', 'Copiar linha digitável', content, formatBoletoCode(content));
}

/** @param {Item} item */
function makePix({ content }) {
  return makePayment('Pix copia e cola', 'Copiar código Pix', content, content);
}

/**
 * @param {string} title
 * @param {string} action
 * @param {string} code
 * @param {string} readable
 */
function makePayment(title, action, code, readable) {
  const status = make('span', { className: 'small', role: 'status' });
  const button = make('button', { type: 'button' }, action);
  button.addEventListener('click', () => {
    void copyText(code).then(isCopied => {
      status.textContent = isCopied ? 'Copiado' : 'O navegador não deixou copiar: selecione o código acima';
    });
  });
  return make('div', {}, make('strong', {}, title), make('code', {}, readable), button, status);
}

/**
 * Groups the digits as a printed boleto does.
 * @param {string} digits
 */
function formatBoletoCode(digits) {
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
function makeLink(url, ...children) {
  return make('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

/** @param {string} url */
function readHost(url) {
  return new URL(url).host;
}
