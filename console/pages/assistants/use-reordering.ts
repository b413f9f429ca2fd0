import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

let lastKey = 0;
const makeKey = (): number => (lastKey += 1);

/** A list whose items are moved by the pointer or the keyboard; each keeps its elements, and what is moved keeps the focus. */
export function useReordering<Item>(items: readonly Item[], onChange: (items: readonly Item[]) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [known, setKeys] = useState(() => items.map(makeKey));
  const [dragged, setDragged] = useState<number>();
  const focused = useRef<number>(undefined);
  // A list that was replaced from outside gets keys of its own.
  const keys = known.length === items.length ? known : items.map((_, at) => known[at] ?? -1 - at);
  const grips = () => [...(list.current?.querySelectorAll<HTMLElement>('.grip') ?? [])];
  useLayoutEffect(() => {
    if (focused.current !== undefined) grips()[focused.current]?.focus();
    focused.current = undefined;
  });
  const move = (from: number, to: number) => {
    if (to < 0 || to >= items.length) return;
    focused.current = to;
    setKeys(moveItem(keys, from, to));
    onChange(moveItem(items, from, to));
  };
  const latest = useRef(move);
  latest.current = move;
  // On the window, as the element under the pointer changes its place.
  useEffect(() => {
    if (dragged === undefined) return undefined;
    const onMove = ({ clientX, clientY }: PointerEvent) => {
      const row = document.elementFromPoint(clientX, clientY)?.closest('li');
      const to = row ? [...(list.current?.children ?? [])].indexOf(row) : -1;
      if (to < 0 || to === dragged) return;
      latest.current(dragged, to);
      setDragged(to);
    };
    const onEnd = () => setDragged(undefined);
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onEnd);
    addEventListener('pointercancel', onEnd);
    return () => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onEnd);
      removeEventListener('pointercancel', onEnd);
    };
  }, [dragged]);
  return {
    list,
    keys,
    dragged,
    move,
    remove: (at: number) => {
      focused.current = Math.max(0, at - 1);
      setKeys(keys.toSpliced(at, 1));
      onChange(items.toSpliced(at, 1));
    },
    /** The key of the new item. */
    add: (item: Item) => {
      const key = makeKey();
      setKeys([...keys, key]);
      onChange([...items, item]);
      return key;
    },
    onGrip: (event: PointerEvent, at: number) => {
      if (event.button === 0) setDragged(at);
    },
  };
}

function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...items.slice(from, from + 1));
}
