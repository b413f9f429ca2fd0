import type { Verdict } from './rehearse-cases.ts';

/** As `--report` writes it and `--baseline` reads it. */
export interface EvaluationReport {
  readonly host: string;
  readonly avatar: string;
  readonly evaluatedAt: string;
  readonly passed: number;
  readonly failed: number;
  /** Names of cases that passed in the baseline, and fail or are missing now. */
  readonly regressions: readonly string[];
  readonly cases: readonly Verdict[];
}

export interface Baseline {
  readonly cases: readonly Pick<Verdict, 'case' | 'passed'>[];
}

export function reportOf(
  names: { readonly host: string; readonly avatar: string },
  evaluatedAt: Date,
  cases: readonly Verdict[],
  baseline: Baseline,
): EvaluationReport {
  const passing = new Set(cases.filter(({ passed }) => passed).map(verdict => verdict.case));
  const regressed = baseline.cases.filter(earlier => earlier.passed && !passing.has(earlier.case));
  return {
    ...names,
    evaluatedAt: evaluatedAt.toISOString(),
    passed: passing.size,
    failed: cases.length - passing.size,
    regressions: regressed.map(earlier => earlier.case),
    cases,
  };
}

/** Whether nothing failed and nothing got worse. */
export function isGood({ failed, regressions }: EvaluationReport): boolean {
  return failed === 0 && regressions.length === 0;
}

const HEADER = ['verdict', 'case', 'failed checks', 'ms'].join('\t');

export function tableOf({ cases, passed, failed, regressions }: EvaluationReport): string {
  const worse = new Set(regressions);
  const lines = cases.map(verdict => {
    const word = verdict.passed ? 'passed' : worse.has(verdict.case) ? 'REGRESSED' : 'FAILED';
    return [word, quoteTabs(verdict.case), verdict.failed.join(', '), verdict.durationMs].join('\t');
  });
  const known = new Set(cases.map(verdict => verdict.case));
  const missing = regressions.filter(name => !known.has(name));
  return [
    HEADER,
    ...lines,
    ...missing.map(name => ['MISSING', quoteTabs(name), '', ''].join('\t')),
    `${passed} passed, ${failed} failed, ${regressions.length} worse than the baseline.`,
  ].join('\n');
}

function quoteTabs(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, ' ');
}

export function parseBaseline(text: string): Baseline {
  const { cases } = (JSON.parse(text) ?? {}) as { readonly cases?: unknown };
  if (!Array.isArray(cases) || !cases.every(isVerdict))
    throw new Error('The baseline is no report of this command.');
  return { cases };
}

function isVerdict(value: unknown): value is Pick<Verdict, 'case' | 'passed'> {
  return typeof value === 'object' && value !== null && 'case' in value && 'passed' in value;
}
