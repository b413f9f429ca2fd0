import { distance } from 'fastest-levenshtein';
import Joi from 'joi';
import { type AllowedAddress, parseAllowed } from './allowed-address.ts';
import { WRONG_SETTING_CODE } from './field-error.ts';
import { MAX_FALLBACKS, MAX_MODEL_LENGTH, type ModelPrice } from './model-limits.ts';
import { redisUrl } from './redis-url.ts';

type AppEnv = 'production' | 'staging' | 'development';

export interface LlmProvider {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly models?: readonly string[];
}

const MIN_KEY_LENGTH = 32;
const httpUrl = addressOf(['http', 'https'], 'a web address, as https://models.example.com/v1');
const commaList = Joi.any<readonly string[]>()
  .default([])
  .custom((value: string) => value.split(',').flatMap(part => part.trim() || []));

/** Origins must look as browsers send them: no page would match any other text. */
const webOrigins = commaList.custom((origins: readonly string[], helpers) => {
  const wrong = origins.find(text => !isOrigin(text));
  if (wrong === undefined) return origins;
  const custom =
    '{{#label}} must have web origins, as https://panel.example.com, and nothing after the name or port: {{#wrong}}';
  return helpers.message({ custom }, { wrong });
});
/** Error messages must not quote the keys. */
const previousKeys = commaList.custom((keys: readonly string[], helpers) =>
  keys.every(({ length }) => length >= MIN_KEY_LENGTH)
    ? keys
    : helpers.message({
        custom: `{{#label}} must have keys of at least ${MIN_KEY_LENGTH} characters, comma-separated`,
      }),
);
const allowedAddresses = Joi.any<readonly AllowedAddress[]>()
  .default([])
  .custom((value: string, helpers) => {
    const parts = value.split(',').flatMap(part => part.trim() || []);
    const read = parts.map(parseAllowed);
    const wrong = parts.find((_, at) => !read[at]);
    if (wrong === undefined) return read;
    const custom =
      '{{#label}} must have addresses (without zeros before a number, and without a zone), names (without a dot at the end) or ranges (from the first address of a network), as 10.0.0.5:8090,evolution:8080,10.20.0.0/16: {{#wrong}}';
    return helpers.message({ custom }, { wrong });
  });

const argumentLists = jsonSetting(
  Joi.array<readonly (readonly string[])[]>().items(Joi.array().items(Joi.string()).min(1)),
  'array of argument lists, as [["node", "server.js"]]',
).default([]);
const visionModels = jsonSetting(
  Joi.array<readonly string[]>().items(Joi.string().max(MAX_MODEL_LENGTH)),
  'array of models, as ["gpt-5-mini"]',
).default([]);

// If its name is taken, the provider of OPENAI_BASE_URL is called `main`.
const providerName = Joi.string()
  .pattern(/^[A-Za-z0-9][\w.-]{0,63}$/)
  .invalid('main');

const llmProviders = jsonSetting(
  Joi.object<Readonly<Record<string, LlmProvider>>>().pattern(
    providerName,
    Joi.object({
      baseURL: httpUrl.required(),
      apiKey: Joi.string(),
      models: Joi.array().items(Joi.string().max(MAX_MODEL_LENGTH)).max(1_000),
    }),
  ),
  'object of providers by name',
);
const price = Joi.number().min(0);
const tokenPrices = Joi.object({
  input: price.required(),
  /** Not above the others: a budget reserves the price of `input`. */
  cachedInput: price.max(Joi.ref('input')),
  output: price.required(),
});
const modelPrice = Joi.alternatives().conditional(Joi.object(), {
  // A model is paid either by tokens or by minutes of speech.
  then: Joi.alternatives().conditional(Joi.object({ minute: Joi.exist() }).unknown(), {
    then: Joi.object({ minute: price }),
    otherwise: tokenPrices,
  }),
  otherwise: price,
});
const modelPrices = jsonSetting(
  Joi.object<Readonly<Record<string, ModelPrice>>>()
    .pattern(Joi.string().max(MAX_MODEL_LENGTH), modelPrice)
    .min(1),
  'object of prices by model',
);
const modelFallbacks = jsonSetting(
  Joi.object<Readonly<Record<string, readonly string[]>>>()
    .pattern(Joi.string(), Joi.array().items(Joi.string().max(MAX_MODEL_LENGTH)).min(1).max(MAX_FALLBACKS))
    .min(1),
  'object of lists of models by model',
);

/** `what` describes the address to people who know no URL syntax. */
function addressOf(scheme: string[], what: string): Joi.StringSchema {
  const text = `{{#label}} must be ${what}`;
  return Joi.string().uri({ scheme }).messages({ 'string.uri': text, 'string.uriCustomScheme': text });
}

const hostsOfMicrosoft =
  /^(?:.+\.)?(?:microsoftonline\.(?:com|us|de|cn)|microsoft\.com|windows\.net|live\.com)\.?$/;
/** Its last one is the directory of all private accounts. */
const everyDirectory = /^(?:|common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)$/i;

