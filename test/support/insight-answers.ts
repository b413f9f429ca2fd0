import { eventually } from './eventually.ts';
import { fail, type ModelRequest, type ModelScript, say } from './scripted-model.ts';
import type { ApiResponse, Service } from './service.ts';

const PATH = '/api/externalAPIs/public/svcReasoning/getConversationInformation';

/** An answer of the model about a conversation. */
export const insightSample = {
  dialogue_summary: 'Ana quer se matricular em Direito.',
  user_name: 'Ana',
  main_topic: 'Matrícula em Direito',
  tip: 'Envie o link da matrícula.',
  heat_score: 90,
  heat_score_description: 'Perguntou como começar.',
  sentiment_score: 0.6,
  sentiment_score_explanation: 'Escreve com entusiasmo.',
  categories: ['Matrícula', 'Direito'],
};

/** Answers turns with one script, and insight requests with another. */
export function withInsights(
  insight: ModelScript = sayInsight(),
  turn: ModelScript = say('Certo.'),
): ModelScript {
  return (request, response) => (isInsight(request) ? insight : turn)(request, response);
}

export function sayInsight(changes: object = {}): ModelScript {
  return say(JSON.stringify({ ...insightSample, ...changes }));
}

/** Fails permanently, unlike errors that are retried. */
export const failInsight: ModelScript = fail(400);

function isInsight({ headers }: ModelRequest): boolean {
  return headers['x-parley-purpose'] === 'insight';
}

export function insightRequests({ model }: Service): ModelRequest[] {
  return model.requests.filter(isInsight);
}

export function informationOf(
  service: Service,
  conversationId: string,
  token?: string,
): Promise<ApiResponse> {
  return service.call(PATH, { conversationId }, token === undefined ? {} : { token });
}

/** Waits until no insight of this conversation is due or running. */
export async function waitForInsights(
  { db }: Service,
  conversationId: string,
  limitMs = 15_000,
): Promise<void> {
  const due = () => db('insights_due').where({ conversation_id: conversationId });
  await eventually(due, rows => rows.length === 0, limitMs);
}
