import { expect } from 'chai';
import { parseAllowed } from '../../platform/allowed-address.ts';
import { findMisspeltSettings, isOfAnyDirectory, readConfig, settingNames } from '../../platform/config.ts';
import { redisUrl as redisUrlSchema } from '../../platform/redis-url.ts';
import { runCommand } from '../support/run-command.ts';

/** The output and exit code of a command with these settings; each program reads them in the same way. */
async function started(env: Record<string, string>) {
  const { code, err } = await runCommand('migrate', [], env);
  return { status: code, lines: err.trim().split('\n') };
}

describe('a setting that is no more', () => {
  it('ends the process with what to do, and counts for nothing where it is empty', async () => {
    const { status, lines } = await started({ SESSION_HOURS: '12' });
    expect([status, lines]).to.deep.equal([
      78,
      [
        'setting "SESSION_HOURS" is no setting any more: a session of the console now lasts until it was not used for SESSION_DAYS (30). Remove it, or set SESSION_DAYS',
      ],
    ]);
    expect(readConfig({ SESSION_HOURS: '' }).sessionDays).to.equal(30);
  });
});

describe('APP_ENV', () => {
  it('is development for who uses the database of npm start, and production beside a database that is set', () => {
    const local = { OIDC_ISSUER: 'http://127.0.0.1:9400', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 's' };
    expect(readConfig(local)).to.include({ appEnv: 'development', oidcIssuer: local.OIDC_ISSUER });
    const set = { DATABASE_URL: 'postgres://db.example/parley', SECRET_KEY: 'k'.repeat(32) };
    expect(readConfig(set).appEnv).to.equal('production');
    expect(readConfig({ ...set, APP_ENV: 'staging' }).appEnv).to.equal('staging');
  });
});

describe('settings that are JSON', () => {
  it('are named where they are wrong as a whole', async () => {
    const wrong = {
      VISION_MODELS: '{}',
      LLM_PROVIDERS: '[]',
      MCP_STDIO_ALLOW: '{}',
      MODEL_PRICES: '{}',
      MODEL_FALLBACKS: '[]',
    };
    const { status, lines } = await started(wrong);
    expect(status).to.equal(78);
    for (const name of Object.keys(wrong)) {
      const [line = '', ...others] = lines.filter(each => each.startsWith(`setting "${name}" `));
      expect([others, line.includes('"value"')], name).to.deep.equal([[], false]);
      expect(line).to.match(new RegExp(`: "${name}" must `));
    }
  });

  it('are read as what they say', () => {
    const provider = { baseURL: 'https://models.example/v1', apiKey: 'k', models: ['m'] };
    const config = readConfig({
      LLM_PROVIDERS: JSON.stringify({ other: provider }),
      MCP_STDIO_ALLOW: '[["node", "server.js"]]',
      MODEL_PRICES: '{"m": 1.5}',
    });
    expect(config).to.deep.include({
      llmProviders: { other: provider },
      mcpStdioAllow: [['node', 'server.js']],
      modelPrices: { m: 1.5 },
    });
  });

  for (const [what, values] of Object.entries({
    'no JSON': ['a-secret', 'a-secret', 'a-secret'],
    'other JSON than was asked for': ['["a-secret"]', '"a-secret"', '["a-secret"]'],
    'wrong deep inside': [
      '{"x": {"baseURL": "ftp://a-secret"}}',
      '[[{"x": "a-secret"}]]',
      '{"m": "a-secret"}',
    ],
  }))
    it(`end the process with a line for each that is ${what}, and quote nothing of it`, async () => {
      const names = ['LLM_PROVIDERS', 'MCP_STDIO_ALLOW', 'MODEL_PRICES'];
      const { status, lines } = await started(
        Object.fromEntries(names.map((name, at) => [name, values[at] as string])),
      );
      expect(status).to.equal(78);
      expect(lines.map(line => /^setting "(\w+)" must be a JSON /.exec(line)?.[1])).to.deep.equal(names);
      expect(lines.join()).to.not.include('a-secret');
    });

  it('are read as prices of each kind of token, or of a minute', () => {
    const prices = { a: { input: 0.25, cachedInput: 0.025, output: 2 }, b: 0, c: { minute: 0.006 } };
    expect(readConfig({ MODEL_PRICES: JSON.stringify(prices) }).modelPrices).to.deep.equal(prices);
  });

  it('are in a currency that has a code', async () => {
    expect(readConfig({ PRICES_CURRENCY: 'BRL' }).pricesCurrency).to.equal('BRL');
    const { status, lines } = await started({ PRICES_CURRENCY: 'R$' });
    expect([status, lines]).to.deep.equal([
      78,
      ['setting "PRICES_CURRENCY" must be a currency code such as BRL'],
    ]);
  });

  it('say which part of which price is wrong', async () => {
    const prices = {
      less: -1,
      half: { input: 1 },
      dear: { input: 1, cachedInput: 2, output: 1 },
      minus: { input: 1, output: -2 },
      mixed: { minute: 1, output: 1 },
      unknown: { input: 1, output: 1, thought: 1 },
      missing: {},
      none: null,
      credit: { input: 1, cachedInput: -1, output: 1 },
      speech: { minute: -1 },
    };
    const { status, lines } = await started({ MODEL_PRICES: JSON.stringify(prices) });
    expect(status).to.equal(78);
    // biome-ignore format: a list
    const paths = [
      'less', 'half.output', 'dear.cachedInput', 'minus.output', 'mixed.output', 'unknown.thought',
      'missing.input', 'none', 'credit.cachedInput', 'speech.minute',
    ];
    for (const path of paths) expect(lines.join()).to.include(`"${path}"`);
  });

  it('say where they are wrong', async () => {
    const providers = '{"other": {}, "main": {"baseURL": "https://x.example"}}';
    const { lines } = await started({ LLM_PROVIDERS: providers });
    expect(lines.join()).to.include('"other.baseURL" is required').and.to.include('"main" is not allowed');
  });
});

