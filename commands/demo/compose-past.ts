import { randomUUID } from 'node:crypto';
import type { ContactData } from '../../db/conversations/contacts.ts';
import type { PastConversation, PastMessage } from '../../db/seed/past-conversations.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { saysNotFound } from '../../text/says-not-found.ts';
import { splitSentences } from '../../text/sentences.ts';
import { checkAnswer } from '../../workers/domain/alignment/check-answer.ts';
import { composeInsight } from '../../workers/domain/insight/compose-insight.ts';
import past from './past.json' with { type: 'json' };
import { phoneOf } from './records.ts';

export interface ComposedTalk {
  readonly conversation: PastConversation;
  /** Undefined if the person did not say a name. */
  readonly person: ContactData | undefined;
  readonly ticket: string | undefined;
  readonly notes: readonly { readonly name: string; readonly content: string }[];
}

type Random = () => number;
type Passage = Pick<DataOf<'readChunks'>[number], 'chunk_id' | 'dataset_id' | 'content'>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAYS = 60;
/** São Paulo is three hours behind UTC, and has no summer time. */
const BEHIND_UTC = 3 * HOUR;
/** A fixed seed gives every start the same texts, people and hours. */
const SEED = 39;

const FAREWELLS = [
  'Por nada! Se precisar de mais alguma coisa, é só chamar.',
  'Certo! Qualquer dúvida, é só chamar.',
  'Disponha! Conte comigo.',
];

/** Composes all conversations before this moment. The same moment gives the same ones, except for ids. */
export function composePast(passages: readonly Passage[], asOf: Date): ComposedTalk[] {
  const random = makeRandom(SEED);
  return demoTalks.flatMap(talk =>
    talk.asked.map(({ name, question }, nth) => {
      const minutesAgo = talk.minutesAgo?.[nth];
      const said = listMessages(talk, question, random);
      const times = placeMessages(said, { minutesAgo, asOf, random });
      return composeTalk(talk, { name, said, times, isOver: minutesAgo === undefined, passages, random });
    }),
  );
}

/** The assistant says farewell if the person had the last word and nobody asked for the team. */
function listMessages({ lines }: DemoTalk, question: string, random: Random): DemoMessage[] {
  const ordinary = { name: null, asksForPerson: false, daysClosed: 0 };
  const said: DemoMessage[] = [{ author: 'user', content: question, ...ordinary }, ...readLines(lines)];
  const isAlone = said.at(-1)?.author === 'user' && !said.some(({ asksForPerson }) => asksForPerson);
  const farewell = FAREWELLS[Math.floor(random() * FAREWELLS.length)] ?? '';
  return isAlone ? [...said, { author: 'assistant', content: farewell, ...ordinary }] : said;
}

interface Place {
  /** How many minutes ago the last message came; undefined for an earlier day. */
  readonly minutesAgo: number | undefined;
  readonly asOf: Date;
  readonly random: Random;
}

function placeMessages(said: readonly DemoMessage[], { minutesAgo, asOf, random }: Place): Date[] {
  let at = 0;
  const offsets = said.map(({ author, daysClosed }, nth) => {
    if (nth > 0) at += daysClosed * DAY + delayOf(author, random);
    return at;
  });
  const closed = said.reduce((sum, { daysClosed }) => sum + daysClosed, 0);
  const begin =
    minutesAgo === undefined ? chooseBegin(asOf, closed, random) : asOf.getTime() - minutesAgo * MINUTE - at;
  return offsets.map(offset => new Date(Math.floor(begin + offset)));
}

function delayOf(author: DemoMessage['author'], random: Random): number {
  if (author === 'assistant') return (2 + 4 * random()) * SECOND;
  if (author === 'user') return (20 + 100 * random()) * SECOND;
  return (2 + 7 * random()) * MINUTE;
}

/** Chooses a moment on an earlier day, rarely at a weekend, mostly in the daytime. */
function chooseBegin(asOf: Date, daysClosed: number, random: Random): number {
  const today = Math.floor((asOf.getTime() - BEHIND_UTC) / DAY) * DAY;
  for (;;) {
    const day = today - (1 + daysClosed + Math.floor((DAYS - 1 - daysClosed) * random())) * DAY;
    const weekday = new Date(day).getUTCDay();
    const isKept = random() < (weekday === 0 ? 0.3 : weekday === 6 ? 0.55 : 1);
    const hour = random() < 0.1 ? 21 + 1.5 * random() : 8 + 6 * (random() + random());
    if (isKept) return day + BEHIND_UTC + hour * HOUR;
  }
}

interface Composed {
  readonly name: string;
  readonly said: readonly DemoMessage[];
  readonly times: readonly Date[];
  /** Whether it was on an earlier day. */
  readonly isOver: boolean;
  readonly passages: readonly Passage[];
  readonly random: Random;
}

function composeTalk(talk: DemoTalk, composed: Composed): ComposedTalk {
  const { name, said, times, isOver, random } = composed;
  const messages = composeMessages(composed);
  const helpAskedAt = times[said.findLastIndex(({ asksForPerson }) => asksForPerson)] ?? null;
  const channel = random();
  const isOnSite = name === '' || channel < 0.15;
  const phone = name === '' ? undefined : phoneOf(name);
  const askHumanHelp = helpAskedAt !== null && !isOver;
  return {
    conversation: {
      id: randomUUID(),
      contactId: null,
      platform: isOnSite ? 'site' : 'whatsapp',
      userName: name,
      wppId: isOnSite ? '' : (phone ?? '').replaceAll(/\D/g, ''),
      closed: isOver,
      askHumanHelp,
      attended: askHumanHelp && said.some(({ author }) => author === 'human'),
      assignedTo: talk.attendedBy ?? null,
      helpAskedAt,
      insight: composeSummary(talk, name, messages),
      messages,
    },
    person: phone === undefined ? undefined : { name, phone, phoneE164: `+${phone.replaceAll(/\D/g, '')}` },
    ticket: talk.ticket,
    notes: said.flatMap(({ author, name, content }) =>
      author === 'note' ? [{ name: name ?? '', content }] : [],
    ),
  };
}

