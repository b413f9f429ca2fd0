import { expect } from 'chai';
import { knownArgumentsOf, userDataFor } from '../../workers/domain/schemas/known-arguments.ts';

const schemaOf = (...required: unknown[]) => ({ type: 'object', properties: { mes: {} }, required });

describe('the required arguments of an agent', () => {
  it('are known by name, in any spelling, from the conversation first and then from the person', () => {
    const globalData = { Curso: 'Direito', email: 'a@uni.example' };
    const userData = { email: 'b@uni.example', phone: '1' };
    const schema = schemaOf('curso', 'e_mail', 'telefone', 'cpf');
    const { values, missing } = knownArgumentsOf(schema, { globalData, userData });
    expect(values).to.deep.equal({ curso: 'Direito', e_mail: 'a@uni.example', telefone: '1' });
    expect(missing).to.deep.equal(['cpf']);
  });

  it('are missing where what is given says nothing, and none where a schema demands none', () => {
    const data = { globalData: { curso: ' ', turno: null, campus: [] }, userData: {} };
    expect(knownArgumentsOf(schemaOf('curso', 'turno', 'campus', 7), data).missing).to.deep.equal([
      'curso',
      'turno',
      'campus',
    ]);
    expect(knownArgumentsOf({ required: 'curso' }, data)).to.deep.equal({ values: {}, missing: [] });
  });

  it('take no name of an object’s own machinery for a field', () => {
    const none = { globalData: {}, userData: {} };
    const { missing } = knownArgumentsOf(schemaOf('constructor', '__proto__'), none);
    expect(missing).to.deep.equal(['constructor', '__proto__']);
  });

  it('and the optional ones are all that a model is shown of the person', () => {
    const userData = { name: 'Ana', cpf: '1', mes: 3, plano: 'x' };
    expect(userDataFor([schemaOf('nome')], userData)).to.deep.equal({ name: 'Ana', mes: 3 });
  });
});
