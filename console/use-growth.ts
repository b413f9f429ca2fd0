import { useLayoutEffect } from 'preact/hooks';

/** The field is as high as its text, up to what the style allows. */
export function useGrowth(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
}