/** Whether Microsoft signs in there the accounts of every directory, each of which says itself what is verified. */
export function isOfAnyDirectory(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  if (!hostsOfMicrosoft.test(hostname)) return false;
  const [directory = ''] = decodeURIComponent(pathname).split('/').filter(Boolean);
  return everyDirectory.test(directory);
}

function issuerOf(form: RegExp): Joi.StringSchema {
  const refuseEvery: Joi.CustomValidator<string> = (issuer, helpers) =>
    isOfAnyDirectory(issuer) ? helpers.error('any.invalid') : issuer;
  return Joi.string().uri().pattern(form).custom(refuseEvery).messages({
    '*': '{{#label}} must be the issuer of the accounts, as https://accounts.google.com, or of your own directory (http only in development, on this machine)',
  });
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, host } = new URL(text);
  // The origin of an app has no standard form: capacitor://localhost.
  return text === (origin === 'null' ? `${protocol}//${host}` : origin);
}

/** A setting without a default. */
function optional<T>(schema: Joi.AnySchema<T>): Joi.AnySchema<T | undefined> {
  return schema;
}

function requiredWith<T extends Joi.AnySchema>(schema: T, others: readonly string[]): T {
  return others.reduce((rest, other) => rest.when(other, { is: Joi.exist(), then: Joi.required() }), schema);
}

/** Settings by their names in the code; `openaiBaseUrl` is read from `OPENAI_BASE_URL`, and so on. */
const settings = {
  /** Only npm start has a database that is not set, and it is for development unless this says otherwise. */
  appEnv: Joi.any<AppEnv>()
    .valid('production', 'staging', 'development')
    .default((all: { databaseUrl?: string }) =>
      all.databaseUrl === undefined ? 'development' : 'production',
    ),
  port: Joi.number().port().default(3000),
  /** Undefined: the API listens on all addresses, with npm start on 127.0.0.1. */
  host: optional<string>(Joi.alternatives(Joi.string().ip({ cidr: 'forbidden' }), Joi.string().hostname())),
  dataDir: Joi.string().default('.data'),
  /** Undefined: the embedded PostgreSQL in `dataDir` is used. */
  databaseUrl: optional(
    addressOf(
      ['postgres', 'postgresql'],
      'an address of PostgreSQL, as postgres://user:password@host:5432/database (in a password, %40 stands for @)',
    ),
  ),
  /** Undefined: BullMQ keeps its jobs in PostgreSQL. */
  redisUrl: optional(redisUrl),
  openaiBaseUrl: optional(httpUrl),
  openaiApiKey: optional(Joi.string()),
  openaiModel: optional(requiredWith(Joi.string(), ['openaiApiKey', 'openaiBaseUrl'])),
  /** Undefined: knowledge is searched by words only. */
  openaiEmbeddingModel: optional(Joi.string().max(MAX_MODEL_LENGTH)),
  /** Undefined: recordings are refused. */
  transcriptionModel: optional(Joi.string().max(MAX_MODEL_LENGTH)),
  transcriptionBaseUrl: optional(httpUrl),
  transcriptionApiKey: optional(Joi.string()),
  /** Models that read pictures. */
  visionModels,
  /** Additional model providers, by name. */
  llmProviders: optional(llmProviders),
  requestTimeoutMs: Joi.number().integer().min(100).max(600_000).default(60_000),
  /** Per token; 0 disables the limit. */
  rateLimitPerMinute: Joi.number().integer().min(0).default(6_000),
  workerConcurrency: Joi.number().integer().min(1).max(1_000).default(48),
  /** How many insights a worker process generates at a time; 0 disables them. */
  insightConcurrency: Joi.number().integer().min(0).max(1_000).default(4),
  /** An insight is made this many seconds after the last answer of a conversation. */
  insightAfterSeconds: Joi.number().integer().min(0).max(3_600).default(30),
  /** Queues that this worker process serves; empty: all. */
  workerQueues: commaList,
  secretKey: optional(
    Joi.string().min(MIN_KEY_LENGTH).when('databaseUrl', { is: Joi.exist(), then: Joi.required() }),
  ),
  /** Earlier keys, which may still be needed to open stored values. */
  secretKeyPrevious: previousKeys,
  opsPassword: optional(Joi.string().min(8)),
  /** Lets operators retry and remove jobs on the queue board. */
  queueBoardWritable: Joi.boolean().default(false),
  corsOrigins: webOrigins,
  /** The private addresses that URLs of tenants may have. */
  egressAllow: allowedAddresses,
  egressAllowPrivate: Joi.boolean().default(false),
  /** The commands that an MCP configuration may run, each with all its arguments. */
  mcpStdioAllow: argumentLists,
  trustProxy: Joi.boolean().default(false),
  /** The public address of the service, for links. */
  publicUrl: optional(httpUrl),
  /** The provider of accounts that people may sign in with. Over http, anybody in between could say who signs in. */
  oidcIssuer: optional(
    Joi.string().when('appEnv', {
      is: 'development',
      then: issuerOf(/^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/|$)/),
      otherwise: issuerOf(/^https:\/\//),
    }),
  ),
  oidcClientId: optional(Joi.string()),
  oidcClientSecret: optional(Joi.string()),
  /** A session of the console is over this many days after its last use. */
  sessionDays: Joi.number().integer().min(1).max(365).default(30),
  modelPrices: optional(modelPrices),
  /** The currency of `modelPrices`, shown beside what was spent. */
  pricesCurrency: optional(
    Joi.string()
      .pattern(/^[A-Z]{3}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be a currency code such as BRL' }),
  ),
  modelFallbacks: optional(modelFallbacks),
  /** Only exactly `true` enables it, so that no similar value does so by mistake. */
  enableTestEndpoint: Joi.any<boolean>()
    .default(false)
    .custom((value: string) => value === 'true'),
  testEndpointToken: optional(Joi.string()),
  /** The bucket of an S3 server for files, with its keys; undefined: they lie in the database. */
  filesS3Url: optional(httpUrl),
  filesS3Region: Joi.string().default('us-east-1'),
  filesS3KeyId: optional(Joi.string()),
  filesS3Secret: optional(Joi.string()),
  /** Days after which personal texts are erased; undefined: never. */
  retentionDays: optional(Joi.number().integer().min(1).max(36_500)),
  /** Undefined: tracing is disabled. */
  otelExporterOtlpEndpoint: optional(httpUrl),
  /** Whether traces include the prompts and answers of models. */
  traceContents: Joi.boolean().default(false),
  logLevel: Joi.any<string>()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .default('info'),
};

export type Config = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Joi.AnySchema<infer Value>
    ? Value
    : never;
};

