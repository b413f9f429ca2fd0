import { isFinal } from '../contract/failure.ts';
import type { Backend } from './backend.ts';
import type { ParleyQueue } from './parts.ts';
import type { QueuedJob } from './queued-job.ts';

/**
 * For a job with a key, after its add: the store may have kept an earlier one of that key. If the outcome of that is not final, it
 * runs again. Returns false if that one has another body.
 */
export async function joinStoredJob(backend: Backend, queue: ParleyQueue, own: QueuedJob): Promise<boolean> {
  const job = await queue.getJob(own.jobId).catch(() => undefined);
  const [finished] = await backend.findFinished(queue, [own.jobId]).catch(() => []);
  // If our own job has already finished, its outcome is the reply, even if it is not final.
  const isOurs = job?.data.sealed === own.data.sealed;
  const hasEnded = finished && finished.state !== 'missing';
  const isFree = !isOurs && hasEnded && !(finished.reply && isFinal(finished.reply.code));
  if (job && !isFree && job.data.bodyMac !== own.data.bodyMac) return false;
  if (job && isFree) {
    await job.updateData(own.data).catch(() => undefined);
    await queue
      .getBackend()
      .placeAgain(own)
      .catch(() => undefined);
    // Fails if a concurrent retry with the same key was first: then we share its run.
    await job.retry(finished.state).catch(() => undefined);
  }
  return true;
}
