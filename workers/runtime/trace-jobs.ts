import { SpanKind } from '@opentelemetry/api';
import { runInSpan } from '../../platform/span.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';

/** Wraps a job handler so that each job runs in a span that continues the trace of its request. */
export function traceJobs({ handle, storeOutcome }: JobHandler): JobHandler {
  return {
    storeOutcome,
    handle: job => {
      const { jobId, requestId, queue } = job;
      const attributes = { jobId, requestId, queue };
      const options = {
        kind: SpanKind.CONSUMER,
        parent: job.trace,
        attributes,
        isFailed: (outcome: Outcome<unknown>) => isFailure(outcome),
      };
      return runInSpan(`work ${job.operation}`, options, () => handle(job));
    },
  };
}