function composeMessages({ said, times, passages }: Composed): PastMessage[] {
  const messages: PastMessage[] = [];
  let turnId: string | null = null;
  for (const [nth, { author, name, content, daysClosed }] of said.entries()) {
    if (author === 'note') continue;
    if (author === 'user') turnId = randomUUID();
    const question = messages.findLast(message => message.author === 'user')?.content ?? '';
    const checked = author === 'assistant' ? checkAgainst(passages, content, question) : NOTHING;
    messages.push({
      author,
      name,
      content,
      at: times[nth] ?? new Date(0),
      turnId: author === 'human' ? null : turnId,
      reopens: daysClosed > 0,
      ...checked,
    });
  }
  return messages;
}

const NOTHING = { sources: [], unsupported: [] };

/** Checks the answer like a turn whose search found the passages that it quotes. */
function checkAgainst(passages: readonly Passage[], answer: string, question: string) {
  const sentences = splitSentences(answer).map(({ from, to }) => answer.slice(from, to));
  const quoted = passages.filter(({ content }) => sentences.some(sentence => content.includes(sentence)));
  const sourceTexts = { question, passages: quoted.map(({ content }) => content), hostTexts: [], others: [] };
  const steps = checkAnswer(answer, sourceTexts);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { sources, unsupported } = step.value;
  if (saysNotFound(answer)) return { sources: [], unsupported };
  return {
    unsupported,
    sources: sources.flatMap(({ passage, sentences }) => {
      const found = quoted[passage];
      return found ? [{ chunkId: found.chunk_id, datasetId: found.dataset_id, sentences }] : [];
    }),
  };
}

/** The insight that a model would write, with the heat that the rules give. */
function composeSummary(talk: DemoTalk, userName: string, messages: readonly PastMessage[]) {
  const { topic, categories, summary, tip, mood, heat } = talk;
  const texts = { userName, dialogueSummary: summary, mainTopic: topic, tip, categories };
  const feelings = { sentimentScore: mood.score, sentimentScoreExplanation: mood.why };
  const nothing = { userName: '', dialogueSummary: '', mainTopic: '', tip: '', categories: [] };
  return composeInsight({
    messages: messages.map(({ author, content, at }) => ({ author, content, at: at.getTime() })),
    asOf: messages.at(-1)?.at.getTime() ?? 0,
    earlier: { ...nothing, sentimentScore: 0, sentimentScoreExplanation: '', by: 'none', heatAdjustment: 0 },
    answer: { ...texts, ...feelings, heatScore: heat, heatScoreDescription: '' },
  });
}

/** Numbers from 0 to 1, the same for each seed: a linear congruential generator. */
function makeRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A conversation that several people had alike; each began it in their own words. */
interface DemoTalk {
  readonly topic: string;
  readonly categories: readonly string[];
  readonly summary: string;
  readonly tip: string;
  /** The score is from -1 to 1. */
  readonly mood: { readonly score: number; readonly why: string };
  /** The interest of the person, from 0 to 100. */
  readonly heat: number;
  /** The people who began it, with their first questions; a name is empty if the person gave none. */
  readonly asked: readonly { readonly name: string; readonly question: string }[];
  /**
   * The messages that follow: `> ` by the person, `< ` by the assistant, `! ` by the assistant, which asks for a person of
   * the team, `Name: ` by one of the team, `# Name: ` a note of theirs. `= 3`: closed, and opened again after three days.
   */
  readonly lines: readonly string[];
  /** For each person who asked, how many minutes ago the last message came today. */
  readonly minutesAgo?: readonly number[] | undefined;
  /** The member of the team who attends it now. */
  readonly attendedBy?: string | undefined;
  readonly ticket?: string | undefined;
}

/**
 * Talks of students come first, then of applicants, then of today. The answers are sentences of the demo's knowledge
 * (db/seed).
 */
const demoTalks: readonly DemoTalk[] = past.talks;

interface DemoMessage {
  readonly author: 'user' | 'assistant' | 'human' | 'note';
  /** The name of the team member. */
  readonly name: string | null;
  readonly content: string;
  /** Whether it asks for a member of the team. */
  readonly asksForPerson: boolean;
  /** For how many days the conversation was closed before it. */
  readonly daysClosed: number;
}

const authors = { '>': 'user', '<': 'assistant', '!': 'assistant' } as const;

/** The messages that follow the first question. */
function readLines(lines: readonly string[]): DemoMessage[] {
  let daysClosed = 0;
  return lines.flatMap(line => {
    const [sign, rest] = [line.slice(0, 1), line.slice(2)];
    if (sign === '=') {
      daysClosed = Number(rest);
      return [];
    }
    const message = { ...readMessage(line, sign, rest), asksForPerson: sign === '!', daysClosed };
    daysClosed = 0;
    return [message];
  });
}

function readMessage(line: string, sign: string, rest: string) {
  if (sign === '>' || sign === '<' || sign === '!')
    return { author: authors[sign], name: null, content: rest };
  const said = sign === '#' ? rest : line;
  const end = said.indexOf(': ');
  return {
    author: sign === '#' ? ('note' as const) : ('human' as const),
    name: said.slice(0, end),
    content: said.slice(end + 2),
  };
}
