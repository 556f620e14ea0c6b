import { ServiceError } from '../errors.ts';

/**
 * Paths of triggers. A path is compared in its canonical form: one leading slash, no empty segments, no trailing slash,
 * every segment percent-decoded once, with only `%`, `/` and `:` kept encoded, so that a decoded slash is not a separator and
 * a decoded colon not a param. The canonical form of a canonical path is itself.
 */

/** A path as a flow declares it, taken apart. */
export interface RoutePath {
  /** Canonical, with every param written `:`; two paths of one shape match the same requests. */
  readonly shape: string;
  /** Names of the params by segment; undefined where the segment is fixed text. Empty for a static path. */
  readonly names: readonly (string | undefined)[];
}

const PARAM = /^(?::([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;

/** One leading slash, no double or trailing ones, params as `:name` (also where the flow says `{name}`). */
export function normalisePath(path: string): string {
  const segments = path.trim().split('/').filter(Boolean);
  return `/${segments.map((s) => (paramName(s) === undefined ? s : `:${paramName(s)}`)).join('/')}`;
}

export function parseRoutePath(path: string): RoutePath {
  const segments = path.trim().split('/').filter(Boolean);
  const names = segments.map(paramName);
  const shape = segments.map((s, i) => (names[i] === undefined ? canonicalSegment(decodeOrKeep(s)) : ':'));
  return { shape: `/${shape.join('/')}`, names: names.some((n) => n !== undefined) ? names : [] };
}

/** The names of a path's params. */
export function pathParams(path: string): string[] {
  return parseRoutePath(path).names.filter((n) => n !== undefined);
}

/** The canonical form of a request's path (without query string). Throws `invalid_request` where its encoding is broken. */
export function canonicalPath(path: string): string {
  const segments = path.split('/').filter(Boolean);
  return `/${segments.map((s) => canonicalSegment(decode(s))).join('/')}`;
}

/** The decoded text of a canonical segment. */
export function segmentText(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}

function paramName(segment: string): string | undefined {
  const found = PARAM.exec(segment);
  return found?.[1] ?? found?.[2];
}

function canonicalSegment(text: string): string {
  return text.replace(/[%/:]/g, encodeURIComponent);
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ServiceError('invalid_request', 'The path is not valid percent-encoded UTF-8.');
  }
}

function decodeOrKeep(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
