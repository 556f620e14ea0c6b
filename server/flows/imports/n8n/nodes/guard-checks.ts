/** The checks of texts that need no model, as code for a node: of personal data, keys, addresses and words. */

/** Forms of personal data, by the names that the original has for them. */
export const PERSONAL: Readonly<Record<string, string>> = {
  CREDIT_CARD: String.raw`\b(?:\d{4}[- ]?){3}\d{4}\b`,
  CRYPTO: String.raw`\b[13][1-9A-HJ-NP-Za-km-z]{25,34}\b`,
  DATE_TIME: String.raw`\b(?:0[1-9]|1[0-2])[/-](?:0[1-9]|[12]\d|3[01])[/-](?:19|20)\d\d\b`,
  EMAIL_ADDRESS: String.raw`\b[\w.%+-]+@[a-zA-Z\d-]+(?:\.[a-zA-Z\d-]+)*\.[a-zA-Z]{2,}\b`,
  IBAN_CODE: String.raw`\b[A-Z]{2}\d{2}[A-Z\d]{4}\d{7}[A-Z\d]{0,16}\b`,
  IP_ADDRESS: String.raw`\b(?:\d{1,3}\.){3}\d{1,3}\b`,
  LOCATION: String.raw`\b[A-Za-z]+(?:\s+[A-Za-z]+)*\s+(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Place|Pl|Court|Ct|Way|Highway|Hwy)\b`,
  PHONE_NUMBER: String.raw`(?<!\d)\+?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4,6}\b`,
  MEDICAL_LICENSE: String.raw`\b[A-Z]{2}\d{6}\b`,
  US_BANK_NUMBER: String.raw`\b\d{8,17}\b`,
  US_DRIVER_LICENSE: String.raw`\b[A-Z]\d{7}\b`,
  US_ITIN: String.raw`\b9\d{2}-\d{2}-\d{4}\b`,
  US_PASSPORT: String.raw`\b[A-Z]\d{8}\b`,
  US_SSN: String.raw`\b(?:\d{3}-\d{2}-\d{4}|\d{9})\b`,
  UK_NHS: String.raw`\b\d{3} \d{3} \d{4}\b`,
  UK_NINO: String.raw`\b[A-Z]{2}\d{6}[A-Z]\b`,
  ES_NIF: String.raw`\b[A-Z]\d{8}\b`,
  ES_NIE: String.raw`\b[A-Z]\d{8}\b`,
  IT_FISCAL_CODE: String.raw`\b[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]\b`,
  IT_DRIVER_LICENSE: String.raw`\b[A-Z]{2}\d{7}\b`,
  IT_VAT_CODE: String.raw`\bIT\d{11}\b`,
  IT_PASSPORT: String.raw`\b[A-Z]{2}\d{7}\b`,
  IT_IDENTITY_CARD: String.raw`\b[A-Z]{2}\d{7}\b`,
  PL_PESEL: String.raw`\b\d{11}\b`,
  SG_NRIC_FIN: String.raw`\b[A-Z]\d{7}[A-Z]\b`,
  SG_UEN: String.raw`\b\d{8,9}[A-Z]\b`,
  AU_ABN: String.raw`\b\d{2}(?: \d{3}){3}\b`,
  AU_ACN: String.raw`\b\d{3}(?: \d{3}){2}\b`,
  AU_TFN: String.raw`\b\d{9}\b`,
  AU_MEDICARE: String.raw`\b\d{4} \d{5} \d\b`,
  IN_PAN: String.raw`\b[A-Z]{5}\d{4}[A-Z]\b`,
  IN_AADHAAR: String.raw`\b\d{4} \d{4} \d{4}\b`,
  IN_VEHICLE_REGISTRATION: String.raw`\b[A-Z]{2}\d{2}[A-Z]{2}\d{4}\b`,
  IN_VOTER: String.raw`\b[A-Z]{3}\d{7}\b`,
  IN_PASSPORT: String.raw`\b[A-Z]\d{7}\b`,
  FI_PERSONAL_IDENTITY_CODE: String.raw`\b\d{6}[-+A]\d{3}[A-Z\d]\b`,
};

/** How long, mixed and random-looking a word has to be to count as a key. */
export const KEYS = {
  strict: { length: 10, entropy: 3, kinds: 2, names: false },
  balanced: { length: 10, entropy: 3.8, kinds: 3, names: true },
  permissive: { length: 30, entropy: 4, kinds: 2, names: true },
} as const;

