import type { IconNode } from 'lucide';
import { createElement } from 'preact';

/** An icon of lucide, hidden from screen readers. */
export function Icon({ of, size = 18 }: { readonly of: IconNode; readonly size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      {of.map(([tag, attributes], at) => createElement(tag, { key: at, ...attributes }))}
    </svg>
  );
}
