import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../../api/start.ts';
import { makeLog } from '../../platform/log.ts';
import { openOnce } from '../support/opened.ts';
import { say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const SITE = 'https://www.exemplo.edu.br';
const VISITORS = 1_000;
const AT_ONCE = 20;
/** Visitors of one address ask once each, fewer than an address may in an hour. */
const OF_ONE_ADDRESS = 50;
/** The default of a visitor in an hour. */
const LIMIT = 20;

interface Data {
  readonly visitor: string;
  readonly text?: string;
  readonly reason?: string;
  readonly messages: readonly { readonly text: string }[];
}

describe('the chat of a site under a flood', () => {
  const service = openService();
  const { demo, model } = service;
  const behindProxy = openOnce(() =>
    startApi({ ...service.settings, port: 0, trustProxy: true }, makeLog('test', 'silent')),
  );

  it('limits one visitor who floods; a thousand others do not notice, nor read each other', async function () {
    this.timeout(300_000);
    const saved = await demo.call('saveSiteChat', {
      avatarId: demo.avatarId,
      origins: [SITE],
      title: 'Chat',
    });
    const path = `http://127.0.0.1:${behindProxy.port}/site-chat/${saved.body.data.publicKey}`;
    model.script(say(({ messages }) => `Eco: ${messages.at(-1)?.content}`));
    const post = async (
      name: string,
      address: string,
      visitor?: string,
      body: object = {},
    ): Promise<Data> => {
      const response = await fetch(`${path}/${name}`, {
        method: 'POST',
        headers: {
          origin: SITE,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          'x-forwarded-for': address,
          ...(visitor === undefined ? {} : { authorization: `Bearer ${visitor}` }),
        },
        body: JSON.stringify(body),
      });
      return ((await response.json()) as { data: Data }).data;
    };
    /** The number of a visitor whose question is refused, or who reads more or less than its own words. */
    const wrong: number[] = [];
    const visitOnce = async (number: number) => {
      const address = `10.2.${Math.floor(number / OF_ONE_ADDRESS)}.1`;
      const { visitor } = await post('visits', address);
      const question = `Sou a pessoa ${number}.`;
      await post('questions', address, visitor, { question });
      const { messages } = await post('messages', address, visitor);
      const read = messages.map(({ text }) => text).join('|');
      if (read !== `${question}|Eco: ${question}`) wrong.push(number);
    };
    const { visitor: flooder } = await post('visits', '10.1.0.1');
    const flooded: string[] = [];
    const flood = async (number: number) => {
      const { text, reason } = await post('questions', '10.1.0.1', flooder, { question: `Flood ${number}` });
      flooded.push(text === undefined ? (reason ?? '') : 'answered');
    };
    for (let first = 0; first < VISITORS; first += AT_ONCE) {
      const visits = Array.from({ length: AT_ONCE }, (_, at) => visitOnce(first + at));
      await Promise.all([flood(first), ...visits]);
    }
    expect(wrong).to.deep.equal([]);
    expect(flooded.filter(each => each === 'answered')).to.have.length(LIMIT);
    expect(flooded.filter(each => each === 'visitor-limit')).to.have.length(VISITORS / AT_ONCE - LIMIT);
  });
});
