/** Chips in a row to choose one of a few, such as a filter or a period. */
export function Choices<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, text: string])[];
  readonly onChoose: (value: Value) => void;
}) {
  const { label, value, choices, onChoose } = props;
  return (
    <div class="choice-chips" role="group" aria-label={label}>
      {choices.map(([each, text]) => (
        <button
          key={each}
          type="button"
          class="chip"
          aria-pressed={each === value}
          onClick={() => onChoose(each)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
