import { signal } from '@preact/signals';
import type { Tone } from './badge.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
}

const SHOWN_MS = 5_000;
const toasts = signal<readonly Toast[]>([]);
let count = 0;

/** Says for some seconds that something is done: “Salvo”. What went wrong belongs beside its cause, in an `ErrorNote`. */
export function showToast(text: string, tone: Tone = 'good'): void {
  count += 1;
  const toast = { id: count, text, tone };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => (toasts.value = toasts.value.filter(each => each !== toast)), SHOWN_MS);
}

/** Once for all pages. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, tone }) => (
        <p key={id} class={`toast tone-${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
