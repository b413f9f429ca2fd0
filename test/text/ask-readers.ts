import { addClosing, chosenIn, flowAsksOf } from '../../workers/domain/asks/flow-asks.ts';
import { branchTargetOf } from '../../workers/domain/asks/flow-walk.ts';
import { askKinds, readValue } from '../../workers/domain/asks/read-value.ts';
import { withChoices } from '../../workers/domain/asks/said-value.ts';
import { correctionIn } from '../../workers/domain/asks/talk.ts';
import type { FlowStep } from '../../workers/domain/flow-step.ts';
import { askTextsOf } from '../../workers/domain/prompts/ask-texts.ts';

const step = { type: 'message', description: '' };

/** A flow that asks for a choice of this title, and branches on it; and a person who says the same. */
function asking(text: string): FlowStep[] {
  const choices = [{ id: 'a', title: text }];
  const ask = { ...step, type: 'ask', content: text, name: text, kind: 'choice', choices } as const;
  return [
    { ...step, content: text, choices },
    ask,
    { ...step, type: 'when', content: '', name: text, values: [text], goTo: 3 },
    { ...ask, kind: 'text', name: `${text}.` },
  ];
}

const saidTwice = (text: string) => ({ messages: [text, text], before: text, today: 0 });

/** Readers of what people say to the questions of a flow. */
export const askReaders: Readonly<Record<string, (text: string) => unknown>> = {
  flowAsksOf: text => [
    askKinds.map(kind => readValue(text, { kind, choices: [{ id: 'a', title: text }] }, 0)),
    flowAsksOf(
      asking(text),
      { isDone: () => false, timesAsked: () => 1, isStopped: false },
      {},
      saidTwice(text),
      askTextsOf('pt'),
    ),
    correctionIn(text),
    branchTargetOf(asking(text), 0, text),
    addClosing(text, { closing: text }),
    chosenIn(asking(text), text, () => 'a'),
    withChoices(text, [{ id: 'a', title: text }]),
  ],
};
