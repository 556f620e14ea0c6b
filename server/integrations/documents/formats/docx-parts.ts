import { strFromU8, strToU8, unzipSync } from 'fflate';
import { withPart } from './archive.ts';

const TEXTS = /^word\/(?:document|footnotes|endnotes|comments)\d*\.xml$/;
const STYLES = 'word/styles.xml';

/** The document with corrections for its library: without hidden text, and with empty cells in rows that begin in a later column. */
export function prepared(file: Uint8Array): Uint8Array {
  const parts = unzipSync(file, { filter: ({ name }) => name === STYLES || TEXTS.test(name) });
  const hidden = hiddenStyles(strFromU8(parts[STYLES] ?? new Uint8Array()));
  let result = file;
  for (const [name, bytes] of Object.entries(parts)) {
    if (name === STYLES) continue;
    const xml = strFromU8(bytes);
    const changed = withFirstColumns(withoutHidden(xml, hidden));
    if (changed !== xml) result = withPart(result, name, strToU8(changed));
  }
  return result;
}

/** The mark of text that Word does not show; `w:val` may switch it off again. */
const VANISH = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/;

/** The ids of the character styles that hide their text. */
function hiddenStyles(xml: string): ReadonlySet<string> {
  const ids = new Set<string>();
  if (!VANISH.test(xml)) return ids;
  for (const [style] of xml.matchAll(/<w:style\s[^>]*>[^]*?<\/w:style>/g))
    if (VANISH.test(style) && /\bw:type="character"/.test(style))
      ids.add(/\bw:styleId="([^"]*)"/.exec(style)?.[1] ?? '');
  return ids;
}

/** The properties of a run, and the content after them up to its end or the first run within it. */
const RUN = /<w:r(?:\s[^>]*)?>\s*<w:rPr>([^]*?)<\/w:rPr>[^]*?(<\/w:r>|<w:r(?=[\s>]))/g;

function withoutHidden(xml: string, hidden: ReadonlySet<string>): string {
  if (!xml.includes('<w:vanish') && hidden.size === 0) return xml;
  return xml.replaceAll(RUN, (run, properties: string, end: string) => {
    const style = /<w:rStyle\s+w:val="([^"]*)"/.exec(properties)?.[1] ?? '';
    const isHidden = VANISH.test(properties) || (hidden.has(style) && !properties.includes('<w:vanish'));
    return isHidden && end === '</w:r>' ? '' : run;
  });
}

/** A cell for the columns that a row skips. */
function withFirstColumns(xml: string): string {
  if (!xml.includes('<w:gridBefore')) return xml;
  return xml.replaceAll(/<w:trPr>[^]*?<\/w:trPr>/g, (properties) => {
    const columns = /<w:gridBefore\s+w:val="([1-9]\d*)"/.exec(properties)?.[1];
    if (columns === undefined) return properties;
    return `${properties}<w:tc><w:tcPr><w:gridSpan w:val="${columns}"/></w:tcPr><w:p/></w:tc>`;
  });
}
