import { expect } from 'chai';
import { startParts } from '../../commands/launcher/start-parts.ts';
import { readConfig } from '../../platform/config.ts';

describe('the settings that the launcher gives its processes', () => {
  /** Nothing is started where a database and a model are named. */
  const currencyWith = async (set: Record<string, string>) => {
    const named = {
      DATABASE_URL: 'postgres://db.example/parley',
      OPENAI_BASE_URL: 'https://model.example/v1',
      OPENAI_MODEL: 'small',
    };
    const parentEnv = { ...named, SECRET_KEY: 'a secret key of thirty-two letters', ...set };
    const launch = { config: readConfig(parentEnv), parentEnv, procfile: '' };
    const env = await startParts(launch, '/nowhere', { processes: [] }, new AbortController().signal);
    return env['PRICES_CURRENCY'];
  };

  it('have reais for what the demonstration has spent, unless there are prices or a currency', async () => {
    expect(await currencyWith({})).to.equal('BRL');
    expect(await currencyWith({ PRICES_CURRENCY: 'USD' })).to.equal('USD');
    expect(await currencyWith({ MODEL_PRICES: '{"small": 1.1}' })).to.equal(undefined);
  });
});
