import { parseRoutePath, segmentText } from '../../requests/path.ts';
import { triggerPrefix } from '../../triggers/front-door.ts';

/** A path with its params in braces, and the names of the params. */
export interface Template {
  readonly path: string;
  readonly names: readonly string[];
}

/** Paths that differ only in the names of their params are one path in OpenAPI: the first one decides the names. */
export function templateFor(path: string, known: Map<string, Template>): Template {
  const { shape, names } = parseRoutePath(path);
  const found = known.get(shape);
  if (found) return found;
  const params: string[] = [];
  const segments = shape.split('/').map((segment, i) => {
    const name = names[i - 1];
    if (name === undefined) return encodeURIComponent(segmentText(segment).toWellFormed());
    const free = params.includes(name) ? `${name}_${i}` : name;
    params.push(free);
    return `{${free}}`;
  });
  const template = { path: `${triggerPrefix}${segments.join('/').replace(/\/$/, '')}`, names: params };
  known.set(shape, template);
  return template;
}
