/** A job that is still on its way. */
export interface PendingJob {
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

/** Undefined of a job that is not on its way. */
export function pendingStateOf(state: string): PendingJob['state'] | undefined {
  if (state === 'active') return 'running';
  return state === 'completed' || state === 'failed' || state === 'unknown' ? undefined : 'queued';
}
