import { SpanKind } from '@opentelemetry/api';
import type { Answerer } from '../queues/consumer.ts';
import { isFailure } from '../queues/failure.ts';
import { inSpan } from '../queues/span.ts';

/** The same answers, each within a span that continues the trace of its request. */
export function traced({ answer, settle }: Answerer): Answerer {
  return {
    settle,
    answer: run => {
      const { jobId, requestId, queue } = run;
      const attributes = { jobId, requestId, queue };
      const options = { kind: SpanKind.CONSUMER, parent: run.trace, attributes, isFailed: isFailure };
      return inSpan(`work ${run.operation}`, options, () => answer(run));
    },
  };
}
