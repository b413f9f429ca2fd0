/** The name of the model that comes with the service. */
const DEMO_MODEL = 'offline-extractive';

/** Whoever compares instructions should know that this model does not read them. */
export function DemoModelNote({ used }: { readonly used: readonly { readonly model: string }[] }) {
  if (!used.some(({ model }) => model === DEMO_MODEL)) return null;
  return (
    <p class="small note">
      O modelo de demonstração responde só com frases do conhecimento: ele não segue instruções.
    </p>
  );
}
