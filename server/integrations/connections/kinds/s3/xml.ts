import { XMLParser } from 'fast-xml-parser';

/** Texts stay texts: a key may look like a number. */
const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
});

/** The elements of a document by name; undefined if the text is no XML. Definitions of entities are not read. */
export function readXml(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.trimStart().startsWith('<') || /<!(?:doctype|entity)/i.test(text)) return undefined;
  try {
    return parser.parse(text, true) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

export function xmlText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