/** A pattern with a name and flags. */
export type Pattern = readonly [name: string, source: string, flags: string];

export interface GuardConfig {
  readonly personalData?: readonly Pattern[];
  readonly customRegex?: readonly Pattern[];
  readonly secretKeys?: keyof typeof KEYS;
  readonly urls?: {
    readonly schemes: readonly string[];
    readonly withoutUser: boolean;
    readonly subdomains: boolean;
  };
  /** Only masks what is found. */
  readonly isMasking: boolean;
  readonly hasKeywords: boolean;
}

const PATTERNS = `const patterns = (text, list) => {
  const results = list.flatMap(([entityType, source, flags]) =>
    [...text.matchAll(new RegExp(source, flags))].filter(([one]) => one !== '').map(([one]) => ({ entityType, text: one })));
  return { found: results.map((one) => [one.text, one.entityType]), info: { analyzerResults: results } };
};`;

const SECRETS = `const OWN = ['sk-', 'sk_', 'pk_', 'pk-', 'ghp_', 'AKIA', 'xox', 'SG.', 'hf_'];
const BEGINS = [...OWN, 'key-', 'api-', 'apikey-', 'token-', 'secret-', 'SHA:', 'Bearer '];
const FILE = /^\\S*\\.(?:py|js|html|css|json|md|txt|csv|xml|ya?ml|ini|conf(?:ig)?|log|sql|sh|bat|dll|so|dylib|jar|war|php|rb|go|rs|ts|jsx|vue|cpp|c|h|cs|fs|vb|docx?|xlsx?|pptx?|pdf|jpe?g|png)$/i;
const PAGE = /^https?:\\/\\/[a-z\\d.-]+\\/?[\\w./-]*$/i;
const isOrdinary = (word) =>
  PAGE.test(word) ? !BEGINS.some((one) => word.includes(one)) : FILE.test(word) && !OWN.some((one) => word.startsWith(one));
const entropy = (word) => {
  const counts = {};
  for (const sign of word) counts[sign] = (counts[sign] ?? 0) + 1;
  return Object.values(counts).reduce((sum, count) => sum - (count / word.length) * Math.log2(count / word.length), 0);
};
const kinds = (word) => [/\\p{Ll}/u, /\\p{Lu}/u, /\\d/, /\\W/].filter((one) => one.test(word)).length;
const isSecret = (word, { length, entropy: least, kinds: mixed, names }) => {
  if (names && isOrdinary(word)) return false;
  if (BEGINS.some((one) => word.startsWith(one))) return true;
  return word.length >= length && kinds(word) >= mixed && entropy(word) >= least;
};
const secrets = (text, limits) => {
  const detectedSecrets = text.split(/\\s+/).map((word) => word.replaceAll(/[*#]/g, '')).filter((word) => isSecret(word, limits));
  return { found: detectedSecrets.map((one) => [one, 'SECRET']), info: { detectedSecrets } };
};`;

const URLS = `const HOSTLESS = ['data', 'javascript', 'vbscript', 'mailto'];
const addressesIn = (text) => {
  const trimmed = (one) => one.replace(/[.,;:!?)\\\\\\]]+$/, '');
  const whole = (text.match(/(?:https?|ftp):\\/\\/[^\\s<>"{}|\\\\^\`[\\]]+|(?:data|javascript|vbscript|mailto):[^\\s<>"{}|\\\\^\`[\\]]+/gi) ?? []).map(trimmed);
  let rest = text;
  for (const one of whole) rest = rest.replaceAll(one, ' ');
  const bare = (rest.match(/\\b(?:[a-z\\d](?:[a-z\\d-]*[a-z\\d])?\\.)+[a-z]{2,}(?:\\/\\S*)?|\\b(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d+)?(?:\\/\\S*)?/gi) ?? []).map(trimmed);
  return [...new Set([...whole, ...bare])];
};
const mayGo = (url, allowed, subdomains) => allowed.some((entry) => {
  const host = url.hostname.toLowerCase();
  if (entry.includes('://')) {
    const page = new URL(entry);
    return host === page.hostname.toLowerCase() && (page.pathname === '/' || url.pathname.startsWith(page.pathname));
  }
  const own = host.replace(/^www\\./, '');
  const given = entry.replace(/^www\\./, '');
  return own === given || (subdomains && own.endsWith('.' + given));
});
const fault = (address, { schemes, withoutUser, subdomains }, allowed) => {
  const [begin] = address.split(':');
  const isWhole = address.includes('://') || HOSTLESS.includes(begin);
  let url;
  try {
    url = new URL(isWhole ? address : 'http://' + address);
  } catch {
    return 'Invalid URL format';
  }
  const scheme = isWhole ? url.protocol.slice(0, -1) : 'http';
  if (!schemes.includes(scheme)) return 'Blocked scheme: ' + scheme;
  if (withoutUser && (url.username !== '' || url.password !== '')) return 'Contains a user or a password';
  return HOSTLESS.includes(scheme) || mayGo(url, allowed, subdomains) ? undefined : 'Not in allow list';
};
const addresses = (text, rules, given) => {
  const allowed = listOf(given).map((one) => one.toLowerCase());
  const detected = addressesIn(text);
  const faults = detected.map((one) => [one, fault(one, rules, allowed)]);
  const blocked = faults.filter(([, why]) => why !== undefined);
  return {
    found: blocked.map(([one]) => [one, 'URL']),
    info: {
      detected,
      allowed: faults.filter(([, why]) => why === undefined).map(([one]) => one),
      blocked: blocked.map(([one]) => one),
      blockedReasons: blocked.map(([one, why]) => one + ': ' + why),
    },
  };
};`;

