import {
  context,
  propagation,
  ROOT_CONTEXT,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** What makes a span on one side of the queue the child of one on the other: W3C trace context. */
export type TraceCarrier = Readonly<Record<string, string>>;

/** Undefined where nobody traces. */
export function traceCarrier(): TraceCarrier | undefined {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return Object.keys(carrier).length > 0 ? carrier : undefined;
}

/** Runs `work` within a span: one of its own, or that of the carrier's sender. Failures are marked by `isFailed` or by throwing. */
export async function runInSpan<T>(
  name: string,
  options: SpanOptions & { readonly parent?: TraceCarrier | undefined; isFailed?(result: T): boolean },
  work: () => Promise<T>,
): Promise<T> {
  const { parent, isFailed, ...rest } = options;
  const within = parent ? propagation.extract(ROOT_CONTEXT, parent) : context.active();
  return trace.getTracer('parley').startActiveSpan(name, rest, within, async span => {
    try {
      const result = await work();
      if (isFailed?.(result)) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    } catch (error) {
      // Its name alone: a message may hold what was sent.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
      throw error;
    } finally {
      span.end();
    }
  });
}
