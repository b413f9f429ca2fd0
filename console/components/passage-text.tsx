import type { ComponentChild, ComponentChildren } from 'preact';
import { foldText } from '../../text/fold.ts';
import { readableTitle, splitPassage, withoutLinks } from '../passage.ts';
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

/** Words too common to be worth a mark. */
const COMMON = new Set(
  'a ao aos as com como da das de do dos e em eu é isso la me meu minha na nas no nos o os ou para pela pelo por qual quais quando quanto que se sem ser sua seu tem um uma voces voce onde quem'.split(
    ' ',
  ),
);
const SHORT = 4;
/** A longer word may differ in this many last characters, by number, gender or tense. */
const ENDING = 2;
const words = /[\p{L}\p{N}]+/gu;

/** A text with the words of the question marked, also in another number or gender. The service ranks by more than that. */
export function MarkedText({ text, question }: { readonly text: string; readonly question: string }) {
  const stems = listWords(question).map(stemOf);
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(words)) {
    const folded = foldText(word);
    if (COMMON.has(folded) || !stems.some(stem => isOfStem(folded, stem))) continue;
    parts.push(text.slice(from, index), <mark>{word}</mark>);
    from = index + word.length;
  }
  return <>{[...parts, text.slice(from)]}</>;
}

function listWords(question: string): string[] {
  return (question.match(words) ?? []).map(word => foldText(word)).filter(word => !COMMON.has(word));
}

const stemOf = (word: string): string =>
  word.length <= SHORT ? word : word.slice(0, Math.max(SHORT, word.length - ENDING));

const isOfStem = (word: string, stem: string): boolean =>
  stem.length < SHORT ? word === stem : word.startsWith(stem) && word.length - stem.length <= 2 * ENDING;
