/** A part of what a person sent: a text, a recording with its words, a picture or a file. */
export interface SentPart {
  readonly kind: 'text' | 'áudio' | 'imagem' | 'arquivo';
  /** The length of a recording; the name of a picture or file, where it has one. */
  readonly label: string;
  readonly text: string;
}

/** Stored messages have a line for each recording, picture and file. */
const startPattern = /\n(?=\[(?:áudio \d+:\d\d|imagem|arquivo)[\]:])/;
const spokenPattern = /^\[áudio (\d+:\d\d)\] /;
const shownPattern = /^\[(imagem|arquivo)(?:: ([^\]\n]*))?\]$/;

/** The parts of a message, in their order. */
export function readSentParts(message: string): SentPart[] {
  return message.split(startPattern).map(part => {
    const spoken = spokenPattern.exec(part);
    if (spoken) return { kind: 'áudio', label: spoken[1] ?? '', text: part.slice(spoken[0].length) };
    const shown = shownPattern.exec(part);
    if (!shown) return { kind: 'text', label: '', text: part };
    return { kind: shown[1] === 'imagem' ? 'imagem' : 'arquivo', label: shown[2] ?? '', text: '' };
  });
}
