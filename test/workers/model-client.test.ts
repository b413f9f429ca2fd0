import { expect } from 'chai';
import { clientOf } from '../../workers/model/client.ts';

describe('the client of a model', () => {
  it('prints nothing, even where the environment tells the library to print all', () => {
    // By default the library reads OPENAI_LOG; with "debug" it prints every prompt.
    expect(clientOf({ baseURL: 'http://127.0.0.1:9/v1', apiKey: 'x' }).logLevel).to.equal('off');
  });
});
