import type { ComponentChildren } from 'preact';

/** The frame of every page: its title, one line about it, the main action at the right, and the content. */
export function Page({
  title,
  about,
  action,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="page" aria-label={title}>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {about && <p class="small">{about}</p>}
        </div>
        {action && <div class="page-action">{action}</div>}
      </header>
      {children}
    </section>
  );
}
