import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** Exports spans to a collector over OTLP/HTTP. Loaded only if enabled; without it, spans are no-ops. */
export function startTracing(process: string, endpoint: string): { close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url: new URL('v1/traces', endpoint.replace(/\/*$/, '/')).href });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'parley', 'service.instance.id': process }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
  });
  provider.register();
  return {
    async close() {
      await provider.shutdown().catch(() => undefined);
      trace.disable();
    },
  };
}
