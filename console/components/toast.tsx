import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Tone } from './badge.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: Tone;
  readonly undo?: (() => void) | undefined;
}

const SHOWN_MS = 5_000;
/** People can undo an action for this long. */
const UNDONE_WITHIN_MS = 10_000;
const toasts = signal<readonly Toast[]>([]);
let count = 0;

/**
 * Says for some seconds that something is done: “Salvo”, with an undo where that is possible. An error belongs beside its cause,
 * in an `ErrorNote`.
 */
export function showToast(text: string, tone: Tone = 'good', undo?: () => void): void {
  count += 1;
  const toast = { id: count, text, tone, undo };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => hide(toast), undo ? UNDONE_WITHIN_MS : SHOWN_MS);
}

function hide(toast: Toast): void {
  toasts.value = toasts.value.filter(each => each !== toast);
}

/** The list of toasts at the bottom of the window, drawn once for all pages; these end above it. */
export function Toasts() {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      document.documentElement.style.setProperty('--below', `${height}px`);
    });
    if (place.current) sizes.observe(place.current);
    return () => sizes.disconnect();
  }, []);
  return (
    <div class="toasts" role="status" ref={place}>
      {toasts.value.map(toast => (
        <p key={toast.id} class={`toast tone-${toast.tone}`}>
          {toast.text}
          {toast.undo && (
            <button
              type="button"
              class="undo"
              onClick={() => {
                hide(toast);
                toast.undo?.();
              }}
            >
              Desfazer
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
