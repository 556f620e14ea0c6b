/**
 * The path that a flow serves: `/examples/hello`, `/items/:id`. A segment is fixed text or a param, written `:name` or
 * `{name}`.
 */
const PARAM = /^(?::([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
const TEXT = /^[A-Za-z0-9._~-]+$/;

/** The form in which paths are compared and served: one leading slash, no double or trailing ones, params as `:name`. */
export function normalisePath(path: string): string {
  const segments = path
    .trim()
    .split('/')
    .filter((segment) => segment !== '');
  return `/${segments.map((segment) => segment.replace(PARAM, ':$1$2')).join('/')}`;
}

/** The same for two normalised paths that match the same requests. */
export function routeKey(path: string): string {
  return path.includes(':') ? path.replace(/:\w+/g, ':') : path;
}

/** What is wrong with a trigger's path, as the end of a sentence; undefined if it can be served. */
export function pathFault(path: unknown): string | undefined {
  if (typeof path !== 'string') return 'is missing; write one such as /examples/hello';
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (segments.length === 1 && segments[0] === '') return 'is empty; write one such as /examples/hello';
  const faults = segments.map(segmentFault).filter((fault) => fault !== undefined);
  if (faults.length > 0) return faults[0];
  const names = segments.map(paramName).filter((name) => name !== undefined);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  return twice === undefined ? undefined : `names the param \`${twice}\` twice`;
}

/** The names of the params in a path. */
export function pathParamNames(path: string): string[] {
  const segments = path.trim().split('/');
  return segments.map(paramName).filter((name) => name !== undefined);
}

function paramName(segment: string): string | undefined {
  const found = PARAM.exec(segment);
  return found?.[1] ?? found?.[2];
}

function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'has an empty part between two slashes';
  if (segment === '.' || segment === '..') return `must not hold \`${segment}\``;
  if (TEXT.test(segment) || paramName(segment) !== undefined) return undefined;
  return `has the part ${JSON.stringify(segment)}; a part takes letters, digits and . _ ~ - or is a param, :name or {name}`;
}
