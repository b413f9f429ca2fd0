import { BlockReader } from './block-reader.ts';
import { linesOf } from './lines.ts';
import { type LinkDefinition, linkDefinitionOf } from './link-target.ts';
import { ParseContext, type PaymentTrust } from './reading.ts';
import type { WppItem } from './wpp-item.ts';

/*
 * From an answer in Markdown to what WhatsApp can show: text with WhatsApp's own marks, and between the texts pictures,
 * sites, audios and payments as items of their own, in the answer's order.
 *
 *   line ─▶ BlockReader ─▶ paragraph, heading, cell ─▶ InlineReader ─▶ nodes ─▶ MessageWriter ─▶ items
 *
 * The grammar, first match first at each place: Pix code and boleto (where code is nothing else, too), other code, picture,
 * audio, site, bare address, emphasis. All of it is read once from left to right. Whatever must look ahead (the end of a
 * code span, of a bracket, of an emphasis, of a Pix code) looks it up in a table made by one pass, or is bounded;
 * nothing recurs. So the time grows with the length, whatever the text. And no more than a piece of a paragraph is read in
 * one step, so that whoever waits for the event loop waits for a step and not for the answer.
 *
 * The promises: every word of the answer is in exactly one item; what is only mark (a bullet, an empty emphasis) and
 * belongs to no word goes; a payment is an item only when its check digits hold.
 */

export type { PaymentTrust, WppItem };

export interface WppParsed {
  items: WppItem[];
  /** Rejected payments, which stay text. */
  warnings: string[];
}

function* definitionsIn(markdown: string): Generator<void, Map<string, LinkDefinition>> {
  const definitions = new Map<string, LinkDefinition>();
  if (!markdown.includes(']:')) return definitions;
  for (const line of linesOf(markdown)) {
    const found = linkDefinitionOf(line.trim());
    if (found && !definitions.has(found.label)) definitions.set(found.label, found);
    yield;
  }
  return definitions;
}

function* read(markdown: string, reading: ParseContext): Generator<void, WppParsed> {
  const reader = new BlockReader(reading);
  for (const line of linesOf(markdown)) {
    yield* reader.line(line);
    yield;
  }
  return { items: yield* reader.finish(), warnings: reading.warnings };
}

/** The parsing of one answer in short steps, for whoever has others to serve between two of them. */
export function* parseWppSteps(markdown: string, isTrusted?: PaymentTrust): Generator<void, WppParsed> {
  const definitions = yield* definitionsIn(markdown);
  const reading = new ParseContext(definitions, isTrusted);
  const parsed = yield* read(markdown, reading);
  if (reading.kept.size === definitions.size) return parsed;
  // A definition that no link uses is text of the answer: parse again and keep it.
  return yield* read(markdown, new ParseContext(reading.kept, isTrusted));
}

export function parseWpp(markdown: string, isTrusted?: PaymentTrust): WppParsed {
  const parsing = parseWppSteps(markdown, isTrusted);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
  }
}
