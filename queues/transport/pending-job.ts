/** A job that has not finished yet. */
export interface PendingJob {
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

/** Undefined if the job is not pending. */
export function pendingStateOf(state: string): PendingJob['state'] | undefined {
  if (state === 'active') return 'running';
  return state === 'completed' || state === 'failed' || state === 'unknown' ? undefined : 'queued';
}