describe('a key or base URL of a model provider without OPENAI_MODEL', () => {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL'])
    it(`ends every process: ${name}`, async () => {
      const { status, lines } = await started({ [name]: 'http://127.0.0.1:1' });
      expect({ status, lines }).to.deep.equal({ status: 78, lines: ['setting "OPENAI_MODEL" is required'] });
    });
});

describe('the addresses of Redis', () => {
  it('may be several of a cluster, and a comma in a password divides nothing', () => {
    for (const redisUrl of [
      'redis://:a,b@one:6379/3',
      'rediss://u:p,redis@one,rediss://two:7000,rediss://[::1]/0',
    ])
      expect(readConfig({ REDIS_URL: redisUrl }).redisUrl).to.equal(redisUrl);
  });

  for (const [what, redisUrl] of Object.entries({
    'must be an address of Redis': 'redis://one,http://two',
    'must name no database': 'redis://one,redis://two/1',
    'must have one scheme, user and password': 'redis://one:a-secret@one,redis://other:a-secret@two',
  }))
    it(`${what}, and the error quotes no password`, () => {
      const message = redisUrlSchema.validate(redisUrl).error?.message;
      expect(message).to.include(what);
      expect(message).to.not.include('a-secret');
    });
});

describe('an address in the settings', () => {
  it('that is none ends the process with a sentence that shows one', async () => {
    const { status, lines } = await started({
      DATABASE_URL: 'db.example:5432/parley',
      SECRET_KEY: 'k'.repeat(32),
      OPENAI_BASE_URL: 'models.example/v1',
      OPENAI_MODEL: 'm',
      CORS_ORIGINS: 'https://one.example, panel.example.edu.br',
    });
    expect(status).to.equal(78);
    expect(lines).to.deep.equal([
      'setting "DATABASE_URL" must be an address of PostgreSQL, as postgres://user:password@host:5432/database (in a password, %40 stands for @)',
      'setting "OPENAI_BASE_URL" must be a web address, as https://models.example.com/v1',
      'setting "CORS_ORIGINS" must have web origins, as https://panel.example.com, and nothing after the name or port: panel.example.edu.br',
    ]);
  });
});

