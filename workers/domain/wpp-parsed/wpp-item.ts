interface MediaItem<Type extends string> {
  type: Type;
  content: string;
  url: string;
  description: string;
}

export type WppItem =
  | { type: 'text' | 'boleto' | 'pix'; content: string }
  | MediaItem<'image'>
  | MediaItem<'site'>
  | MediaItem<'audio'>;

export function isPayment({ type }: WppItem): boolean {
  return type === 'pix' || type === 'boleto';
}

export const WHATSAPP_MARK = { bold: '*', italic: '_', strike: '~' } as const;
