import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { settingNames as accepted, readConfig } from '../platform/config.ts';
import { queueNames } from '../queues/contract/queues.ts';

const textOf = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8');
const allMatches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);

const shown = [...textOf('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)];

describe('the settings as they are documented', () => {
  it('reads each setting from a variable of its name in capitals', () => {
    expect(accepted).to.include.members(['PORT', 'DATABASE_URL', 'LOG_LEVEL']);
  });

  it('.env.example has every setting once, and no other', () => {
    expect(shown.map(([, name]) => name)).to.have.members(accepted);
  });

  it('.env.example shows each default as it is', () => {
    const values = Object.fromEntries(shown.map(([, name, value]) => [name, value]));
    expect(readConfig(values)).to.deep.equal(readConfig({}));
    const defaults = Object.values(readConfig({})).filter(
      value => !(Array.isArray(value) && value.length === 0),
    );
    expect(Object.values(values).filter(Boolean)).to.have.lengthOf(defaults.length);
  });

  it('names every queue that a worker may serve', () => {
    for (const name of ['.env.example', 'docs/settings.md', 'docs/operations.md'])
      expect(
        queueNames.filter(queue => !textOf(name).includes(queue)),
        name,
      ).to.deep.equal([]);
    const [, listed] = /comma-separated: (.*?)\. Empty/.exec(textOf('.env.example')) ?? [];
    expect(listed?.split(', ')).to.have.members(queueNames);
  });

  it('.env.example sets nothing when it is copied as it is', () => {
    expect(textOf('.env.example')).not.to.match(/^[A-Z]/m);
  });

  it('docs/settings.md names every setting, and no other', () => {
    expect(allMatches(textOf('docs/settings.md'), /^\| `([A-Z][A-Z0-9_]*)` +\|/gm)).to.have.members(accepted);
  });

  it('docker-compose.yml hands every setting on, but for those that mean nothing in a container', () => {
    const ofContainer = ['PORT', 'HOST', 'DATA_DIR', 'ENABLE_TEST_ENDPOINT', 'TEST_ENDPOINT_TOKEN'];
    const handedOn = allMatches(textOf('docker-compose.yml'), /^ +([A-Z][A-Z0-9_]*): /gm);
    expect(handedOn).to.include.members(accepted.filter(name => !ofContainer.includes(name ?? '')));
  });
});
