import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { XmlOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { wholeText } from './whole.ts';

const TEXT = '#text';
/** JSON may not nest deeper, and neither may XML. */
const MAX_DEPTH = 150;

/** Reads XML as JSON. Nothing outside is fetched, and no entities are declared: a document that does so is refused. */
export async function readXml(bytes: AsyncIterable<Uint8Array>, options: XmlOptions): Promise<unknown> {
  const xml = await wholeText(bytes, options.encoding ?? 'auto', options.maxBytes);
  if (/<!ENTITY/i.test(xml))
    throw new DocumentError({
      code: 'document_unreadable',
      message: 'XML that declares entities is not read.',
    });
  const parser = new XMLParser({
    ignoreAttributes: !options.attributes,
    attributeNamePrefix: '@',
    textNodeName: TEXT,
    // Texts, so that no digit is lost: "007" is not 7.
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    maxNestedTags: MAX_DEPTH,
    removeNSPrefix: options.prefixes === 'remove',
    isArray: (name: string) => options.lists.includes(name),
  });
  try {
    const fault = XMLValidator.validate(xml);
    if (fault !== true) throw new Error(`${fault.err.msg} (line ${fault.err.line})`);
    return tidied(parser.parse(xml));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError({
      code: 'document_unreadable',
      message: `The text is not well-formed XML: ${why}`,
    });
  }
}

/** Without the blanks that only lay the document out. */
function tidied(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([name, field]) => name !== TEXT || String(field).trim() !== '',
  );
  return Object.fromEntries(
    fields.map(([name, field]) => [name, name.startsWith('@') ? field : tidied(field)]),
  );
}
