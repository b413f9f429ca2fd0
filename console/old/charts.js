import { draw, formatCount, make } from './elements.js';

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
 * @param {(value: number) => string} [format]
 */
export function makeBarChart(title, axis, points, format = value => value.toLocaleString('pt-BR')) {
  const stage = make('div', { className: 'stage' });
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const name = `${title}: ${format(total)} ao todo, em ${formatCount(points.length, 'barra', 'barras')}`;
  let drawnWidth = 0;
  new ResizeObserver(() => {
    const width = stage.clientWidth;
    if (width === 0 || width === drawnWidth) return;
    drawnWidth = width;
    stage.replaceChildren(drawBars({ width, name, points, format }));
  }).observe(stage);
  return make(
    'figure',
    { className: 'card chart' },
    make('figcaption', {}, make('strong', {}, title), make('span', { className: 'small' }, format(total))),
    stage,
    makeTable(title, axis, points, format),
  );
}

/** @param {{ width: number, name: string, points: Point[], format: (value: number) => string }} options */
function drawBars({ width, name, points, format }) {
  const inner = HEIGHT - BOTTOM - TOP;
  const maxValue = roundUp(Math.max(0, ...points.map(({ value }) => value)));
  const step = (width - LEFT) / Math.max(points.length, 1);
  const lines = [0, 0.5, 1].flatMap(share => {
    const y = TOP + inner * (1 - share);
    return [
      draw('line', { x1: LEFT, x2: width, y1: y, y2: y, class: 'grid' }),
      draw(
        'text',
        { x: LEFT - 6, y: y + 4, class: 'tick', 'text-anchor': 'end' },
        formatShort(maxValue * share),
      ),
    ];
  });
  const labelEvery = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  const bars = points.flatMap(({ label, value }, index) => {
    const height = (value / maxValue) * inner;
    const x = LEFT + step * index + step * 0.12;
    const size = { x, y: TOP + inner - height, width: step * 0.76, height, rx: Math.min(3, step / 6) };
    const bar = draw('rect', { ...size, class: 'bar' }, draw('title', {}, `${label}: ${format(value)}`));
    if (index % labelEvery > 0) return [bar];
    const middle = LEFT + step * (index + 0.5);
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
export function makeRowChart(title, points) {
  const maxValue = Math.max(1, ...points.map(({ value }) => value));
  const rows = points.map(({ label, value }) => {
    const meter = make('meter', { min: 0, max: maxValue, value, 'aria-label': label });
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
 * @param {(value: number) => string} format
 */
function makeTable(title, axis, points, format) {
  const rows = points.map(({ label, value }) => {
    return make('tr', {}, make('th', { scope: 'row' }, label), make('td', {}, format(value)));
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
function formatShort(value) {
  return value.toLocaleString('pt-BR', { notation: 'compact', maximumFractionDigits: 1 });
}
