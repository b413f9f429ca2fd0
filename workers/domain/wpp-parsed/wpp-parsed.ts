import { BlockReader } from './block-reader.ts';
import { type LinkDefinition, linkDefinitionOf } from './link-target.ts';
import { Reading } from './reading.ts';
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
 * nothing recurs. So the time grows with the length, whatever the text.
 *
 * The promises: every word of the answer is in exactly one item; what is only mark (a bullet, an empty emphasis) and
 * belongs to no word goes; a payment is an item only when its check digits hold.
 */

export type { WppItem };

export interface WppParsed {
  items: WppItem[];
  /** What looked like a payment and stayed text. */
  warnings: string[];
}

const OTHER_BREAKS = /\r\n?|[\u2028\u2029]/g;

function definitionsIn(lines: readonly string[]): Map<string, LinkDefinition> {
  const definitions = new Map<string, LinkDefinition>();
  for (const line of lines) {
    const found = linkDefinitionOf(line.trim());
    if (found && !definitions.has(found.label)) definitions.set(found.label, found);
  }
  return definitions;
}

function read(lines: readonly string[], reading: Reading): WppParsed {
  const reader = new BlockReader(reading);
  for (const line of lines) reader.line(line);
  return { items: reader.finish(), warnings: reading.warnings };
}

export function wppParsed(markdown: string): WppParsed {
  const lines = markdown.replace(OTHER_BREAKS, '\n').split('\n');
  const definitions = markdown.includes(']:') ? definitionsIn(lines) : new Map<string, LinkDefinition>();
  const reading = new Reading(definitions);
  const parsed = read(lines, reading);
  if (reading.kept.size === definitions.size) return parsed;
  // A definition that no link uses is words of the answer: read again, and it stays where it stands.
  return read(lines, new Reading(reading.kept));
}
