import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** W3C trace context, which links the spans of the API and the worker. */
export type TraceCarrier = Readonly<Record<string, string>>;

/** Undefined if tracing is disabled. */
export function traceCarrier(): TraceCarrier | undefined {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return Object.keys(carrier).length > 0 ? carrier : undefined;
}

/** Runs `work` in a new span, a child of `parent` or of the active span. A throw or `isFailed` marks the span as failed. */
export async function runInSpan<T>(
  name: string,
  options: SpanOptions & { readonly parent?: TraceCarrier | undefined; isFailed?(result: T): boolean },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const { parent, isFailed, ...rest } = options;
  const within = parent ? propagation.extract(ROOT_CONTEXT, parent) : context.active();
  return trace.getTracer('parley').startActiveSpan(name, rest, within, async span => {
    try {
      const result = await work(span);
      if (isFailed?.(result)) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    } catch (error) {
      // Only the name is recorded: the message may quote input.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
      throw error;
    } finally {
      span.end();
    }
  });
}
