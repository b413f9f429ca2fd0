import type { ComponentChildren } from 'preact';

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

/** A state in one or two words. */
export function Badge(props: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  const { tone = 'plain', children } = props;
  return <span class={`badge tone-${tone}`}>{children}</span>;
}
