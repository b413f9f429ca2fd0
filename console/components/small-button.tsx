export function SmallButton(props: {
  readonly text: string;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}) {
  const { text, isBusy, onClick } = props;
  return (
    <button type="button" class="quiet slim" aria-busy={isBusy} onClick={onClick}>
      {text}
    </button>
  );
}
