import Joi from 'joi';
import { jsonSetting } from './json-setting.ts';

export interface Config {
  readonly appEnv: 'production' | 'staging' | 'development';
  readonly port: number;
  /** Undefined: the API listens on all addresses, and with npm start on 127.0.0.1. */
  readonly host: string | undefined;
  readonly dataDir: string;
  /** Undefined means: the embedded PostgreSQL of `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Undefined means: BullMQ keeps its jobs in PostgreSQL. */
  readonly redisUrl: string | undefined;
  readonly openaiBaseUrl: string | undefined;
  readonly openaiApiKey: string | undefined;
  readonly openaiModel: string | undefined;
  /** Undefined: knowledge is found by its words alone. */
  readonly openaiEmbeddingModel: string | undefined;
  /** Model providers beside the main one, by name. */
  readonly llmProviders: Readonly<Record<string, LlmProvider>> | undefined;
  readonly requestTimeoutMs: number;
  /** Requests a minute for one token; 0 switches the limit off. */
  readonly rateLimitPerMinute: number;
  readonly workerConcurrency: number;
  /** Conversations that a worker process looks at at a time; 0 switches that off. */
  readonly insightConcurrency: number;
  /** Names of the queues this worker process serves; empty means all. */
  readonly workerQueues: readonly string[];
  readonly secretKey: string | undefined;
  readonly opsPassword: string | undefined;
  /** Lets operators retry and remove jobs on the queue board. */
  readonly queueBoardWritable: boolean;
  readonly corsOrigins: readonly string[];
  /** Lets addresses that tenants name be private ones. */
  readonly egressAllowPrivate: boolean;
  /** The commands that an MCP configuration may run, each as its whole argument list. */
  readonly mcpStdioAllow: readonly (readonly string[])[];
  readonly trustProxy: boolean;
  /** What a million tokens of each model cost, for the metrics. */
  readonly modelPrices: Readonly<Record<string, number>> | undefined;
  readonly enableTestEndpoint: boolean;
  readonly testEndpointToken: string | undefined;
  /** Days after which what people wrote is emptied; undefined keeps it for ever. */
  readonly retentionDays: number | undefined;
  /** Where traces are sent; undefined: nobody traces. */
  readonly otelExporterOtlpEndpoint: string | undefined;
  readonly logLevel: string;
}

export interface LlmProvider {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly models?: readonly string[];
}

const httpUrl = Joi.string().uri({ scheme: ['http', 'https'] });
const commaList = Joi.string()
  .default([])
  .custom((value: string) => value.split(',').flatMap(part => part.trim() || []));
const argumentLists = jsonSetting(
  Joi.array().items(Joi.array().items(Joi.string()).min(1)),
  'array of argument lists, as [["node", "server.js"]]',
).default([]);
// `main` is what the provider of OPENAI_BASE_URL is called where its own name is taken.
const providerName = Joi.string()
  .pattern(/^[A-Za-z0-9][\w.-]{0,63}$/)
  .invalid('main');
const llmProviders = jsonSetting(
  Joi.object().pattern(
    providerName,
    Joi.object({
      baseURL: httpUrl.required(),
      apiKey: Joi.string(),
      models: Joi.array().items(Joi.string().max(200)).max(1_000),
    }),
  ),
  'object of providers by name',
);
const modelPrices = jsonSetting(
  Joi.object().pattern(Joi.string(), Joi.number().min(0)).min(1),
  'object of prices by model',
);

const settings = Joi.object({
  APP_ENV: Joi.valid('production', 'staging', 'development').default('production'),
  PORT: Joi.number().port().default(3000),
  HOST: Joi.alternatives(Joi.string().ip({ cidr: 'forbidden' }), Joi.string().hostname()),
  DATA_DIR: Joi.string().default('.data'),
  DATABASE_URL: Joi.string().uri({ scheme: ['postgres', 'postgresql'] }),
  REDIS_URL: Joi.string().uri({ scheme: ['redis', 'rediss'] }),
  OPENAI_BASE_URL: httpUrl,
  OPENAI_API_KEY: Joi.string(),
  OPENAI_MODEL: Joi.string(),
  OPENAI_EMBEDDING_MODEL: Joi.string().max(200),
  LLM_PROVIDERS: llmProviders,
  REQUEST_TIMEOUT_MS: Joi.number().integer().min(100).max(600_000).default(60_000),
  RATE_LIMIT_PER_MINUTE: Joi.number().integer().min(0).default(6_000),
  WORKER_CONCURRENCY: Joi.number().integer().min(1).max(1_000).default(32),
  INSIGHT_CONCURRENCY: Joi.number().integer().min(0).max(1_000).default(4),
  WORKER_QUEUES: commaList,
  SECRET_KEY: Joi.string().min(32).when('DATABASE_URL', { is: Joi.exist(), then: Joi.required() }),
  OPS_PASSWORD: Joi.string().min(8),
  QUEUE_BOARD_WRITABLE: Joi.boolean().default(false),
  EGRESS_ALLOW_PRIVATE: Joi.boolean().default(false),
  MCP_STDIO_ALLOW: argumentLists,
  CORS_ORIGINS: commaList,
  TRUST_PROXY: Joi.boolean().default(false),
  MODEL_PRICES: modelPrices,
  // Exactly `true`: nobody runs tests on a service by a slip of the pen.
  ENABLE_TEST_ENDPOINT: Joi.string()
    .default(false)
    .custom((value: string) => value === 'true'),
  TEST_ENDPOINT_TOKEN: Joi.string(),
  RETENTION_DAYS: Joi.number().integer().min(1).max(36_500),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
  LOG_LEVEL: Joi.valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
});

/** Reads the environment once. A wrong or missing setting ends the process with one line for each. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const { value, error } = settings.validate(dropEmptySettings(env), {
    abortEarly: false,
    stripUnknown: true,
  });
  if (error) {
    for (const { message } of error.details) process.stderr.write(`setting ${message}\n`);
    process.exit(1);
  }
  return Object.freeze(configOf(value as Record<string, unknown>));
}

/** For processes of our own to inherit. An empty setting is no setting. */
export function dropEmptySettings(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

/** For tests that are run by a service: they bring what they need, and may not touch what the service has. */
export function clearSettings(env: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(settings.describe()['keys'] as object)) delete env[name];
}

/** `OPENAI_BASE_URL` is read as `openaiBaseUrl`, and so on. */
function configOf(read: Record<string, unknown>): Config {
  const camelCase = (name: string) =>
    name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  const named = Object.entries(read).map(([name, value]) => [camelCase(name), value]);
  return Object.fromEntries(named) as Config;
}
