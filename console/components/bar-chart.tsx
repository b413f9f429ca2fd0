import { formatCount } from '../format.ts';
import { DataTable } from './data-table.tsx';

export interface Point {
  readonly label: string;
  readonly value: number;
}

const HEIGHT = 100;
const GAP = 0.14;

/** Bars over time. A table with the same figures is folded below. */
export function BarChart({
  title,
  axis,
  points,
  format = value => value.toLocaleString('pt-BR'),
}: {
  readonly title: string;
  /** What the labels are: `Dia`. */
  readonly axis: string;
  readonly points: readonly Point[];
  readonly format?: (value: number) => string;
}) {
  const total = format(points.reduce((sum, { value }) => sum + value, 0));
  const highest = Math.max(0, ...points.map(({ value }) => value));
  const labels = [points[0], points[Math.floor(points.length / 2)], points.at(-1)];
  return (
    <figure class="card chart">
      <figcaption>
        <strong>{title}</strong>
        <span>{total}</span>
      </figcaption>
      <svg
        class="stage"
        viewBox={`0 0 ${Math.max(points.length, 1)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${total} ao todo, em ${formatCount(points.length, 'barra', 'barras')}`}
      >
        {points.map(({ label, value }, at) => {
          const height = highest > 0 ? (value / highest) * HEIGHT : 0;
          return (
            <rect key={at} class="bar" x={at + GAP} y={HEIGHT - height} width={1 - 2 * GAP} height={height}>
              <title>{`${label}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="chart-labels small" aria-hidden="true">
        {labels.map((point, at) => (
          <span key={at}>{point?.label}</span>
        ))}
      </p>
      <details>
        <summary>Ver em tabela</summary>
        <DataTable
          title={title}
          rows={points}
          columns={[
            { head: axis, of: ({ label }) => label },
            { head: title, of: ({ value }) => value, format },
          ]}
        />
      </details>
    </figure>
  );
}
