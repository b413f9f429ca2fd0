export interface Tab {
  readonly text: string;
  readonly href: string;
  readonly isOpen: boolean;
}

/** The parts of a page; each has its own address. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ text, href, isOpen }) => (
        <a key={text} href={href} {...(isOpen ? { 'aria-current': 'page' } : {})}>
          {text}
        </a>
      ))}
    </nav>
  );
}
