import {
  adjustmentTowards,
  type HeatFeatures,
  heatExplanation,
  heatFeaturesOf,
  heatScoreOf,
  inWords,
} from '../heat-score.ts';
import { type Circumstances, glanceByRules } from './glance-by-rules.ts';
import type { Glance, Insight } from './insight.ts';
import type { InsightAnswer } from './insight-answer.ts';
import type { SaidMessage } from './said-message.ts';
import { BY_RULES } from './sentiment.ts';

export interface InsightInput extends Omit<Circumstances, 'hasContactData'> {
  readonly messages: readonly SaidMessage[];
  readonly asOf: number;
  /** What stands, that of a model being kept where there is nothing better. */
  readonly earlier: Glance &
    Pick<Insight, 'by' | 'heatAdjustment'> &
    Partial<Pick<Insight, 'heatScoreDescription'>>;
  /** Undefined where there is no model, or it failed. */
  readonly answer: InsightAnswer | undefined;
}

/**
 * What is stored of a conversation. What the model says has precedence, then what a model said before, then what rules
 * can tell; a text of the model that is empty blanks nothing. The heat is the rules' at any rate, moved a little by the model.
 */
export function composeInsight({ messages, asOf, askHumanHelp, earlier, answer }: InsightInput): Insight {
  const features = heatFeaturesOf(messages, asOf);
  const hasContactData = features.contactKinds.some(kind => kind !== 'nome');
  const standing =
    earlier.by === 'model' ? glanceOf(earlier) : glanceByRules(messages, { askHumanHelp, hasContactData });
  if (answer) {
    const adjustment = adjustmentTowards(answer.heatScore, features);
    const reason = answer.heatScoreDescription || reasonIn(earlier);
    const heat = heatOf(features, adjustment, reason);
    return { ...fillGlance(answer, standing), ...heat, by: 'model' };
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
    heatScoreDescription: [heatExplanation(features), moved, reason].filter(Boolean).join(' '),
  };
}

/** What the model last gave as its reason stands behind the sum and its own adjustment. */
function reasonIn({ by, heatScoreDescription = '' }: InsightInput['earlier']): string {
  if (by !== 'model') return '';
  return heatScoreDescription.replace(
    /^(?:Soma de [^.]*\)\.|Nada indica interesse ainda\.)(?: Ajuste do modelo: [^.]*\.)? ?/,
    '',
  );
}

function fillGlance(answer: InsightAnswer, standing: Glance): Glance {
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

function glanceOf(earlier: Glance): Glance {
  const { userName, dialogueSummary, mainTopic, tip, sentimentScore, sentimentScoreExplanation, categories } =
    earlier;
  return { userName, dialogueSummary, mainTopic, tip, sentimentScore, sentimentScoreExplanation, categories };
}

function formatSigned(points: number): string {
  return `${points > 0 ? '+' : '−'}${inWords(Math.abs(points))}`;
}
