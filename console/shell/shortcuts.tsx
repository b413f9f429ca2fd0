import { signal } from '@preact/signals';
import { Keyboard } from 'lucide';
import { useEffect } from 'preact/hooks';
import { Drawer } from '../components/drawer.tsx';
import { Icon } from '../components/icon.tsx';
import { goTo, route } from './route.ts';

export const HAS_KEYBOARD = matchMedia('(any-pointer: fine)').matches;

const everywhere = [
  ['?', 'Mostra estes atalhos'],
  ['Esc', 'Fecha o que está aberto por cima'],
] as const;
/** The shortcuts that each page adds. */
const ofPages: Readonly<Record<string, readonly (readonly [keys: string, text: string])[]>> = {
  busca: [['Ctrl-K', 'Leva à busca, de qualquer parte']],
  atendimento: [
    ['Ctrl-Enter', 'Envia a resposta ou a nota'],
    ['Enter', 'Começa outra linha na resposta'],
    ['/', 'No começo da resposta, abre as respostas prontas'],
  ],
  testar: [['Enter', 'Envia a mensagem do teste']],
  assistentes: [['Enter', 'Envia a pergunta do ensaio']],
};

const isOpen = signal(false);

/** The list of shortcuts, which “?” opens, and the shortcuts of every page. */
export function Shortcuts({ shown }: { readonly shown: readonly string[] }) {
  const maySearch = shown.includes('busca');
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === '?' && !isTyped(event)) isOpen.value = true;
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || !maySearch) return;
      event.preventDefault();
      if (route.value.page !== 'busca') goTo('busca');
      // The page is drawn after the address has changed.
      setTimeout(() => document.querySelector<HTMLElement>('[type=search]')?.focus());
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [maySearch]);
  if (!isOpen.value) return null;
  const keys = [...everywhere, ...shown.flatMap(page => ofPages[page] ?? [])];
  return (
    <Drawer title="Atalhos do teclado" onClose={() => (isOpen.value = false)}>
      <dl class="field-list">
        {keys.map(([key, text]) => [
          <dt key={text}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={key}>{text}</dd>,
        ])}
      </dl>
    </Drawer>
  );
}

export function ShortcutsButton() {
  if (!HAS_KEYBOARD) return null;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Atalhos do teclado"
      title="Atalhos do teclado"
      onClick={() => (isOpen.value = true)}
    >
      <Icon of={Keyboard} />
    </button>
  );
}

/** Whether the key goes into a field where the person writes. */
function isTyped({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
