import type { ComponentChildren } from 'preact';
import { readableTitle, splitPassage, withoutLinks } from '../passage.ts';
import { MarkedText } from './marked-text.tsx';
import { WhatsappText } from './whatsapp-text.tsx';

const heading = /^#{1,6} (.+)$/;

/** A passage without its markup: headings and bold words as such. The words of `question` are marked. */
export function PassageText({ content, question }: { readonly content: string; readonly question?: string }) {
  const { title, text } = splitPassage({ content });
  const blocks = withoutLinks(text).split(/\n{2,}/);
  const show = (block: string): ComponentChildren =>
    question === undefined ? (
      <WhatsappText text={block.replaceAll('**', '*')} />
    ) : (
      <MarkedText text={block.replaceAll('**', '')} question={question} />
    );
  return (
    <>
      {title && <h3>{show(readableTitle(title))}</h3>}
      {blocks.map((block, at) => {
        const [, inside] = heading.exec(block) ?? [];
        return inside ? <h4 key={at}>{show(readableTitle(inside))}</h4> : <p key={at}>{show(block)}</p>;
      })}
    </>
  );
}
