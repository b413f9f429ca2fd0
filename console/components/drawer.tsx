import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** A panel has room beside the page from this width on; the styles say the same. */
const hasRoom = matchMedia('(min-width: 68.75rem)');

/**
 * A panel at the right, over the page; the browser keeps the focus in it and gives it back. Escape closes it. Where there is
 * room, a panel that belongs beside the page covers nothing and blocks nothing.
 */
export function Drawer(props: {
  readonly title: string;
  readonly isBeside?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, isBeside = false, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  // The dialog opens together with its elements: what is typed or focused after the first paint is in the panel.
  useLayoutEffect(() => {
    if (isBeside && hasRoom.matches) dialog.current?.show();
    else dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isBeside ? 'drawer is-beside' : 'drawer'}
      aria-label={title}
      onClose={onClose}
      onKeyDown={event => {
        if (event.key !== 'Escape') return;
        // The event `close` comes later, maybe after the next action of the person.
        event.preventDefault();
        onClose();
      }}
      // A click beside the panel meets the dialog itself.
      onClick={event => event.target === dialog.current && onClose()}
    >
      <div class="drawer-content">
        <header class="drawer-head">
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label="Fechar" onClick={onClose}>
            <Icon of={X} />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
