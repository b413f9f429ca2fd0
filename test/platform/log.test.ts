import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';

describe('the log of a process', () => {
  const lines: string[] = [];
  const log = makeLog('test', 'error', { write: line => void lines.push(line) });
  beforeEach(() => {
    lines.length = 0;
  });

  const values = ['Ana Souza', 'Ana Souza - 111.444.777-35', ' - Ana - Souza - ', 'Ana\nSouza'];
  const errorOf = (value: string) =>
    Object.assign(new Error(`invalid input syntax for type integer: "${value}"`), { code: '22P02' });
  const demandSilence = () => {
    const [line = ''] = lines.splice(0);
    expect(line).to.not.match(/Ana|Souza|111\.444/);
    return line;
  };

  it('has the statement of an error, and nothing of a value that the database quotes, whatever stands in that', () => {
    const statement = 'insert into contacts (name) values ($1)';
    for (const value of values) {
      const err = errorOf(value);
      // As knex does it.
      err.message = `${statement} - ${err.message}`;
      log.error({ err }, 'failed');
      expect(demandSilence()).to.include(statement);
    }
  });

  it('has nothing of a value that is quoted without a statement, by the database or by a parser', () => {
    for (const value of values)
      for (const err of [
        errorOf(value),
        new SyntaxError(`Unexpected token 'A', "${value}" is not valid JSON`),
      ]) {
        log.error({ err }, 'failed');
        demandSilence();
      }
  });
});
