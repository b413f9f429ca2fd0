import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/**
 * Sends what this process spends its time on to a collector, as OTLP over HTTP. Loaded only where that is switched on:
 * without it the spans that the code opens are nothing.
 */
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
