import { expect } from 'chai';
import { queryWordsOf } from '../../text/query-words.ts';
import { foldTyped } from '../../text/typed-words.ts';

describe('a question as it is typed', () => {
  const same = (question: string, meant: string) =>
    it(`"${question}" is read as "${meant}"`, () => expect(foldTyped(question).trim()).to.equal(meant));

  same('MENSALIDADEEEEE', 'mensalidade');
  same('carrrrro, posssso?', 'carro, posso?');
  same('m e n s a l i d a d e', 'mensalidade');
  same('𝗺𝗲𝗻𝘀𝗮𝗹𝗶𝗱𝗮𝗱𝗲 ⓓⓞ ｂｏｌｅｔｏ', 'mensalidade do boleto');
  same('ʙɪʙʟɪᴏᴛᴇᴄᴀ', 'biblioteca');
  same('apro\u00advei\u200bta\u2060mento', 'aproveitamento');
  same('qdo vence, e qto eh?', 'quando vence, e quanto e?');
  same('oq vc n paga kkkkk', 'o que voce nao paga');
  same('ajuste do 2 quad, 1a chamada', 'ajuste do 2º quadrimestre, 1ª chamada');

  it('keeps what only looks like that', () => {
    for (const meant of [
      '40¹ vagas',
      'www.exemplo.br/q',
      'q.n@exemplo.br',
      'seculo xviii',
      'bloco n',
      '1000 reais',
      'a, e, i, o',
    ])
      expect(foldTyped(meant)).to.equal(meant);
  });

  it('never makes another number of a figure with a note', () => {
    expect(queryWordsOf('40¹ vagas', []).map(({ word }) => word))
      .to.include('40')
      .and.not.include('401');
  });

  it('is looked for by what the texts write for what people say', () => {
    const written = (question: string) => queryWordsOf(question, []).map(({ word }) => word);
    expect(written('larguei a facul')).to.include.members(['desistencia', 'faculdade']);
    expect(written('estourei o tempo')).to.include('integralizacao');
    expect(written('onde tem xerox')).to.include('reprografia');
    // The texts' own words find nothing that is only said.
    expect(written('cancelamento da desistencia')).to.not.include('larguei');
  });
});
