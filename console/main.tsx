import { options, render } from 'preact';
import { App } from './shell/app.tsx';

// Effects run with their change, not after the next frame: until then, a reload would lose what a person has just begun, a click
// would miss an open menu, and a field would lose what was typed meanwhile.
options.requestAnimationFrame = queueMicrotask;

speakOfFields();

const place = document.getElementById('app');
if (place) render(<App />, place);

type CheckedField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** The browser names errors of a field in its own language, which the page may not be in, so the page names them. */
function speakOfFields(): void {
  const forget = ({ target }: Event) => (target as Partial<CheckedField>).setCustomValidity?.('');
  document.addEventListener(
    'invalid',
    event => {
      // The former message must not count as an error.
      forget(event);
      const field = event.target as CheckedField;
      if (!field.validity.valid) field.setCustomValidity(describeFault(field));
    },
    true,
  );
  document.addEventListener('input', forget, true);
  document.addEventListener('change', forget, true);
}

function describeFault({ validity, type }: CheckedField): string {
  if (validity.valueMissing && type === 'url') return 'Escreva um endereço, como https://exemplo.com.br.';
  if (validity.valueMissing) return 'Preencha este campo.';
  if (validity.typeMismatch && type === 'email') return 'Escreva um e-mail, como ana@exemplo.com.br.';
  if (validity.typeMismatch) return 'Escreva um endereço inteiro, como https://exemplo.com.br.';
  if (validity.tooShort) return 'Está curto demais.';
  if (validity.tooLong) return 'Está longo demais.';
  return 'Não está na forma pedida.';
}
