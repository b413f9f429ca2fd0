import type { DialogueMessage } from './dialogue-message.ts';
import { type HeatFeatures, heatFeaturesOf } from './heat-features.ts';
import { adjustmentFor, explainHeat, formatPoints, heatScoreOf } from './heat-score.ts';
import type { Insight, InsightSummary } from './insight.ts';
import type { InsightAnswer } from './insight-answer.ts';
import { BY_RULES } from './sentiment.ts';
import { summarizeByRules } from './summarize-by-rules.ts';

export interface InsightInput {
  readonly messages: readonly DialogueMessage[];
  readonly asOf: number;
  /** The stored insight; the texts of a model are kept where there is nothing better. */
  readonly earlier: InsightSummary &
    Pick<Insight, 'by' | 'heatAdjustment'> &
    Partial<Pick<Insight, 'heatScoreDescription'>>;
  /** Undefined without a model, or when it failed. */
  readonly answer: InsightAnswer | undefined;
}

/**
 * The insight to store. The answer of the model takes precedence, then an earlier answer, then the rules; an empty
 * text of the model overwrites nothing. The heat always comes from the rules, adjusted a little by the model.
 */
export function composeInsight({ messages, asOf, earlier, answer }: InsightInput): Insight {
  const features = heatFeaturesOf(messages, asOf);
  const hasContactData = features.contactKinds.some(kind => kind !== 'nome');
  const standing = earlier.by === 'model' ? summaryOf(earlier) : summarizeByRules(messages, hasContactData);
  if (answer) {
    const adjustment = adjustmentFor(answer.heatScore, features);
    const reason = answer.heatScoreDescription || reasonIn(earlier);
    const heat = heatOf(features, adjustment, reason);
    return { ...fillSummary(answer, standing), ...heat, by: 'model' };
  }
  if (earlier.by === 'model') {
    return { ...standing, ...heatOf(features, earlier.heatAdjustment, reasonIn(earlier)), by: 'model' };
  }
  return { ...standing, ...heatOf(features, 0, BY_RULES), by: 'rules' };
}

function heatOf(features: HeatFeatures, heatAdjustment: number, reason: string) {
  const moved = heatAdjustment === 0 ? '' : `Ajuste do modelo: ${formatSigned(heatAdjustment)}.`;
  return {
    heatScore: heatScoreOf(features, heatAdjustment),
    heatAdjustment,
    heatScoreDescription: [explainHeat(features), moved, reason].filter(Boolean).join(' '),
  };
}

/** The last reason of the model, which follows the sum and the adjustment in the stored text. */
function reasonIn({ by, heatScoreDescription = '' }: InsightInput['earlier']): string {
  if (by !== 'model') return '';
  return heatScoreDescription.replace(
    /^(?:Soma de [^.]*\)\.|Nada indica interesse ainda\.)(?: Ajuste do modelo: [^.]*\.)? ?/,
    '',
  );
}

function fillSummary(answer: InsightAnswer, standing: InsightSummary): InsightSummary {
  const hasMood = answer.sentimentScoreExplanation !== '';
  return {
    userName: answer.userName || standing.userName,
    dialogueSummary: answer.dialogueSummary || standing.dialogueSummary,
    mainTopic: answer.mainTopic || standing.mainTopic,
    tip: answer.tip || standing.tip,
    sentimentScore: answer.sentimentScore,
    sentimentScoreExplanation: hasMood
      ? answer.sentimentScoreExplanation
      : 'O modelo não explicou este sentimento.',
    categories: answer.categories.length > 0 ? answer.categories : standing.categories,
  };
}

function summaryOf(earlier: InsightSummary): InsightSummary {
  const { userName, dialogueSummary, mainTopic, tip, sentimentScore, sentimentScoreExplanation, categories } =
    earlier;
  return { userName, dialogueSummary, mainTopic, tip, sentimentScore, sentimentScoreExplanation, categories };
}

function formatSigned(points: number): string {
  return `${points > 0 ? '+' : '−'}${formatPoints(Math.abs(points))}`;
}
