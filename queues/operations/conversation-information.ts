import { LARGEST_BODY } from '../operation.ts';
import { dateTime, flag, number, object, type TypeOf, text, uuid, uuidOrEmpty } from '../shape.ts';
import { CONVERSATION_ID } from './example-ids.ts';

const words = text({ min: 0, max: LARGEST_BODY });

/** A conversation at a glance. */
export const conversationInformation = object({
  id: uuid(),
  dialogue_summary: words,
  main_topic: words,
  user_name: words,
  tip: words,
  wpp_id: words,
  archived: flag(),
  /** When it began, while nothing has been said in it. */
  last_message_at: dateTime(),
  external_id: words,
  heat_score: number({ min: 0, max: 100 }),
  heat_score_description: words,
  sentiment_score: number({ min: -1, max: 1 }),
  sentiment_score_explanation: words,
  /** Empty where no lead belongs to it. */
  lead_id: uuidOrEmpty(),
  ask_human_help: flag(),
  closed: flag(),
});

export type ConversationInformation = TypeOf<typeof conversationInformation>;

export const conversationInformationExample: ConversationInformation = {
  id: CONVERSATION_ID,
  dialogue_summary: 'Ana perguntou pelo horário da secretaria.',
  main_topic: 'Atendimento da secretaria',
  user_name: 'Ana',
  tip: 'Ofereça o agendamento pelo Portal do Aluno.',
  wpp_id: '+55 11 98765-4321',
  archived: false,
  last_message_at: '2026-03-02T14:05:09.120Z',
  external_id: '',
  heat_score: 42,
  heat_score_description: 'Fez uma pergunta há pouco e deixou o nome.',
  sentiment_score: 0.2,
  sentiment_score_explanation: 'Escreve com cordialidade.',
  lead_id: '',
  ask_human_help: false,
  closed: false,
};
