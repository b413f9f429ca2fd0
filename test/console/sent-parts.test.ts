import { expect } from 'chai';
import { readSentParts } from '../../console/sent-parts.ts';
import { shownLabelOf, spokenLabelOf } from '../../workers/domain/media/attachment-labels.ts';

describe('what a person sent, as the console reads it', () => {
  it('has a part for each label of a stored message, and the words of each recording', () => {
    const message = [
      'Veja isto:',
      `${spokenLabelOf(42)} Qual é o horário?\nE o endereço?`,
      shownLabelOf('imagem', 'boleto.png'),
      shownLabelOf('imagem'),
      shownLabelOf('arquivo', 'edital [2].pdf'),
    ].join('\n');
    expect(readSentParts(message)).to.deep.equal([
      { kind: 'text', label: '', text: 'Veja isto:' },
      { kind: 'áudio', label: '0:42', text: 'Qual é o horário?\nE o endereço?' },
      { kind: 'imagem', label: 'boleto.png', text: '' },
      { kind: 'imagem', label: '', text: '' },
      { kind: 'arquivo', label: 'edital 2.pdf', text: '' },
    ]);
  });

  it('leaves a text without labels as it is', () => {
    for (const text of ['', 'Oi', 'a\n\nb', '[sic] e [imagem: x] no meio', '[áudio] sem tempo'])
      expect(readSentParts(text)).to.deep.equal([{ kind: 'text', label: '', text }]);
  });
});
