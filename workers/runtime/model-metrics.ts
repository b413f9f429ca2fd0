import { Counter, Registry } from 'prom-client';
import type { ModelCall } from '../model/model-call.ts';
import type { ModelPrices } from '../model/prices.ts';

const MAX_MODELS = 100;
const OTHER_MODELS = 'other';

/** Tenants may name any model where no provider lists its models: the limit keeps the number of label values finite. */
function modelLabels(prices: ModelPrices): (model: string) => string {
  const known = new Set(Object.keys(prices));
  const maxKnown = known.size + MAX_MODELS;
  return model => {
    if (known.size < maxKnown) known.add(model);
    return known.has(model) ? model : OTHER_MODELS;
  };
}

export function makeModelCounter(registers: Registry[], prices: ModelPrices): (call: ModelCall) => void {
  const counter = (name: string, help: string, ...labels: string[]) =>
    new Counter({ name, help, labelNames: ['model', ...labels], registers });
  const calls = counter(
    'parley_model_calls_total',
    'Calls of models by HTTP status; 0 without a response',
    'status',
  );
  const seconds = counter('parley_model_seconds_total', 'Time spent in calls of models');
  const tokens = counter('parley_model_tokens_total', 'Tokens of calls of models, prompt and answer');
  const cost = counter('parley_model_cost_total', 'Cost of calls of models by MODEL_PRICES');
  const labelOf = modelLabels(prices);
  return call => {
    const model = labelOf(call.name);
    calls.inc({ model, status: call.status });
    seconds.inc({ model }, call.durationMs / 1_000);
    tokens.inc({ model }, call.usage.input + call.usage.output);
    cost.inc({ model }, Number(call.cost));
  };
}
