import { eventually } from './eventually.ts';
import { fail, type ModelRequest, type ModelScript, say } from './scripted-model.ts';
import type { ApiResponse, Service } from './service.ts';

const PATH = '/api/externalAPIs/public/svcReasoning/getConversationInformation';

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

export function informationOf(service: Service, conversationId: string): Promise<ApiResponse> {
  return service.call(PATH, { conversationId });
}

/** Skips the pause before the insight of an answered turn. */
export async function hurryInsights({ db }: Service, conversationId: string): Promise<void> {
  await db('insights_due')
    .where({ conversation_id: conversationId, tries: 0 })
    .update({ due_at: '-infinity' });
}

/** Waits until no insight of this conversation is due or running, without the pause that comes first. */
export async function waitForInsights(service: Service, conversationId: string): Promise<void> {
  await hurryInsights(service, conversationId);
  const due = () => service.db('insights_due').where({ conversation_id: conversationId });
  await eventually(due, rows => rows.length === 0);
}
