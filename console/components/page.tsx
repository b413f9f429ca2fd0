import { ChevronLeft } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** The frame of every page: its title, one line about it, the main action at the right, and the content. */
export function Page(props: {
  readonly title: string;
  /** A link to the page that this one is a part of. */
  readonly back?: { readonly text: string; readonly href: string };
  readonly about?: string;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, back, about, action, children } = props;
  return (
    <section class="page" aria-label={title}>
      <header class="page-head">
        <div>
          {back && (
            <a class="page-back small" href={back.href}>
              <Icon of={ChevronLeft} size={14} /> {back.text}
            </a>
          )}
          <h1>{title}</h1>
          {about && <p class="small">{about}</p>}
        </div>
        {action && <div class="page-action">{action}</div>}
      </header>
      {children}
    </section>
  );
}

export interface Tab {
  readonly text: string;
  readonly href: string;
  readonly isOpen: boolean;
}

/** The parts of a page; each has its own address. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const open = tabs.find(({ isOpen }) => isOpen)?.href;
  // On a phone not all of them have room: the open one is shown with a part of the one before.
  useLayoutEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.offsetLeft - 48;
  }, [open]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ text, href, isOpen }) => (
        <a key={text} href={href} {...(isOpen ? { 'aria-current': 'page' } : {})}>
          {text}
        </a>
      ))}
    </nav>
  );
}
