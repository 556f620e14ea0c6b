import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { XmlOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { wholeText } from './decoded.ts';
import { withoutReferences } from './references.ts';

const TEXT = '#text';
/** The deepest nesting of JSON, and so of XML. */
const MAX_DEPTH = 150;

/** Reads XML as JSON. Nothing is fetched, and a document that declares entities is refused. */
export async function readXml(bytes: AsyncIterable<Uint8Array>, options: XmlOptions): Promise<unknown> {
  const xml = await wholeText(bytes, { ...options, declares: 'xml' }, options.maxBytes);
  if (/<!ENTITY/i.test(xml))
    throw new DocumentError({
      code: 'document_unreadable',
      message: 'XML that declares entities is not read.',
    });
  const parser = new XMLParser({
    // Always read, because `xml:space` is an attribute.
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: TEXT,
    ignoreDeclaration: true,
    ignorePiTags: true,
    // Values stay texts, so that no digit is lost: "007" is not 7.
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    maxNestedTags: MAX_DEPTH,
    removeNSPrefix: options.prefixes === 'remove',
    isArray: (name: string) => options.lists.includes(name),
    stopNodes: (options.xhtml ?? []).map((name) => `..${name}[type=xhtml]`),
    entityDecoder: REFERENCES,
  });
  try {
    const fault = XMLValidator.validate(xml);
    if (fault !== true) throw new Error(`${fault.err.msg} (line ${fault.err.line})`);
    return tidied(parser.parse(xml), { attributes: options.attributes, isPreserved: false });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError({
      code: 'document_unreadable',
      message: `The text is not well-formed XML: ${why}`,
    });
  }
}

/** The interface of the decoder of the parser; without declared entities it needs no preparation. */
const REFERENCES = {
  decode: withoutReferences,
  reset: () => {},
  setXmlVersion: () => {},
  addInputEntities: () => {},
  setExternalEntities: () => {},
};

/** The attribute that marks the blanks of an element as significant (XML 1.0, 2.10). */
const SPACE = ['@xml:space', '@space'];

interface Tidy {
  readonly attributes: boolean;
  /** Whether blanks are significant here. */
  readonly isPreserved: boolean;
}

/** Removes the blanks that are only layout, and attributes unless they are requested. */
function tidied(value: unknown, tidy: Tidy): unknown {
  if (typeof value === 'string') return tidy.isPreserved ? value : value.trim();
  if (Array.isArray(value)) return value.map((one) => tidied(one, tidy));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const [, space] = fields.find(([name]) => SPACE.includes(name)) ?? [];
  const inner = space === undefined ? tidy : { ...tidy, isPreserved: space === 'preserve' };
  const isKept = ([name, field]: readonly [string, unknown]): boolean => {
    if (name.startsWith('@')) return tidy.attributes;
    return name !== TEXT || inner.isPreserved || String(field).trim() !== '';
  };
  const kept = fields.filter(isKept);
  // Without attributes, an element that has only text becomes this text.
  if (!tidy.attributes && kept.every(([name]) => name === TEXT)) return tidied(kept[0]?.[1] ?? '', inner);
  return Object.fromEntries(
    kept.map(([name, field]) => [name, name.startsWith('@') ? field : tidied(field, inner)]),
  );
}
