import { expect } from 'chai';
import { NIL_UUID } from '../../platform/uuid.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';

describe('the check of a turn', () => {
  it('reads the values of a turn as flow builders write them, and those of no other operation', () => {
    const { body, example } = operationOf('reason');
    const ids = { hostId: NIL_UUID, conversationId: NIL_UUID };
    // biome-ignore format: a table
    const turns: readonly (readonly [sent: object, read: object])[] = [
      [{ question: 2 }, { question: '2' }],
      [{ question: 12.5, contextData: true }, { question: '12.5', contextData: 'true' }],
      [{ userData: { phone: 5548991234567, cpf: 1, idade: 20 } },
        { userData: { phone: '5548991234567', cpf: '1', idade: 20 } }],
      [{ subSlug: '', sub_slug: ' ', choosenHostId: '', hostSlug: null }, {}],
      [{ userData: '', reasoningConfig: '', originalDialogue: '', attachments: '', globalData: '' }, {}],
      [{ returnDialogue: 'true' }, { returnDialogue: true }],
      [{ reasoningConfig: { rebounce: 'False', rehearsal: 1, svcCompleteLog: '0', burst: '', now: '' } },
        { reasoningConfig: { rebounce: false, rehearsal: true, svcCompleteLog: false } }],
      [
        { originalDialogue: [1, { role: 'user', content: 2, name: 3 }, { role: 'user', content: null }] },
        { originalDialogue: ['1', { role: 'user', content: '2', name: '3' }, { role: 'user', content: '' }] },
      ],
      [{ question: '', userData: { name: '', email: null } }, { question: '', userData: { name: '' } }],
    ];
    for (const [sent, read] of turns)
      expect(checkBody(body, { ...ids, ...sent }, { mayRespell: true }), JSON.stringify(sent)).to.deep.equal({
        value: { ...ids, ...read },
        errors: [],
        ignored: [],
      });
    const wrong = {
      conversationId: '',
      question: ['2'],
      returnDialogue: 'talvez',
      userData: { phone: {} },
      subSlug: {},
    };
    const { errors } = checkBody(body, { ...Object(example.body), ...wrong }, { mayRespell: true });
    expect(errors.map(({ path }) => path)).to.have.members([
      'conversationId',
      'question',
      'returnDialogue',
      'userData.phone',
      'subSlug',
    ]);
    const avatar = { hostSlug: 2 };
    expect(
      checkBody(operationOf('createConversation').body, { ...ids, ...avatar }, { mayRespell: true }).errors,
    ).to.have.length(1);
  });
});