describe('a variable that is no setting', () => {
  it('is told where it is almost the name of one, and not in an ordinary environment', () => {
    const wrong = {
      OPENAI_APIKEY: 'x',
      LOGLEVEL: 'debug',
      DATABASE_URI: 'x',
      EGRESS_ALOW: 'x',
      WORKERS_QUEUES: 'x',
    };
    expect(Object.fromEntries(findMisspeltSettings(wrong))).to.deep.equal({
      OPENAI_APIKEY: 'OPENAI_API_KEY',
      LOGLEVEL: 'LOG_LEVEL',
      DATABASE_URI: 'DATABASE_URL',
      EGRESS_ALOW: 'EGRESS_ALLOW',
      WORKERS_QUEUES: 'WORKER_QUEUES',
    });
    const usual =
      'PATH HOME HOSTNAME HOSTTYPE LOGNAME LANG LC_ALL PWD OLDPWD SHELL TERM TZ USER MAIL EDITOR DISPLAY NODE_ENV NODE_OPTIONS NODE_VERSION ' +
      'npm_config_loglevel npm_package_name KUBERNETES_PORT KUBERNETES_SERVICE_HOST PARLEY_PORT PARLEY_SERVICE_PORT HTTP_PROXY HTTPS_PROXY ' +
      'NO_PROXY XDG_DATA_DIRS XDG_RUNTIME_DIR SSH_AUTH_SOCK INVOCATION_ID JOURNAL_STREAM POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB ' +
      'PGHOST PGPORT PGDATABASE REDIS_PORT REDIS_HOST SECRET_KEY_BASE APP_NAME OTEL_SERVICE_NAME DATABASE_HOST';
    const names = [...usual.split(' '), ...settingNames];
    expect(findMisspeltSettings(Object.fromEntries(names.map(name => [name, 'x'])))).to.deep.equal([]);
  });
});

describe('EGRESS_ALLOW', () => {
  it('has addresses, names and ranges, with a port or for all', () => {
    const text = '10.0.0.5:8090, Evolution:8080,10.20.0.0/16,[fd00::1]:80,fd00::2,bridge';
    expect(readConfig({ EGRESS_ALLOW: text }).egressAllow).to.deep.equal([
      { range: ['10.0.0.5', 32], port: 8_090 },
      { name: 'evolution', port: 8_080 },
      { range: ['10.20.0.0', 16] },
      { range: ['fd00::1', 128], port: 80 },
      { range: ['fd00::2', 128] },
      { name: 'bridge' },
    ]);
  });

  it('refuses what is none, and names it', async () => {
    const { status, lines } = await started({ EGRESS_ALLOW: '10.0.0.5,10.0.0.300:80' });
    expect([status, lines.length]).to.deep.equal([78, 1]);
    expect(lines[0]).to.match(/^setting "EGRESS_ALLOW" must have addresses .*: 10\.0\.0\.300:80$/);
  });

  it('takes no text that would open nothing, or something else than it says', () => {
    // biome-ignore format: a list
    const wrong = [
      'http://10.0.0.5', '10.0.0.5:99999', '10.0.0.5:0', '10.0.0.5:080', '10.0.0.0/33', '10', 'a b', '10.0.0.*',
      '10.0.0.300', '10.0.0.300:80', '010.0.0.5', '010.0.0.5:80', '1.2.3', '1.2', '0x7f.1', '0x7f000001', '1.2.3.4.5', '10.0.0.5.',
      '[10.0.0.5]:80', '[crm]:80', 'fe80::1%eth0', '[fe80::1%eth0]:80', 'fe80::%eth0/10', '::ffff:10.0.0.5', '::ffff:a00:5', ':::1',
      '10/8', '010.0.0.0/8', '10.20.0.5/16', 'fd00::1/8', '10.0.0.0/08', '10.0.0.0/8:80', '::ffff:10.0.0.0/104',
      'CRM.Intra.', 'crm.intra.:80', '.crm', 'crm..intra', '-crm', 'crm-', 'crm.0x10', 'crm.5', '*.intra', 'xn--a', 'crm.intra/x',
      `${'a'.repeat(64)}.intra`, 'münchen.intra', 'ｃｒｍ',
    ];
    expect(wrong.filter(text => parseAllowed(text) !== undefined)).to.deep.equal([]);
    const right =
      'evolution_api:8080 CRM.Intra xn--mnchen-3ya.intra a1 10.0.0.5:1 10.0.0.0/8 FD00:0::1 [fd00::1]:80 fd00::/8 0.0.0.0/0';
    expect(right.split(' ').filter(text => parseAllowed(text) === undefined)).to.deep.equal([]);
  });
});

