const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;

/** Replaces the character references of an XML text with their characters (XML 1.0, 4.1). */
export function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(REFERENCE, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return isCharacter(code) ? String.fromCodePoint(code) : all;
  });
}

/** Whether a character is allowed (XML 1.0, 2.2). */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= 0x10ffff);
}