export const settingNames = Object.keys(settings).map(environmentName);
const labelled = Object.entries(settings).map(([name, schema]) => [
  name,
  schema.label(environmentName(name)),
]);
const configSchema = Joi.object<Config>(Object.fromEntries(labelled))
  .and('oidcIssuer', 'oidcClientId', 'oidcClientSecret')
  .and('filesS3Url', 'filesS3KeyId', 'filesS3Secret')
  .messages({ 'object.and': '{{#presentWithLabels}} needs {{#missingWithLabels}}, too' });

/** Former settings, with advice. They are refused, because an operator relied on them. */
const former: Readonly<Record<string, string>> = {
  SESSION_HOURS:
    'is no setting any more: a session of the console now lasts until it was not used for SESSION_DAYS (30). Remove it, or set SESSION_DAYS',
};

/** Reads the environment. Prints a line for each invalid or missing setting and exits. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const variables = Object.keys(settings).flatMap(name => {
    const text = env[environmentName(name)];
    return text ? [[name, text]] : [];
  });
  const { value, error } = configSchema.validate(Object.fromEntries(variables), { abortEarly: false });
  const wrong = [
    ...(error?.details ?? []).map(({ message }) => message),
    ...Object.keys(former).flatMap(name => (env[name] ? [`"${name}" ${former[name]}`] : [])),
  ];
  if (wrong.length > 0) {
    for (const line of wrong) process.stderr.write(`setting ${line}\n`);
    process.exit(WRONG_SETTING_CODE);
  }
  return Object.freeze(value);
}

/** Shorter names are close to too many others. */
const MIN_COMPARED = 8;
const MAX_MISTYPED = 2;

/** Finds variables that nobody reads but that are almost the name of a setting; returns them with that name. */
export function findMisspeltSettings(env: NodeJS.ProcessEnv = process.env): [sent: string, meant: string][] {
  const lettersOf = (name: string) => name.replaceAll('_', '');
  return Object.keys(env).flatMap((sent): [string, string][] => {
    if (!/^[A-Z][A-Z0-9_]*$/.test(sent) || settingNames.includes(sent)) return [];
    const letters = lettersOf(sent);
    const most = letters.length < MIN_COMPARED ? 0 : MAX_MISTYPED;
    const meant = settingNames.find(name => distance(lettersOf(name), letters) <= most);
    return meant === undefined ? [] : [[sent, meant]];
  });
}

/** Cleans the environment for child processes. An empty setting counts as unset. */
export function dropEmptySettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
}

/** Cleans the environment for tests that a service runs: they must not use its settings. */
export function clearSettings(): void {
  for (const name of settingNames) delete process.env[name];
}

function environmentName(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase();
}

/** A setting with a JSON value, whose errors name it or the place in it. They do not quote the value, because it may hold keys. */
function jsonSetting<T>(schema: Joi.AnySchema<T>, what: string): Joi.AnySchema<T> {
  return Joi.any<T>()
    .custom((text: string, helpers) => {
      const read = parseJson(text);
      if (!read) return helpers.error('json', { errors: 'invalid JSON' });
      const { value, error } = schema
        .label(helpers.schema.$_getFlag('label'))
        .validate(read.value, { abortEarly: false });
      return error ? helpers.error('json', { errors: errorsOf(error) }) : value;
    })
    .messages({ json: `{{#label}} must be a JSON ${what}: {{#errors}}` });
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function errorsOf({ details }: Joi.ValidationError): string {
  return details.map(({ message }) => message).join(', ');
}
