import { normalisePath } from '#engine/check';
import { ServiceError } from '../errors/errors.ts';

/**
 * Paths in the form in which the trigger table compares them. The canonical form of a path has one leading slash, no empty segments, no
 * trailing slash, and every segment percent-decoded once with only `%`, `/` and `:` kept encoded, so that a decoded
 * slash is not a separator and a decoded colon not a param. The canonical form of a canonical path is itself.
 */

/** A path as a flow declares it, parsed. */
export interface RoutePath {
  /** Canonical, with every param written `:`; two paths of one shape match the same requests. */
  readonly shape: string;
  /** Names of the params by segment; undefined if the segment is fixed text. Empty for a static path. */
  readonly names: readonly (string | undefined)[];
}

/** Parses the path of a trigger, which `check` has accepted. */
export function parseRoutePath(path: string): RoutePath {
  const segments = segmentsOf(normalisePath(path));
  const names = segments.map((segment) => /^:([A-Za-z_]\w*)$/.exec(segment)?.[1]);
  const shape = segments.map((segment, i) => (names[i] === undefined ? canonicalSegment(segment) : ':'));
  return { shape: `/${shape.join('/')}`, names: names.some((name) => name !== undefined) ? names : [] };
}

/** The names of a path's params. */
export function pathParams(path: string): string[] {
  return parseRoutePath(path).names.filter((name) => name !== undefined);
}

/** The canonical form of a request's path (without query string). Throws `invalid_request` if its encoding is broken. */
export function canonicalPath(path: string): string {
  return `/${segmentsOf(path)
    .map((segment) => canonicalSegment(decode(segment)))
    .join('/')}`;
}

/** The decoded text of a canonical segment. */
export function segmentText(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function canonicalSegment(text: string): string {
  return text.replace(/[%/:]/g, encodeURIComponent);
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    throw new ServiceError('invalid_request', 'The path is not valid percent-encoded UTF-8.');
  }
  // Databases, file systems and other programs treat it as the end of a text.
  if (text.includes('\0')) throw new ServiceError('invalid_request', 'The path has a NUL character (%00).');
  return text;
}
