/** A line of a note as a picture shows it. */
export interface NoteLine {
  readonly text: string;
  readonly isHeading: boolean;
}

const HEADING = /^\s{0,3}#{1,6}\s+/;

/** The lines of a note's Markdown without its signs, broken between words where they have more than `most` signs. */
export function noteLines(markdown: string, most: number): NoteLine[] {
  return markdown.split('\n').flatMap((line) => {
    const isHeading = HEADING.test(line);
    return wrapped(plain(line), most).map((text) => ({ text, isHeading }));
  });
}

function plain(line: string): string {
  return line
    .replace(HEADING, '')
    .replace(/^(\s*)[-*+]\s+/, '$1• ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|~~|`)(?=\S)(.+?)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*]+)\*(?![\w*])/g, '$1');
}

function wrapped(line: string, most: number): string[] {
  const lines: string[] = [];
  let last = '';
  for (const word of line.split(' ')) {
    const longer = last === '' ? word : `${last} ${word}`;
    if (last !== '' && Array.from(longer).length > most) {
      lines.push(last);
      last = word;
    } else last = longer;
  }
  return [...lines, last];
}
