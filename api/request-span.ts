import { SpanKind } from '@opentelemetry/api';
import { runInSpan } from '../platform/span.ts';
import type { Ctx } from './context.ts';

/** Runs the work of a request in a span, which continues the trace of the client. */
export function runInRequestSpan<T>(ctx: Ctx, name: string, work: () => Promise<T>): Promise<T> {
  const parent = { traceparent: ctx.get('traceparent') };
  return runInSpan(
    name,
    { kind: SpanKind.SERVER, attributes: { requestId: ctx.state.requestId }, parent },
    work,
  );
}
