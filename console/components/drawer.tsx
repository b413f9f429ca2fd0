import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** A panel at the right, over the page; the browser keeps the focus in it and gives it back. Escape closes it. */
export function Drawer({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // With the elements: what is typed or focused after the first paint is in the panel.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label={title}
      onClose={onClose}
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
