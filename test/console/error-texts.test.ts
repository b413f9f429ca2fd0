import { expect } from 'chai';
import { describeField, meaningOf } from '../../console/error-texts.ts';
import { fieldError, type Rule, rules } from '../../platform/field-error.ts';
import { type Refusal, refusals } from '../../queues/contract/failure.ts';

describe('the errors of the console', () => {
  it('have a Portuguese sentence for each refusal, and for each rule of a field', () => {
    for (const reason of Object.keys(refusals) as Refusal[]) {
      const [status, message] = refusals[reason];
      expect(meaningOf(status, reason), reason).to.be.a('string').and.not.equal(message);
      if (status < 500) expect(meaningOf(status, reason), reason).not.to.equal(meaningOf(599, undefined));
    }
    for (const rule of Object.keys(rules) as Rule[]) {
      const error = fieldError('x', rule, { limit: 7, values: ['y'] });
      const told = describeField(error);
      expect(told, rule).to.not.include(error.message);
      expect(told, rule)
        .to.match(/\p{L} \p{L}/u)
        .and.not.include('undefined');
      expect(told.includes('7'), rule).to.equal(rules[rule].includes('{limit}'));
    }
  });

  it('are told by the name of the refusal, by the status where it has none, and by the rule of the field', () => {
    expect(meaningOf(409, 'sub-slug-taken')).to.equal('Este identificador já é de outro assistente');
    expect(meaningOf(429, undefined)).to.equal('Pedidos demais em pouco tempo');
    expect(meaningOf(502, undefined)).to.equal('Algo deu errado');
    const tooLong = fieldError('content', 'max-length', { limit: 8_000 });
    expect(describeField(tooLong)).to.equal('Texto: só cabem 8.000 caracteres');
    expect(describeField({ path: 'x', message: 'of an earlier version' })).to.equal(
      'x: of an earlier version',
    );
  });
});
