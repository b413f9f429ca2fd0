/** A button for a quick action beside its subject. */
export function SmallButton({
  text,
  isBusy,
  onClick,
}: {
  readonly text: string;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" class="quiet slim" aria-busy={isBusy} onClick={onClick}>
      {text}
    </button>
  );
}