describe('CORS_ORIGINS', () => {
  it('has origins as browsers send them, also those of apps', () => {
    const origins = ['https://one.example', 'http://10.0.0.5:8090', 'capacitor://localhost'];
    expect(readConfig({ CORS_ORIGINS: origins.join(', ') }).corsOrigins).to.deep.equal(origins);
  });

  for (const never of [
    'https://one.example/',
    'https://one.example:443',
    'https://One.example',
    'one.example:8080',
    '*',
  ])
    it(`refuses what no browser sends: ${never}`, async () => {
      const { status, lines } = await started({ CORS_ORIGINS: never });
      expect(status).to.equal(78);
      expect(lines.join()).to.include(never);
    });
});

describe('the issuer of accounts', () => {
  const env = (OIDC_ISSUER: string) => ({ OIDC_ISSUER, OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' });

  it('may be one directory of Microsoft, and none for the accounts of every directory', async () => {
    const own = 'https://login.microsoftonline.com/70f74a41-c89d-4b5c-b77b-498fb3a4ec37/v2.0';
    expect(readConfig(env(own)).oidcIssuer).to.equal(own);
    const { status, lines } = await started(env('https://login.microsoftonline.com/common/v2.0'));
    expect([status, lines.length]).to.deep.equal([78, 1]);
    expect(lines[0]).to.include('"OIDC_ISSUER" must be the issuer').and.include('your own directory');
  });

  it('of every directory is known in whatever spelling, and by the id of the directory of private accounts', () => {
    const ms = 'https://login.microsoftonline.com';
    // biome-ignore format: a list
    const every = [
      `${ms}/common`, `${ms}/organizations/v2.0`, `${ms}/consumers/v2.0`, `${ms}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0`,
      'https://LOGIN.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.com./common/v2.0', `${ms}:443/common/v2.0`,
      `${ms}/Common/v2.0`, `${ms}//common/v2.0`, `${ms}/x/../common/v2.0`, `${ms}/%63ommon/v2.0`, `${ms}/9188040D-6C67-4C5B-B112-36A304B66DAD/v2.0`,
      'https://a@login.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.us/common/v2.0', 'https://login.microsoft.com/common/v2.0',
      'https://sts.windows.net/common/', 'https://login.windows.net/common', 'https://login.live.com', ms,
    ];
    expect(every.filter(issuer => !isOfAnyDirectory(issuer))).to.deep.equal([]);
    const ofOne = [
      `${ms}/70f74a41-c89d-4b5c-b77b-498fb3a4ec37/v2.0`,
      `${ms}/unix.edu.br/v2.0`,
      'https://sso.unix.edu.br/realms/common',
      'https://accounts.google.com',
      'https://login.microsoftonline.com.unix.edu.br/common',
    ];
    expect(ofOne.filter(isOfAnyDirectory)).to.deep.equal([]);
  });
});
