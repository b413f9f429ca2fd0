import { expect } from 'chai';
import { isRefusal, parseChatRequest } from '../../offline-model/chat-request.ts';
import { chooseReply, findKnowledge } from '../../offline-model/reply.ts';
import { asksForPerson } from '../../text/answers/asks-for-person.ts';
import { smallTalkOf } from '../../text/answers/small-talk.ts';
import { toPortuguese } from '../../text/foreign-words.ts';
import { model, turn } from './chat-samples.ts';

const knowledgeOf = (...contents: string[]) =>
  findKnowledge(requestOf(contents.map(content => ({ role: 'system', content }))).messages);

describe('offline model: knowledge in the prompt', () => {
  it('takes marked passages from every system message, each once, in order', () => {
    const first = 'Regras.\n<trecho id="1" fonte="a">\num\n</trecho>\n<trecho id="2">dois</trecho>';
    expect(knowledgeOf(first, 'nada', '<trecho>um</trecho><trecho>três</trecho>')).to.deep.equal([
      'um',
      'dois',
      'três',
    ]);
  });

  it('takes nothing that is not marked, and ignores unclosed marks', () => {
    expect(knowledgeOf('# Contexto\nsolto\n<trecho>preso</trecho>')).to.deep.equal(['preso']);
    expect(knowledgeOf('<trecho id="1">sem fim', '<trecho')).to.deep.equal([]);
  });

  it('takes no text that is merely about knowledge', () => {
    expect(knowledgeOf('Use o conhecimento dado. Contexto é tudo.')).to.deep.equal([]);
  });
});

describe('offline model: a question in another language', () => {
  const passage = '<trecho id="1">A biblioteca funciona de segunda a sexta-feira, das 7h30 às 22h.</trecho>';
  const asked = (question: string) =>
    textOf([
      { role: 'system', content: passage },
      { role: 'user', content: question },
    ]);

  it('is answered from knowledge in Portuguese, and told in its language what that is', () => {
    expect(asked("What are the library's opening hours?")).to.match(/^The knowledge base.*7h30 às 22h/s);
    expect(asked('¿Cuál es el horario de la biblioteca?')).to.match(/^La base de con.*7h30 às 22h/s);
    expect(asked('How much is a rocket?')).to.match(/^I could not find[^\d]*$/);
    expect(asked('¿Cuánto cuesta un cohete?')).to.match(/^No encontré[^\d]*$/);
    for (const question of [
      'a biblioteca abre as 8?',
      'Tem wifi no campus?',
      'Is',
      'O SUS atende no campus?',
      '',
    ])
      expect(toPortuguese(question), question).to.not.have.property('language');
  });
});

describe('offline model: who calls for a person again', () => {
  it('is never told the same sentence twice in a row', () => {
    const call = {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'ask_human_help', arguments: '{}' } }],
    };
    const messages: object[] = [];
    const told: string[] = [];
    for (let times = 0; times < 5; times += 1) {
      messages.push({ role: 'user', content: 'Quero falar com um atendente' });
      told.push(textOf([...messages, call, { role: 'tool', tool_call_id: 'c', content: 'ok' }]));
      messages.push({ role: 'assistant', content: told.at(-1) });
    }
    expect(
      told.every((text, at) => text !== told[at - 1] && /equipe/.test(text)),
      told.join('\n'),
    ).to.equal(true);
  });
});

describe('offline model: small talk', () => {
  // biome-ignore format: a table
  const kinds: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^Olá/, ['oi', 'Olá!', 'bom dia', 'Boa tarde, tudo bem?', 'oii', 'Opa, boa noite pessoal',
        'oi tudo bem com você?', '👋']],
    [/^Por nada/, ['obrigado', 'Muito obrigada pela ajuda!', 'vlw', 'ok, obrigada', 'perfeito',
        'valeu, era só isso']],
    [/^Até logo/, ['tchau', 'Até mais!', 'obrigado, tchau', 'flw']],
    [/offline-extractive/, ['quem é você?', 'Oi, você é um robô?', 'qual o seu nome?',
        'com quem estou falando?']],
  ];
  for (const [expected, messages] of kinds)
    it(`answers ${messages.map(message => `"${message}"`).join(', ')} with ${expected.source}`, () => {
      for (const message of messages) expect(textOf(turn(message)), message).to.match(expected);
    });

  it('takes no question for small talk, also behind a greeting', () => {
    const questions = [
      'Oi, qual o horário da biblioteca?',
      'bom dia quanto custa',
      'Quem é você e onde fica a secretaria da universidade?',
    ];
    for (const question of questions) expect(smallTalkOf(question), question).to.equal(undefined);
    expect(textOf(turn('Oi, tudo bem? Qual o telefone da secretaria?'))).to.include('3829-4400');
  });
});

describe('offline model: wish for a person', () => {
  it('hears it in many wordings', () => {
    for (const message of [
      'quero falar com um atendente',
      'Gostaria de falar com uma pessoa, por favor',
      'me transfere pra um humano',
      'atendente',
      'tem alguém aí que possa me atender?',
      'posso conversar com alguém da equipe?',
      'Preciso de atendimento humano!',
      'falar com uma pessoa de verdade',
      'como faço para falar com um atendente?',
    ])
      expect(asksForPerson(message), message).to.equal(true);
  });

  it('does not hear it in questions about people, nor in a refusal', () => {
    for (const message of [
      'Quem é a pessoa responsável pelas bolsas?',
      'Qual o horário de atendimento da secretaria?',
      'não quero falar com atendente',
      'Quantas pessoas estudam aí?',
      'Preciso de uma declaração de matrícula',
      'como funciona o atendimento psicológico?',
      'Com qual funcionário devo falar sobre o diploma?',
    ])
      expect(asksForPerson(message), message).to.equal(false);
  });
});

describe('offline model: course of the dialogue', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'consultar_boleto', arguments: '{}' } };
  const afterTool = (content: string) => [
    ...turn('meu boleto'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content },
  ];

  it('repeats the short text of a tool, keeps data to itself and admits a failure', () => {
    expect(textOf(afterTool('Seu boleto vence amanhã.'))).to.equal('Seu boleto vence amanhã.');
    expect(textOf(afterTool('{"valor": 10}')))
      .to.not.include('valor')
      .and.not.equal('');
    expect(textOf(afterTool('{"error": "fora do ar"}'))).to.match(/^Não consegui/);
  });

  it('says that it does not know rather than telling the figure of another thing', () => {
    expect(textOf(turn('Qual é a multa por perder o crachá?')))
      .to.match(/^Não encontrei/)
      .and.not.include('R$');
  });

  it('offers help when the silence is to be broken after its own last word', () => {
    expect(textOf(turn('oi', 'Olá!'))).to.match(/ajudar/);
  });

  it('does not drag an old topic into a question that stands on its own', () => {
    const answer = textOf(
      turn('Quanto é a multa da biblioteca?', 'R$ 1,50.', 'Qual é o telefone da secretaria acadêmica?'),
    );
    expect(answer).to.include('3829-4400').and.not.include('multa');
  });
});

function requestOf(messages: object[], rest: object = {}) {
  const request = parseChatRequest({ model, messages, ...rest });
  return isRefusal(request) ? expect.fail(request.message) : request;
}

function textOf(messages: object[], rest: object = {}): string {
  const reply = chooseReply(requestOf(messages, rest));
  return reply.kind === 'text' ? reply.text : expect.fail('a call');
}
