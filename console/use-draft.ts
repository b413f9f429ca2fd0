import type { TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import { dropDraft, readDraft, storeDraft } from './drafts.ts';

/** What is typed, over an error and a reload. A text that equals `begin` is no draft. */
export function useDraft(key: string, begin = '') {
  const [value, setValue] = useState(() => readDraft(key) ?? begin);
  return {
    value,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setValue(currentTarget.value);
      if (currentTarget.value === begin) dropDraft(key);
      else storeDraft(key, currentTarget.value);
    },
    drop: () => dropDraft(key),
  };
}
