import { counted, draw, make } from './elements.js';

/** @typedef {{ label: string, value: number }} Point */

const HEIGHT = 180;
const LEFT = 46;
const BOTTOM = 22;
const TOP = 8;
const LABEL_WIDTH = 46;

/**
 * Bars over time, redrawn for each width. A table with the same figures follows, for accessibility.
 * @param {string} title
 * @param {string} axis What the labels are: `Dia`.
 * @param {Point[]} points
 * @param {(value: number) => string} [say]
 */
export function barChart(title, axis, points, say = value => value.toLocaleString('pt-BR')) {
  const stage = make('div', { className: 'stage' });
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const name = `${title}: ${say(total)} ao todo, em ${counted(points.length, 'barra', 'barras')}`;
  let drawn = 0;
  new ResizeObserver(() => {
    const width = stage.clientWidth;
    if (width === 0 || width === drawn) return;
    drawn = width;
    stage.replaceChildren(drawing({ width, name, points, say }));
  }).observe(stage);
  return make(
    'figure',
    { className: 'card chart' },
    make('figcaption', {}, make('strong', {}, title), make('span', { className: 'small' }, say(total))),
    stage,
    tableOf(title, axis, points, say),
  );
}

/** @param {{ width: number, name: string, points: Point[], say: (value: number) => string }} options */
function drawing({ width, name, points, say }) {
  const inner = HEIGHT - BOTTOM - TOP;
  const most = roundUp(Math.max(0, ...points.map(({ value }) => value)));
  const step = (width - LEFT) / Math.max(points.length, 1);
  const lines = [0, 0.5, 1].flatMap(share => {
    const y = TOP + inner * (1 - share);
    return [
      draw('line', { x1: LEFT, x2: width, y1: y, y2: y, class: 'grid' }),
      draw('text', { x: LEFT - 6, y: y + 4, class: 'tick', 'text-anchor': 'end' }, brief(most * share)),
    ];
  });
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  const bars = points.flatMap(({ label, value }, at) => {
    const height = (value / most) * inner;
    const x = LEFT + step * at + step * 0.12;
    const size = { x, y: TOP + inner - height, width: step * 0.76, height, rx: Math.min(3, step / 6) };
    const bar = draw('rect', { ...size, class: 'bar' }, draw('title', {}, `${label}: ${say(value)}`));
    if (at % every > 0) return [bar];
    const middle = LEFT + step * (at + 0.5);
    return [bar, draw('text', { x: middle, y: HEIGHT - 6, class: 'tick', 'text-anchor': 'middle' }, label)];
  });
  const size = { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}` };
  return draw('svg', { ...size, role: 'img', 'aria-label': name }, ...lines, ...bars);
}

/**
 * One row per name, with its bar and figure.
 * @param {string} title
 * @param {Point[]} points
 */
export function rowChart(title, points) {
  const most = Math.max(1, ...points.map(({ value }) => value));
  const rows = points.map(({ label, value }) => {
    const meter = make('meter', { min: 0, max: most, value, 'aria-label': label });
    const figure = make('span', { className: 'figure' }, value.toLocaleString('pt-BR'));
    return make('li', {}, make('span', {}, label), meter, figure);
  });
  return make(
    'figure',
    { className: 'card chart' },
    make('figcaption', {}, make('strong', {}, title)),
    rows.length > 0
      ? make('ul', { className: 'rows' }, ...rows)
      : make('p', { className: 'small' }, 'Nada neste período.'),
  );
}

/**
 * @param {string} title
 * @param {string} axis
 * @param {Point[]} points
 * @param {(value: number) => string} say
 */
function tableOf(title, axis, points, say) {
  const rows = points.map(({ label, value }) => {
    return make('tr', {}, make('th', { scope: 'row' }, label), make('td', {}, say(value)));
  });
  const head = make('tr', {}, make('th', { scope: 'col' }, axis), make('th', { scope: 'col' }, title));
  const table = make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows));
  return make(
    'details',
    {},
    make('summary', {}, 'Ver em tabela'),
    make(
      'div',
      { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': `Tabela: ${title}` },
      table,
    ),
  );
}

/**
 * The next of 1, 2, 4, 6 or 10 times a power of ten, so that half of it is a round number, too.
 * @param {number} value
 */
function roundUp(value) {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 10].find(step => step * power >= value) ?? 10) * power;
}

/** @param {number} value */
function brief(value) {
  return value.toLocaleString('pt-BR', { notation: 'compact', maximumFractionDigits: 1 });
}
