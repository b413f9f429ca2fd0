import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';

describe('the log of a process', () => {
  const lines: string[] = [];
  const log = makeLog('test', 'error', { write: line => void lines.push(line) });
  beforeEach(() => {
    lines.length = 0;
  });

  /** As knex makes it of an error of PostgreSQL. */
  const errorOf = (statement: string, message: string) => {
    const error = Object.assign(new Error(message), { code: '22P02' });
    error.message = `${statement} - ${message}`;
    return error;
  };

  it('has the statement of an error, and nothing of a value that the database quotes, whatever stands in that', () => {
    for (const value of ['Ana Souza', 'Ana Souza - 111.444.777-35', ' - Ana - Souza - ']) {
      const statement = 'insert into contacts (name) values ($1)';
      log.error({ err: errorOf(statement, `invalid input syntax for type integer: "${value}"`) });
      const [line = ''] = lines.splice(0);
      expect(line).to.include(statement);
      expect(line).to.not.match(/Ana|Souza|111/);
    }
  });
});
