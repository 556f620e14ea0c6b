/**
 * Which strings of a source people read. A name decides first: of the field, the attribute, the variable or the function that
 * the string is for. Without such a name the string itself decides: sentences and labels begin with a capital or are several words.
 */

/** Stands for a value within a template. */
export const PLACE = '\uFFFC';

/** Names that hold text, whatever it looks like. */
const TEXT_NAMES = new Set([
  'label',
  'title',
  'placeholder',
  'hint',
  'description',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'alt',
  'help',
  'text',
  'noun',
  'nouns',
  'message',
  'action',
  'summary',
  'heading',
  'caption',
  'countText',
  'toast',
  'says',
  'legend',
  'empty',
  'sentence',
  'question',
  'note',
  'doc',
  'why',
  'word',
  'explained',
  'otherwise',
]);
const TEXT_ENDING =
  /(Label|Title|Text|Texts|Words|Hint|Sentence|Noun|Note|Message|_LABELS|_TEXTS|_TITLES|_WORDS|_HINTS|LABELS|Labels|TITLES|HINTS|Placeholder)$/;

/** Names that hold what programs read. */
const OTHER_NAMES = new Set([
  'className',
  'class',
  'classes',
  'id',
  'key',
  'keys',
  'role',
  'href',
  'to',
  'from',
  'src',
  'd',
  'viewBox',
  'style',
  'transform',
  'points',
  'fill',
  'stroke',
  'rel',
  'target',
  'autoComplete',
  'inputMode',
  'htmlFor',
  'cx',
  'includes',
  'startsWith',
  'endsWith',
  'has',
  'get',
  'getItem',
  'setItem',
  'removeItem',
  'querySelector',
  'querySelectorAll',
  'closest',
  'matches',
  'addEventListener',
  'removeEventListener',
  'createElement',
  'setAttribute',
  'getAttribute',
  'removeAttribute',
  'toggleAttribute',
  'split',
  'indexOf',
  'lastIndexOf',
  'replace',
  'replaceAll',
  'join',
  'match',
  'hasOwn',
  'getPropertyValue',
  'setProperty',
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
  'reads',
  'Symbol',
  'headers',
  'sandbox',
  'queryKey',
  'type',
  'color',
  'tone',
  'variant',
  'size',
  'as',
  'kind',
  'widget',
  'method',
]);
const OTHER_ENDING =
  /(Class|Classes|Style|Styles|CLASS|STYLE|Key|KEY|KEYS|Keys|Path|PATH|Url|Id|Selector|Header)$|^(data|xlink)-|^aria-(?!label|description|roledescription|valuetext|placeholder)/;

/** Words that occur in sentences, but not in lists of search words. */
const SMALL_WORDS =
  /\b(the|a|an|all|any|of|to|is|are|in|for|and|or|no|not|be|it|its|on|with|by|this|that|more|as|than)\b/;

/** Names of keys on a keyboard. */
const KEYBOARD =
  /^((Mod|Ctrl|Control|Alt|Shift|Meta)([+]|$)|Arrow|Page(Up|Down)$|F\d+$|(Enter|Escape|Tab|Backspace|ContextMenu)$)/;

export function namesText(name: string): boolean {
  return TEXT_NAMES.has(name) || TEXT_ENDING.test(name);
}

export function isNotText(name: string): boolean {
  return OTHER_NAMES.has(name) || OTHER_ENDING.test(name);
}

/** Anything with a word in it, where text stands. */
export function isText(text: string): boolean {
  return (
    /\p{L}{2}|^\p{L}$|\p{L}\uFFFC|\uFFFC\p{L}/u.test(text.replaceAll(/&\w+;/g, ' ')) && !KEYBOARD.test(text)
  );
}

/** A sentence, a label, or several words: `Save`, `a draft`, `… of … runs` (with `PLACE` for what is put in). */
export function readsAsText(given: string): boolean {
  // `{name}` stands for a value in texts of scripts.
  const text = given.replaceAll(/\{[a-z]\w*\}/gi, PLACE);
  if (!isText(text) || isStatement(text)) return false;
  // Code within a sentence, times of day and paths are no reason against a text.
  const bare = text
    .trim()
    .replace(/^[,;] /, '')
    .replaceAll(/`[^`]*`|\b\d{1,2}:\d\d\b|(?<=\p{Ll} )\/[a-z/]+/gu, PLACE);
  // Code, addresses, classes, headers, formats.
  if (
    /[{}<>=]|#\\w|\/\/|^[./@*[$-]|[a-z]-\[|\w[/:]\w|^\d|^\p{L}[\w.]*\(/u.test(bare.replaceAll(PLACE, ' ')) &&
    !/^\p{Lu}[\p{L}’']* \p{L}+ .*[.…?]$/u.test(bare)
  )
    return false;
  if (/^\p{Lu}/u.test(bare)) return isLabel(bare);
  const words = bare.split(/[\s\uFFFC]+/).filter((word) => /[^.,:;…?”)]/.test(word));
  if (!words.every((word) => /^([“("]?\p{L}+[’'-]?\p{L}*|\d+)[.,:;…?”)"]?$/u.test(word))) return false;
  // Beside a value one word is enough.
  if (bare.includes(PLACE))
    return /\s/.test(text) && /(^|\s)\p{Ll}{2,}([\s.,:;…]|$)/u.test(bare.replaceAll(PLACE, ' '));
  return words.length >= 2 && SMALL_WORDS.test(bare);
}

/** Statements of SQL are several words with a capital too. */
function isStatement(text: string): boolean {
  return /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|AND|OR|PRAGMA|BEGIN|COMMIT|SET|LOCK|ORDER|WHERE|LEFT|JOIN|FROM|ON|VALUES|UNION|RETURNING|NOTIFY|LISTEN|GRANT)\b/.test(
    text,
  );
}

/** `Save`, `New flow…`, `API keys`; not `GET`, `Content-Type`, `InputEvent` or `MD5`. */
function isLabel(text: string): boolean {
  const [first = ''] = text.split(/[\s\uFFFC]/);
  if (/\s/.test(text)) return /\p{L}\p{Ll}/u.test(text) && !/^[A-Z]+ \//.test(text);
  return /^\p{Lu}\p{Ll}+[.…:?]?$/u.test(first);
}
