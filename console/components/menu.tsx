import { Ellipsis } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface MenuAction {
  readonly text: string;
  readonly onChoose: () => void;
  readonly isDangerous?: boolean;
}

/** A menu for rare actions, behind “⋯”. */
export function Menu(props: {
  /** Names the menu for screen readers: `Ações de Guia do aluno`. */
  readonly label: string;
  readonly actions: readonly MenuAction[];
}) {
  const { label, actions } = props;
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    menu.current?.querySelector('[role=menu]')?.scrollIntoView({ block: 'nearest' });
    const close = ({ target }: Event) => menu.current?.contains(target as Node) || setOpen(false);
    addEventListener('pointerdown', close);
    return () => removeEventListener('pointerdown', close);
  }, [isOpen]);
  const closeToButton = () => {
    setOpen(false);
    menu.current?.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') closeToButton();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !isOpen) return;
    event.preventDefault();
    focusNext([...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])], step);
  };
  return (
    <div class="menu" ref={menu} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={Ellipsis} />
      </button>
      {isOpen && (
        <div class="menu-list" role="menu">
          {actions.map(({ text, onChoose, isDangerous }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              class={isDangerous ? 'is-dangerous' : ''}
              onClick={() => {
                closeToButton();
                onChoose();
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function focusNext(items: readonly HTMLElement[], step: number): void {
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}
