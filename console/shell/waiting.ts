import { signal } from '@preact/signals';

/** How many conversations wait for a person. */
export const waiting = signal(0);
