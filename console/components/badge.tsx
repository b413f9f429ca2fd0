import type { ComponentChildren } from 'preact';

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

/** A state in one or two words. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}
