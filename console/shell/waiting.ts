import { signal } from '@preact/signals';

export const waiting = signal(0);
/** How many conversations that the person attends have something new. */
export const newOfMine = signal(0);
