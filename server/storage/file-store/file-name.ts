/** The longest name in bytes of UTF-8: file systems accept 255. */
const MAX_NAME = 200;
const MAX_EXTENSION = 20;
/** Characters that direct the text, join it or are invisible: with them a name can show another ending than it has. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
/** Characters with a meaning in paths, shells or on Windows. */
const UNSAFE = /[<>:"|?*\\/]/g;
/** Device names on Windows, regardless of what follows their first dot. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:$|\.)/i;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
};

/**
 * A name that is safe to show, to send in a header and to give to a file on any system: one segment without folders,
 * control characters, characters that change the direction of text, and device names. `type` supplies a missing
 * ending.
 */
export function cleanName(given: string | undefined, type: string): string {
  const last = (given ?? '').toWellFormed().normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const plain = last.replace(INVISIBLE, '').replace(UNSAFE, '_').replace(/\s+/g, ' ');
  return named(withoutEdges(plain), type);
}

/** Windows drops blanks and dots at the end; a dot at the start hides the file elsewhere. */
function withoutEdges(name: string): string {
  const from = name.search(/[^\s.]/);
  let end = name.length;
  // From the end: an expression would try each dot as the beginning of the last ones.
  while (end > from && /[\s.]/.test(name[end - 1] as string)) end -= 1;
  return from === -1 ? '' : name.slice(from, end);
}

function named(plain: string, type: string): string {
  const media = type.split(';', 1)[0] ?? '';
  if (plain === '') return `file${Object.hasOwn(EXTENSIONS, media) ? `.${EXTENSIONS[media]}` : ''}`;
  return shortened(RESERVED.test(plain) ? `_${plain}` : plain);
}

/** Keeps the ending. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME) return name;
  const dot = name.lastIndexOf('.');
  const ending = dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot) : '';
  let start = '';
  let left = MAX_NAME - Buffer.byteLength(ending);
  for (const character of name.slice(0, name.length - ending.length)) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    start += character;
  }
  return `${start.trimEnd()}${ending}`;
}
