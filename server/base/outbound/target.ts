import { WeftError } from '#engine';

/** The destination of a request, parsed once, so that the checked destination is the one connected to. */
export interface Target {
  readonly url: URL;
  /** `https://example.com`, or with a port that is not the default. */
  readonly origin: string;
  /** A name without a final dot, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Parsers disagree about these: some drop tabs and line breaks, others read `\` as `/`. */
const ambiguous = /[\s\\]|\p{Cc}/u;
const MAX_LENGTH = 8192;

/**
 * Parses an address strictly. Throws `outbound_invalid` or, for other schemes than http and https,
 * `outbound_refused`.
 */
export function parseTarget(text: string): Target {
  if (text.length > MAX_LENGTH) throw invalid(`The address is longer than ${MAX_LENGTH} characters.`);
  if (ambiguous.test(text)) {
    throw invalid(
      'The address contains spaces, control characters or a backslash; write them as %20, %5C, ….',
    );
  }
  if (!URL.canParse(text))
    throw invalid(`${JSON.stringify(text.slice(0, 200))} is not an address; write https://host/path.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new WeftError(
      'outbound_refused',
      `Requests go to http and https addresses only, not to ${url.protocol}`,
    );
  }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    throw invalid('The address contains a user name or password; use `auth` instead.');
  }
  // With a final dot it is the same name, but would get past lists of names.
  const host = url.hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return { url, origin: url.origin, host, port };
}

function invalid(message: string): WeftError {
  return new WeftError('outbound_invalid', message);
}