const WORDS = `const words = (text, given) => {
  const LETTER = '[\\\\p{L}\\\\p{N}_]';
  const plain = listOf(given).map((one) => one.replace(/[.,!?;:]+$/, '')).filter((one) => one !== '');
  const forms = plain.map((one) => {
    const signs = [...one];
    const isLetter = (sign) => new RegExp(LETTER, 'u').test(sign);
    const source = one.replaceAll(/[.*+?^\${}()|[\\]\\\\]/g, '\\\\$&');
    return (isLetter(signs[0]) ? '(?<!' + LETTER + ')' : '') + source + (isLetter(signs.at(-1)) ? '(?!' + LETTER + ')' : '');
  });
  const all = forms.length === 0 ? [] : (text.match(new RegExp(forms.join('|'), 'giu')) ?? []);
  const seen = new Set();
  const matchedKeywords = all.filter((one) => !seen.has(one.toLowerCase()) && seen.add(one.toLowerCase()));
  return { name: 'keywords', triggered: matchedKeywords.length > 0, info: { matchedKeywords } };
};`;

/** Masks the longest ones first. */
const MASK = `const masked = (text, found) =>
  [...found].sort(([a], [b]) => b.length - a.length).reduce((rest, [one, name]) => rest.split(one).join('<' + name + '>'), text);`;

/**
 * Code that takes `{ text, keywords, allowed }` and gives `{ original, text, failed, checks }`: the text as it goes on, whether a check
 * without a model stops it, and the checks so far.
 */
export function guardCode(config: GuardConfig): string {
  const { personalData, customRegex, secretKeys, urls, isMasking, hasKeywords } = config;
  const checks = [
    personalData && `['personalData', patterns(text, ${JSON.stringify(personalData)})],`,
    customRegex && `['customRegex', patterns(text, ${JSON.stringify(customRegex)})],`,
    secretKeys && `['secretKeys', secrets(text, ${JSON.stringify(KEYS[secretKeys])})],`,
    urls && `['urls', addresses(text, ${JSON.stringify(urls)}, input.allowed)],`,
  ];
  return [
    "const listOf = (given) => String(given ?? '').split(',').map((one) => one.trim()).filter((one) => one !== '');",
    personalData || customRegex ? PATTERNS : '',
    secretKeys ? SECRETS : '',
    urls ? URLS : '',
    hasKeywords ? WORDS : '',
    MASK,
    "const text = String(input.text ?? '');",
    'const made = [',
    ...checks.map((one) => (one ? `  ${one}` : '')),
    '];',
    'const checks = made.map(([name, { found, info }]) => ({ name, triggered: found.length > 0, info }));',
    `const stopping = ${isMasking ? '[]' : 'checks.filter(({ triggered }) => triggered)'};`,
    'if (stopping.length > 0) return { original: text, text, failed: true, checks: stopping };',
    'const rest = masked(text, made.flatMap(([, { found }]) => found));',
    `return { original: text, text: rest, failed: false, checks, more: ${hasKeywords ? '[words(rest, input.keywords)]' : '[]'} };`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}
