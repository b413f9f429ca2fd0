const PLACE = /\{([^{}/]+)\}/g;

export function placesIn(path: string): string[] {
  return [...path.matchAll(PLACE)].map(([, name = '']) => name);
}

/** Returns the path with each place filled in, as it is and as it is sent. */
export function fillPath(path: string, valueOf: (argument: string) => string) {
  return {
    plain: path.replaceAll(PLACE, (_, argument: string) => valueOf(argument)),
    sent: path.replaceAll(PLACE, (_, argument: string) => encode(valueOf(argument))),
  };
}

/** Like `encodeURIComponent`, which throws for half of a character. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** `/boletos/{cpf}` with `../admin` would be another function: URL parsers, and servers that decode first, go up there. */
export function findDotSegment(path: string): boolean {
  return path.split(/[/\\]/).some(segment => /^(\.|%2e){1,2}$/i.test(segment));
}
