import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../use-action.ts';
import type { Loaded } from '../use-load.ts';
import { Badge } from './badge.tsx';
import { confirmAction } from './dialogs.tsx';
import { Drawer } from './drawer.tsx';
import { Icon } from './icon.tsx';
import { ListRow } from './list-row.tsx';
import { Menu } from './menu.tsx';
import { Page } from './page.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from './states.tsx';
import { showToast } from './toast.tsx';

/** The list is read again after it. */
interface RowAction {
  readonly text: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Asked before. */
  readonly question?: Parameters<typeof confirmAction>[0];
  readonly run: () => unknown;
  /** Said when it is done. */
  readonly done?: string;
}

/** How the list shows an object, and what can be done to it. */
export interface Row {
  readonly id: string;
  readonly icon?: IconNode;
  /** Stands in place of an icon. */
  readonly lead?: ComponentChildren;
  readonly title: string;
  readonly detail?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly href?: string;
  /** Beside the menu. */
  readonly button?: RowAction;
  /** Behind “⋯”, after “Editar”. */
  readonly menu?: readonly RowAction[];
}

/** What a form gets of the list. */
export interface FormOfItem<Item> {
  /** Undefined for a new one. */
  readonly item: Item | undefined;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

interface NounListProps<Item> {
  readonly loaded: Pick<Loaded<readonly Item[]>, 'data' | 'error' | 'reload'>;
  /** Names the list for screen readers. */
  readonly label: string;
  readonly empty: { readonly title: string; readonly text: string };
  readonly rowOf: (item: Item) => Row;
  /** The button for a new one, and the title of its form; `first` is its text while there is none. */
  readonly begin?: { readonly text: string; readonly first?: string; readonly icon?: IconNode };
  readonly form?: (props: FormOfItem<Item>) => ComponentChildren;
  /** The list is a page of its own. */
  readonly page?: { readonly title: string; readonly about: string; readonly action?: ComponentChildren };
  /** Stands after the list. */
  readonly children?: ComponentChildren;
}

/** The objects of one kind: a list with actions, and a form for one of them or a new one. */
export function NounList<Item>(props: NounListProps<Item>) {
  const { loaded, begin, page } = props;
  const { data, error, reload } = loaded;
  const [edited, edit] = useState<Item | 'new'>();
  const work = useAction();
  const start = (action: RowAction) =>
    work.run(async () => {
      if (action.question && !(await confirmAction(action.question))) return;
      await action.run();
      if (action.done) showToast(action.done);
      reload();
    });
  const isEmpty = data?.length === 0;
  const button = begin && data && (
    <button type="button" class={begin.icon ? 'with-icon' : ''} onClick={() => edit('new')}>
      {begin.icon && <Icon of={begin.icon} />}
      {(isEmpty && begin.first) || begin.text}
    </button>
  );
  const content = (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton rows={2} label={`Carregando: ${props.label}`} />}
      {isEmpty && <EmptyState {...props.empty}>{button}</EmptyState>}
      {!page && !isEmpty && button && <div class="buttons">{button}</div>}
      {data && !isEmpty && (
        <ul class="list" aria-label={props.label}>
          {data.map(item => {
            const row = props.rowOf(item);
            const onEdit = props.form && (() => edit(item));
            return <NounRow key={row.id} row={row} isBusy={work.isBusy} onStart={start} onEdit={onEdit} />;
          })}
        </ul>
      )}
      <ActionNote of={work} />
      {props.children}
      {edited !== undefined && <NounDrawer {...props} edited={edited} onClose={() => edit(undefined)} />}
    </>
  );
  if (!page) return <div class="stack">{content}</div>;
  return (
    <Page {...page} action={page.action ?? (!isEmpty && button)}>
      {content}
    </Page>
  );
}

function NounDrawer<Item>(
  props: NounListProps<Item> & { readonly edited: Item | 'new'; readonly onClose: () => void },
) {
  const { edited, begin, onClose } = props;
  const isNew = edited === 'new';
  const onSaved = () => {
    onClose();
    props.loaded.reload();
  };
  return (
    <Drawer title={isNew ? (begin?.text ?? '') : `Editar ${props.rowOf(edited).title}`} onClose={onClose}>
      {props.form?.({ item: isNew ? undefined : edited, onSaved, onClose })}
    </Drawer>
  );
}

function NounRow(props: {
  readonly row: Row;
  readonly isBusy: boolean;
  readonly onStart: (action: RowAction) => void;
  readonly onEdit: (() => void) | undefined;
}) {
  const { button, menu, id: _, ...row } = props.row;
  const editing = props.onEdit ? [{ text: 'Editar', onChoose: props.onEdit }] : [];
  const actions = menu?.map(action => ({ ...action, onChoose: () => props.onStart(action) })) ?? [];
  return (
    <ListRow
      {...row}
      action={
        (button || menu) && (
          <>
            {button && (
              <button
                type="button"
                class="quiet slim"
                disabled={button.isDisabled}
                aria-busy={props.isBusy}
                onClick={() => props.onStart(button)}
              >
                {button.text}
              </button>
            )}
            {menu && <Menu label={`Ações de ${row.title}`} actions={[...editing, ...actions]} />}
          </>
        )
      }
    />
  );
}

/** Whether something works or is paused. */
export function EnabledBadge({ enabled }: { readonly enabled: boolean }) {
  return <Badge tone={enabled ? 'good' : 'warn'}>{enabled ? 'Ativo' : 'Pausado'}</Badge>;
}
