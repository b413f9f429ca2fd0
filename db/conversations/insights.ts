import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { MaskedValue } from './conversations.ts';

export interface StoredInsight {
  /** The name that the end user said; a name given by the host takes precedence. */
  readonly userName: string;
  readonly dialogueSummary: string;
  readonly mainTopic: string;
  readonly tip: string;
  readonly heatScore: number;
  readonly heatScoreDescription: string;
  readonly heatAdjustment: number;
  readonly sentimentScore: number;
  readonly sentimentScoreExplanation: string;
  readonly categories: readonly string[];
  readonly by: 'none' | 'rules' | 'model';
}

export interface InsightState extends StoredInsight {
  /** The values that the tokens of the conversation stand for. */
  readonly maskedValues: readonly MaskedValue[];
  /** The last message that a model has read for the insight. */
  readonly readSeq: string;
  /** The database's clock. */
  readonly asOf: Date;
}

const columns = sql`user_name as "userName", dialogue_summary as "dialogueSummary", main_topic as "mainTopic", tip, heat_score as "heatScore",
  heat_score_description as "heatScoreDescription", heat_adjustment as "heatAdjustment",
  sentiment_score as "sentimentScore", sentiment_score_explanation as "sentimentScoreExplanation", categories,
  insight_by as by`;

/** The stored insight of the conversation, and how far its messages were read. */
export async function findInsight(
  { tx, hostId }: HostScope,
  conversationId: string,
): Promise<InsightState | undefined> {
  const [state] = await rowsOf<InsightState>(tx)`
    select ${columns}, masked_values as "maskedValues", insight_seq as "readSeq", now() as "asOf"
    from conversations where host_id = ${hostId} and id = ${conversationId}`;
  return state;
}

/** `readSeq` is set where a model has read up to that message. */
export async function storeInsight(
  { tx, hostId }: HostScope,
  conversationId: string,
  insight: StoredInsight,
  readSeq?: string,
): Promise<void> {
  await rowsOf(tx)`
    update conversations set dialogue_summary = ${insight.dialogueSummary}, main_topic = ${insight.mainTopic},
      user_name = coalesce(nullif(user_name, ''), ${insight.userName}),
      tip = ${insight.tip}, heat_score = ${insight.heatScore},
      heat_score_description = ${insight.heatScoreDescription}, heat_adjustment = ${insight.heatAdjustment},
      sentiment_score = ${insight.sentimentScore},
      sentiment_score_explanation = ${insight.sentimentScoreExplanation},
      categories = ${insight.categories}::text[], insight_by = ${insight.by},
      insight_seq = greatest(insight_seq, ${readSeq ?? null}::bigint), updated_at = now()
    where host_id = ${hostId} and id = ${conversationId}`;
}
