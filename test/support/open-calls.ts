import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { eventually } from './eventually.ts';
import { type ModelRequest, type ModelScript, type ScriptedModel, say } from './scripted-model.ts';

/** A call of the model that is answered when the test says so. */
export interface OpenCall {
  readonly request: ModelRequest;
  /** The words of the end user in the prompt, and of the assistant. */
  readonly said: string[];
  /** The system prompt. */
  readonly rules: string;
  answer(script?: ModelScript): void;
  /** Resolves when the service has ended the call. */
  readonly aborted: Promise<unknown>;
}

/** Leaves every call of the model open until the test answers it. */
export function leaveCallsOpen(model: ScriptedModel) {
  const calls: OpenCall[] = [];
  model.script((request, response) => void calls.push(toOpenCall(request, response)));
  return {
    calls,
    /** The call with this number, from 0. */
    nth: async (at: number): Promise<OpenCall> => {
      await eventually(
        () => calls.length,
        made => made > at,
      );
      return calls[at] as OpenCall;
    },
  };
}

function toOpenCall(request: ModelRequest, response: ServerResponse): OpenCall {
  return {
    request,
    said: request.messages.filter(({ role }) => role !== 'system').map(({ content }) => content),
    rules: request.messages[0]?.content ?? '',
    answer: (script = say('Certo.')) => void script(request, response),
    aborted: once(response, 'close').then(() => response.writableFinished || undefined),
  };
}
